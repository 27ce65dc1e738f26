//! The runtimes of tokio: one for one operation at a time, and one for several at once.

use std::io;
use std::sync::OnceLock;
use tokio::runtime::{Builder, Runtime};

/// A connection of an asynchronous driver belongs to the runtime that opened it: only there somebody waits for its
/// socket.
pub struct Runtimes {
    one: Runtime,
    several: OnceLock<Runtime>,
}

impl Runtimes {
    pub fn new() -> io::Result<Self> {
        Ok(Self { one: Builder::new_current_thread().enable_all().build()?, several: OnceLock::new() })
    }

    /// The thread that reads the requests does everything: no operation waits for another thread.
    pub fn one(&self) -> &Runtime {
        &self.one
    }

    /// As many threads as there are processors, as by `#[tokio::main]`. They are started when they are first needed, so
    /// that one operation at a time never has them beside it.
    pub fn several(&self) -> &Runtime {
        self.several.get_or_init(|| Builder::new_multi_thread().enable_all().build().expect("tokio starts its threads"))
    }
}

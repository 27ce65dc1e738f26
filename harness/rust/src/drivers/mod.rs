//! What the harness asks of a driver. A new driver is one file here, and one line in `all`.

mod cells;
mod mysql;
mod mysql_async;
mod null;
mod sqlx;

use crate::connection::{Entry, entry};
use crate::protocol::{PrepareRequest, Result, Scheme, Value, unsupported};
use crate::rows::Fetched;
use std::collections::BTreeMap;

/// Every driver of the harness.
pub fn all() -> Vec<Box<dyn Entry>> {
    vec![entry::<mysql::MySql>(), entry::<mysql_async::MySqlAsync>(), entry::<sqlx::Sqlx>(), entry::<null::Null>()]
}

/// A driver with the target of one `prepare`. The functions are asynchronous so that one measuring loop serves all; a
/// driver that blocks just never waits in them. They are `Send`, because several operations at once are done by several
/// threads, whether a task moves between them or not.
pub trait Driver: Sized + Send + Sync + 'static {
    const NAME: &'static str;
    /// How each scheme is done; one that is not here is refused.
    const SCHEMES: &'static [(Scheme, &'static str)];
    /// Why parameters cannot be encoded without a server, or none if they can.
    const NO_ENCODE: Option<&'static str>;
    /// Several operations at once are tasks of tokio, because the driver waits without holding a thread. Otherwise they are
    /// threads.
    const TASKS: bool;
    /// What does several operations at once, in words.
    const CONCURRENCY: &'static str = if Self::TASKS { BY_TASKS } else { BY_THREADS };
    type Client: Client;
    type Pool: Send + Sync + 'static;

    fn version() -> &'static str;
    /// Understands the options; nothing is opened.
    fn new(target: Target) -> Result<Self>;
    /// Why a scheme is not what its name says with these options, if so.
    fn refuses(&self, _scheme: Scheme) -> Option<&'static str> {
        None
    }
    fn connect(&self) -> impl Future<Output = Result<Self::Client>> + Send;
    fn disconnect(client: Self::Client) -> impl Future<Output = Result<()>> + Send;
    /// Makes the driver's own pool of so many connections. With `keep` the pool must not reset the session of a connection
    /// that is given back, because autocommit is switched off there.
    fn pool(&self, size: usize, keep: bool) -> impl Future<Output = Result<Self::Pool>> + Send;
    fn acquire(pool: &Self::Pool) -> impl Future<Output = Result<Self::Client>> + Send;
    fn release(client: Self::Client) -> impl Future<Output = ()> + Send;
    fn close(pool: Self::Pool) -> impl Future<Output = Result<()>> + Send;
}

const BY_THREADS: &str = "threads, a connection each";
const BY_TASKS: &str = "tasks on tokio's multi-thread runtime, a connection each; one operation at a time is a task of a \
                        current-thread runtime";

/// One connection of a driver. Every function waits for the end of the answer; rows go to `Fetched` if wanted there.
pub trait Client: Send + Sized + 'static {
    /// Parameters as a user of the driver would hold them.
    type Row: Clone + Send + Sync + 'static;
    type Statement: Send + Sync + 'static;

    fn shape(values: &[Value]) -> Self::Row;
    /// Sends a text without parameters; it may hold several statements.
    fn text(&mut self, text: &str, fetched: &mut Fetched) -> impl Future<Output = Result<()>> + Send;
    /// Calls the function that takes a text and parameters; those of several rows stand one after another.
    fn call(
        &mut self,
        text: &str,
        rows: &[Self::Row],
        fetched: &mut Fetched,
    ) -> impl Future<Output = Result<()>> + Send;
    fn prepare(&mut self, text: &str) -> impl Future<Output = Result<Self::Statement>> + Send;
    fn execute(
        &mut self,
        statement: &Self::Statement,
        row: &Self::Row,
        fetched: &mut Fetched,
    ) -> impl Future<Output = Result<()>> + Send;
    /// Closes a prepared statement.
    fn discard(&mut self, statement: Self::Statement) -> impl Future<Output = Result<()>> + Send;
    /// Closes the statements that the driver prepared by itself for these texts and keeps, so that every run finds a
    /// connection without any: the driver hands its own over when it is asked to prepare the same text.
    fn forget(&mut self, texts: &[String]) -> impl Future<Output = Result<()>> + Send {
        async move {
            for text in texts {
                let statement = self.prepare(text).await?;
                self.discard(statement).await?;
            }
            Ok(())
        }
    }
    /// The driver's own batch of all rows.
    fn batch(&mut self, _text: &str, _rows: &[Self::Row]) -> impl Future<Output = Result<()>> + Send {
        async { unsupported("the driver has no batch") }
    }
    /// Writes a parameter into a text, quoted and escaped by the driver.
    fn literal(_row: &Self::Row, _parameter: usize, _text: &mut String) -> Result<()> {
        unsupported("the driver has no function that writes a parameter into a text")
    }
    /// Does what the driver does with a text and parameters before it sends anything.
    fn encode(_text: &str, _row: &Self::Row) -> Result<()> {
        unsupported("the driver has no function that encodes parameters")
    }
}

/// What the least and the most connections of a pool are.
const ONE_SIZE: &str = "a size is not more than itself";

/// Where a connection goes.
pub struct Target {
    pub host: String,
    pub port: u16,
    pub database: String,
    pub user: String,
    pub password: String,
    /// The file with the certificate authority, if the connection is encrypted.
    pub authority: Option<String>,
    pub options: BTreeMap<String, String>,
}

impl Target {
    /// Takes user, password and authority from the environment.
    pub fn of(request: &PrepareRequest) -> Self {
        let environment = |name: &str| std::env::var(name).expect("the agent sets it");
        Self {
            host: request.host.clone(),
            port: request.port,
            database: request.database.clone(),
            user: environment("ASSAY_USERNAME"),
            password: environment("ASSAY_PASSWORD"),
            authority: request.tls.then(|| environment("ASSAY_CA")),
            options: request.options.clone(),
        }
    }

    /// Refuses options that the request itself decides, so that nothing is said twice.
    fn refuse_options(&self, decided: &[&str]) -> Result<()> {
        match self.options.keys().find(|name| decided.contains(&name.as_str())) {
            Some(name) => unsupported(format!("option {name}: the fields of the request decide this")),
            None => Ok(()),
        }
    }
}

/// The version of a package that this harness is built with.
fn locked(package: &str) -> &'static str {
    let lock = include_str!("../../Cargo.lock");
    let name = format!("name = \"{package}\"\nversion = \"");
    let after = lock.split_once(&name).expect("every driver is in Cargo.lock").1;
    after.split_once('"').expect("a version in Cargo.lock ends with a quotation mark").0
}

#[cfg(test)]
mod tests {
    #[test]
    fn versions_come_from_the_lock_file() {
        for package in ["mysql", "mysql_async", "sqlx"] {
            let version = super::locked(package);
            assert!(version.split('.').all(|number| number.parse::<u32>().is_ok()), "{package}: {version}");
        }
    }
}

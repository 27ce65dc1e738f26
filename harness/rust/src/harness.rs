//! Answers requests: what is open, which data there is, and who does what.

use crate::connection::{Entry, Opened, Work};
use crate::drivers;
use crate::histogram::Histogram;
use crate::protocol::{PrepareRequest, Refusal, Request, Result, RunRequest, Value};
use crate::runtimes::Runtimes;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use std::collections::HashMap;
use std::io;

#[derive(Deserialize)]
struct Numbered {
    id: u64,
    #[serde(flatten)]
    request: Request,
}

pub struct Harness {
    runtimes: Runtimes,
    drivers: Vec<Box<dyn Entry>>,
    connections: HashMap<String, Box<dyn Opened>>,
    data: HashMap<String, Vec<Vec<Value>>>,
    histogram: Histogram,
}

impl Harness {
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            runtimes: Runtimes::new()?,
            drivers: drivers::all(),
            connections: HashMap::new(),
            data: HashMap::new(),
            histogram: Histogram::new(),
        })
    }

    /// The answer to one line, which is as the protocol says: nothing in it is checked.
    pub fn answer(&mut self, line: &str) -> serde_json::Result<Json> {
        let Numbered { id, request } = serde_json::from_str(line)?;
        let mut answer = match self.act(request) {
            Ok(answer) => answer,
            Err(Refusal::Unsupported(reason)) => json!({"state": "unsupported", "reason": reason}),
            Err(Refusal::Failed(reason, code)) => {
                json!({"state": "failed", "code": code.to_string(), "reason": reason})
            }
        };
        answer["id"] = json!(id);
        if answer.get("state").is_none() {
            answer["state"] = json!("ok");
        }
        Ok(answer)
    }

    pub fn close_all(&mut self) {
        for (name, mut connection) in self.connections.drain() {
            if let Err(refusal) = connection.close(&self.runtimes) {
                eprintln!("harness: connection {name} did not close well: {refusal:?}");
            }
        }
    }

    fn act(&mut self, request: Request) -> Result<Json> {
        match request {
            Request::Hello => Ok(self.hello()),
            Request::Data { name, rows } => {
                self.data.insert(name, rows);
                Ok(json!({}))
            }
            Request::Prepare(request) => self.prepare(request),
            Request::Run(run) => self.run(&run),
            Request::Close { connection } => {
                let mut connection = self.connections.remove(&connection).expect("the agent has prepared it");
                connection.close(&self.runtimes).map(|()| json!({}))
            }
        }
    }

    fn hello(&self) -> Json {
        let drivers: Vec<Json> = self.drivers.iter().map(|driver| driver.describe()).collect();
        json!({
            "protocol": "assay.dev/driver/v2",
            "language": "Rust",
            "runtime": env!("COMPILER"),
            "clock": "std::time::Instant (CLOCK_MONOTONIC)",
            "drivers": drivers,
        })
    }

    fn prepare(&mut self, request: PrepareRequest) -> Result<Json> {
        let driver = self.drivers.iter().find(|driver| driver.name() == request.driver).expect("hello has named it");
        let (connection, cipher) = driver.open(&self.runtimes, &request)?;
        let version = driver.version();
        self.connections.insert(request.connection, connection);
        Ok(json!({"version": version, "cipher": cipher}))
    }

    fn run(&mut self, run: &RunRequest) -> Result<Json> {
        let connection = self.connections.get_mut(&run.connection).expect("the agent has prepared it");
        let data = self.data.get(&run.data).map(Vec::as_slice);
        let mut work = Work { runtimes: &self.runtimes, histogram: &mut self.histogram, run, data };
        let mut answer = connection.run(&mut work)?;
        answer["histogram"] = json!(self.histogram.buckets());
        Ok(answer)
    }
}

//! Answers requests: what is open, which data there is, and who does what.

use crate::connection::{Entry, Opened, Work};
use crate::drivers;
use crate::histogram::Histogram;
use crate::protocol::{
    CloseRequest, DataRequest, HelloRequest, PROTOCOL, PrepareRequest, Refusal, Result, RunRequest, Value, failed,
    unify, unsupported, value,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json, json};
use std::collections::HashMap;
use std::io;
use tokio::runtime::{Builder, Runtime};

pub struct Harness {
    runtime: Runtime,
    drivers: Vec<Box<dyn Entry>>,
    connections: HashMap<String, Box<dyn Opened>>,
    data: HashMap<String, Vec<Vec<Value>>>,
    histogram: Histogram,
}

impl Harness {
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            runtime: Builder::new_current_thread().enable_all().build()?,
            drivers: drivers::all(),
            connections: HashMap::new(),
            data: HashMap::new(),
            histogram: Histogram::new(),
        })
    }

    /// The answer to one line.
    pub fn answer(&mut self, line: &str) -> Json {
        let mut request: Map<String, Json> = match serde_json::from_str(line) {
            Ok(request) => request,
            // Without a request there is no id; 0 says so, because the agent waits for an answer.
            Err(error) => return json!({"id": 0, "state": "failed", "reason": format!("this is no request: {error}")}),
        };
        let id = request.remove("id").unwrap_or(json!(0));
        let mut answer = match self.act(request) {
            Ok(answer) => answer,
            Err(Refusal::Unsupported(reason)) => json!({"state": "unsupported", "reason": reason}),
            Err(Refusal::Failed(reason)) => json!({"state": "failed", "reason": reason}),
        };
        answer["id"] = id;
        if answer.get("state").is_none() {
            answer["state"] = json!("ok");
        }
        answer
    }

    pub fn close_all(&mut self) {
        for (name, mut connection) in self.connections.drain() {
            if let Err(refusal) = connection.close(&self.runtime) {
                eprintln!("harness: connection {name} did not close well: {refusal:?}");
            }
        }
    }

    fn act(&mut self, mut request: Map<String, Json>) -> Result<Json> {
        match request.remove("do").as_ref().and_then(Json::as_str) {
            Some("hello") => self.hello(fields(request)?),
            Some("data") => self.keep(fields(request)?),
            Some("prepare") => self.prepare(fields(request)?),
            Some("run") => self.run(fields(request)?),
            Some("close") => self.close(fields(request)?),
            Some(other) => unsupported(format!("there is no request {other}: hello, data, prepare, run and close are")),
            None => unsupported("a request says in \"do\" what to do"),
        }
    }

    fn hello(&self, request: HelloRequest) -> Result<Json> {
        if request.protocol != PROTOCOL {
            return unsupported(format!("this harness speaks {PROTOCOL}, not {}", request.protocol));
        }
        let drivers: Vec<Json> = self.drivers.iter().map(|driver| describe(driver.as_ref())).collect();
        Ok(json!({
            "protocol": PROTOCOL,
            "language": "Rust",
            "runtime": env!("COMPILER"),
            "clock": "std::time::Instant (CLOCK_MONOTONIC)",
            "drivers": drivers,
        }))
    }

    fn keep(&mut self, request: DataRequest) -> Result<Json> {
        let rows = request.rows.into_iter().map(|row| row.into_iter().map(value).collect());
        let mut rows: Vec<Vec<Value>> = rows.collect::<Result<_>>()?;
        unify(&mut rows)?;
        let count = rows.len();
        self.data.insert(request.name, rows);
        Ok(json!({"rows": count}))
    }

    fn prepare(&mut self, request: PrepareRequest) -> Result<Json> {
        let Some(driver) = self.drivers.iter().find(|driver| driver.name() == request.driver) else {
            return unsupported(format!("there is no driver {} in this harness", request.driver));
        };
        let version = driver.version();
        if !request.version.is_empty() && request.version != version {
            return unsupported(format!("of {} this harness has {version}, not {}", request.driver, request.version));
        }
        if let Some(mut old) = self.connections.remove(&request.connection) {
            old.close(&self.runtime)?;
        }
        let (connection, cipher) = driver.open(&self.runtime, &request)?;
        self.connections.insert(request.connection, connection);
        Ok(json!({"version": version, "library": "", "cipher": cipher}))
    }

    fn run(&mut self, run: RunRequest) -> Result<Json> {
        let Some(connection) = self.connections.get_mut(&run.connection) else {
            return failed(format!("there is no connection {}: prepare opens it", run.connection));
        };
        let data = match &run.data {
            None => None,
            Some(name) => match self.data.get(name) {
                None => return failed(format!("there are no rows under the name {name}: data keeps them")),
                Some(rows) => Some(rows.as_slice()),
            },
        };
        let mut work = Work { runtime: &self.runtime, histogram: &mut self.histogram, run: &run, data };
        let mut answer = connection.run(&mut work)?;
        answer["histogram"] = json!(self.histogram.buckets());
        Ok(answer)
    }

    fn close(&mut self, request: CloseRequest) -> Result<Json> {
        match self.connections.remove(&request.connection) {
            None => failed(format!("there is no connection {} to close", request.connection)),
            Some(mut connection) => connection.close(&self.runtime).map(|()| json!({})),
        }
    }
}

fn describe(driver: &dyn Entry) -> Json {
    let schemes: Map<String, Json> =
        driver.schemes().iter().map(|(scheme, how)| (format!("{scheme:?}"), json!(how))).collect();
    json!({"name": driver.name(), "versions": [driver.version()], "schemes": schemes})
}

/// The fields of a request; one that the protocol does not know is not supported.
fn fields<T: DeserializeOwned>(request: Map<String, Json>) -> Result<T> {
    serde_json::from_value(Json::Object(request)).map_err(|error| Refusal::Unsupported(error.to_string()))
}

#[cfg(test)]
#[path = "harness_test.rs"]
mod tests;

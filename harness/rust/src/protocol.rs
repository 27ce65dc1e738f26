//! What the agent asks, as docs/contracts/driver-protocol.v2.schema.json has it, and how a request is refused.

use crate::statement::Repeated;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Why there is no result: the driver cannot do it, or it went wrong. Both go to the agent in words.
#[derive(Debug, PartialEq)]
pub enum Refusal {
    Unsupported(String),
    /// With the code of the server's error, or 0.
    Failed(String, u16),
}

pub type Result<T> = std::result::Result<T, Refusal>;

/// `Err` of a refusal because the driver or the harness cannot do it.
pub fn unsupported<T>(reason: impl Into<String>) -> Result<T> {
    Err(Refusal::Unsupported(reason.into()))
}

/// `Err` of a refusal because something went wrong.
pub fn failed<T>(reason: impl Into<String>) -> Result<T> {
    Err(Refusal::Failed(reason.into(), 0))
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub enum Kind {
    Execute,
    Query,
    Connect,
    Encode,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
pub enum Scheme {
    SingleRow,
    Prepared,
    ExecuteMany,
    Pipelined,
    MultiRow,
    MultiStatement,
    InList,
    Batch,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub enum Session {
    Dedicated,
    Pool,
    New,
}

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub enum Request {
    Hello,
    Data { name: String, rows: Vec<Vec<Value>> },
    Prepare(PrepareRequest),
    Run(RunRequest),
    Close { connection: String },
}

#[derive(Deserialize)]
pub struct PrepareRequest {
    pub connection: String,
    pub driver: String,
    pub host: String,
    pub port: u16,
    pub database: String,
    pub tls: bool,
    pub options: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunRequest {
    pub connection: String,
    pub kind: Kind,
    pub scheme: Scheme,
    pub session: Session,
    pub commit: bool,
    pub inline: bool,
    pub statement: String,
    #[serde(flatten)]
    pub repeated: Repeated,
    pub data: String,
    pub rows_per_operation: usize,
    pub chunk: usize,
    pub concurrency: usize,
    pub operations: u64,
    pub seconds: f64,
}

/// A parameter as the agent sends it: a number without a point is an integer.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Value {
    Int(i64),
    Float(f64),
    Text(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_a_point_are_floats_and_others_integers() {
        let values: Vec<Value> = serde_json::from_str(r#"[1, -5, 1.0, 62.35, "é"]"#).unwrap();
        let want = [Value::Int(1), Value::Int(-5), Value::Float(1.0), Value::Float(62.35), Value::Text("é".into())];
        assert_eq!(values, want);
    }
}

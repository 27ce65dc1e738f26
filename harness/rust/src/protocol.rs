//! What the agent asks, as docs/contracts/driver-protocol.v1.schema.json has it, and how a request is refused.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub const PROTOCOL: &str = "assay.dev/driver/v1";

/// Why there is no result: the driver cannot do it, or it went wrong. Both go to the agent in words.
#[derive(Debug, PartialEq)]
pub enum Refusal {
    Unsupported(String),
    Failed(String),
}

pub type Result<T> = std::result::Result<T, Refusal>;

/// `Err` of a refusal because the driver or the harness cannot do it.
pub fn unsupported<T>(reason: impl Into<String>) -> Result<T> {
    Err(Refusal::Unsupported(reason.into()))
}

/// `Err` of a refusal because something went wrong.
pub fn failed<T>(reason: impl Into<String>) -> Result<T> {
    Err(Refusal::Failed(reason.into()))
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
pub enum Transaction {
    #[default]
    Autocommit,
    One,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
pub enum Session {
    #[default]
    Dedicated,
    Pool,
    New,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
pub enum Tls {
    #[default]
    Disabled,
    Required,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HelloRequest {
    pub protocol: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataRequest {
    pub name: String,
    pub rows: Vec<Vec<serde_json::Value>>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrepareRequest {
    pub connection: String,
    pub driver: String,
    #[serde(default)]
    pub version: String,
    #[serde(default)]
    pub host: String,
    #[serde(default)]
    pub port: u16,
    #[serde(default)]
    pub database: String,
    #[serde(default)]
    pub tls: Tls,
    #[serde(default)]
    pub options: BTreeMap<String, String>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct RunRequest {
    pub connection: String,
    pub kind: Kind,
    pub scheme: Option<Scheme>,
    #[serde(default)]
    pub transaction: Transaction,
    #[serde(default)]
    pub session: Session,
    #[serde(default)]
    pub statement: String,
    pub data: Option<String>,
    #[serde(default)]
    pub rows_per_operation: usize,
    #[serde(default)]
    pub chunk: usize,
    #[serde(default)]
    pub inline: bool,
    #[serde(default)]
    pub operations: u64,
    #[serde(default)]
    pub seconds: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CloseRequest {
    pub connection: String,
}

/// A parameter as the agent sends it.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Int(i64),
    Float(f64),
    Text(String),
}

/// Makes a parameter of a JSON value; a number without a point is an integer.
pub fn value(json: serde_json::Value) -> Result<Value> {
    match json {
        serde_json::Value::Null => Ok(Value::Null),
        serde_json::Value::String(text) => Ok(Value::Text(text)),
        serde_json::Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(int), _) => Ok(Value::Int(int)),
            (None, Some(float)) if number.is_f64() => Ok(Value::Float(float)),
            _ => failed(format!("the integer {number} does not fit into 64 bits with a sign")),
        },
        other => failed(format!("{other} is no parameter: a number, a string or null is")),
    }
}

/// Integers up to here are the same number with a point.
const EXACT: u64 = 1 << 53;

/// Makes the numbers of a column one type, as a program in Rust would hold them: integers beside numbers with a point
/// become such. It is also needed: a batch of mysql and mysql_async declares the types of its first row, and values of
/// other types arrive as garbage.
pub fn unify(rows: &mut [Vec<Value>]) -> Result<()> {
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    for place in 0..width {
        if !rows.iter().any(|row| matches!(row.get(place), Some(Value::Float(_)))) {
            continue;
        }
        for value in rows.iter_mut().filter_map(|row| row.get_mut(place)) {
            match *value {
                Value::Int(int) if int.unsigned_abs() > EXACT => {
                    return failed(format!("beside numbers with a point the integer {int} must be below 2^53"));
                }
                Value::Int(int) => *value = Value::Float(int as f64),
                _ => {}
            }
        }
    }
    Ok(())
}

/// Whether some column has texts and numbers.
pub fn mixed(rows: &[Vec<Value>]) -> bool {
    let width = rows.first().map_or(0, Vec::len);
    (0..width).any(|place| {
        let kinds = rows.iter().map(|row| &row[place]).filter(|value| **value != Value::Null);
        let texts = kinds.clone().filter(|value| matches!(value, Value::Text(_))).count();
        texts != 0 && texts != kinds.count()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_with_a_point_are_floats_and_others_integers() {
        let cases = [
            (json!(1), Value::Int(1)),
            (json!(-5), Value::Int(-5)),
            (json!(1.0), Value::Float(1.0)),
            (json!(62.35), Value::Float(62.35)),
            (json!("é"), Value::Text("é".into())),
            (json!(null), Value::Null),
        ];
        for (json, want) in cases {
            assert_eq!(value(json), Ok(want));
        }
    }

    #[test]
    fn integers_beside_numbers_with_a_point_get_one() {
        let mut rows = vec![vec![Value::Int(1), Value::Int(1)], vec![Value::Float(0.5), Value::Null]];
        unify(&mut rows).unwrap();
        assert_eq!(rows, [[Value::Float(1.0), Value::Int(1)], [Value::Float(0.5), Value::Null]]);
        assert!(unify(&mut [vec![Value::Float(0.5)], vec![Value::Int(EXACT as i64 + 1)]]).is_err());
    }

    #[test]
    fn columns_with_texts_and_numbers_are_found() {
        let text = || Value::Text("a".into());
        assert!(mixed(&[vec![text()], vec![Value::Int(1)]]));
        assert!(!mixed(&[vec![text(), Value::Int(1)], vec![Value::Null, Value::Null]]));
    }

    #[test]
    fn what_is_no_parameter_is_refused() {
        for json in [json!(true), json!([1]), json!(u64::MAX)] {
            assert!(matches!(value(json), Err(Refusal::Failed(_))));
        }
    }
}

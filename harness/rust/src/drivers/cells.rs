//! Values of Rust from those of the crate mysql_common, which mysql and mysql_async share.

use crate::protocol::{Refusal, Result, Value, failed};
use crate::rows::{Cell, Fetched};
use mysql::consts::{ColumnFlags, ColumnType};
use mysql::prelude::FromValue;
use mysql::{Column, Row, Value as Wire};

/// The character set that says: bytes, not text.
const BINARY: u16 = 63;

pub fn shape(values: &[Value]) -> Vec<Wire> {
    values
        .iter()
        .map(|value| match value {
            Value::Int(int) => Wire::Int(*int),
            Value::Float(float) => Wire::Double(*float),
            Value::Text(text) => Wire::Bytes(text.clone().into_bytes()),
        })
        .collect()
}

/// The parameters of some rows, one after another.
pub fn flatten(rows: &[Vec<Wire>]) -> mysql::Params {
    match rows {
        [row] => row.clone().into(),
        rows => rows.concat().into(),
    }
}

/// Keeps a row, if rows are wanted.
pub fn keep(row: Row, fetched: &mut Fetched) -> Result<()> {
    if fetched.wanted {
        let columns = row.columns();
        let values = row.unwrap().into_iter();
        fetched
            .rows
            .push(values.zip(columns.iter()).map(|(value, column)| cell(value, column)).collect::<Result<_>>()?);
    }
    Ok(())
}

fn cell(value: Wire, column: &Column) -> Result<Cell> {
    use ColumnType::*;
    let unsigned = column.flags().contains(ColumnFlags::UNSIGNED_FLAG);
    let bytes = column.character_set() == BINARY;
    match (column.column_type(), value) {
        (_, Wire::NULL) => Ok(Cell::Null),
        (
            MYSQL_TYPE_TINY | MYSQL_TYPE_SHORT | MYSQL_TYPE_INT24 | MYSQL_TYPE_LONG | MYSQL_TYPE_LONGLONG
            | MYSQL_TYPE_YEAR,
            value,
        ) => {
            if unsigned {
                from(value, column).map(Cell::Uint)
            } else {
                from(value, column).map(Cell::Int)
            }
        }
        (MYSQL_TYPE_FLOAT, Wire::Float(float)) => Ok(Cell::Float(float.into())),
        (MYSQL_TYPE_FLOAT | MYSQL_TYPE_DOUBLE, value) => from(value, column).map(Cell::Float),
        (MYSQL_TYPE_DECIMAL | MYSQL_TYPE_NEWDECIMAL | MYSQL_TYPE_JSON, value) => from(value, column).map(Cell::Text),
        (MYSQL_TYPE_DATE | MYSQL_TYPE_NEWDATE, value) => from(value, column).map(Cell::Date),
        (MYSQL_TYPE_DATETIME | MYSQL_TYPE_TIMESTAMP, value) => from(value, column).map(Cell::DateTime),
        (
            MYSQL_TYPE_VARCHAR
            | MYSQL_TYPE_VAR_STRING
            | MYSQL_TYPE_STRING
            | MYSQL_TYPE_ENUM
            | MYSQL_TYPE_SET
            | MYSQL_TYPE_TINY_BLOB
            | MYSQL_TYPE_MEDIUM_BLOB
            | MYSQL_TYPE_LONG_BLOB
            | MYSQL_TYPE_BLOB,
            value,
        ) => {
            if bytes {
                from(value, column).map(Cell::Bytes)
            } else {
                from(value, column).map(Cell::Text)
            }
        }
        (other, _) => failed(format!(
            "column {} is of type {other:?}: the harness makes no value of Rust of it",
            column.name_str()
        )),
    }
}

fn from<T: FromValue>(value: Wire, column: &Column) -> Result<T> {
    mysql::from_value_opt(value).map_err(|error| Refusal::Failed(format!("column {}: {error}", column.name_str()), 0))
}

//! What a query fetched, as values of Rust, and the checksum that says whether every driver fetched the same.

use crate::protocol::{Result, failed};
use std::io::Write;
use time::{Date, PrimitiveDateTime};

/// One value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Null,
    Int(i64),
    Uint(u64),
    Float(f64),
    Text(String),
    Bytes(Vec<u8>),
    Date(Date),
    DateTime(PrimitiveDateTime),
}

/// The rows of the operation that runs or ran last, and how many there were in all.
#[derive(Default)]
pub struct Fetched {
    /// Whether rows are wanted at all: they are with the kind Query.
    pub wanted: bool,
    pub rows: Vec<Vec<Cell>>,
    pub total: u64,
}

/// How many values of a row the checksum is made of.
const CHECKED: usize = 4;

impl Fetched {
    /// CRC-32 of the text of the last operation's rows, as the protocol defines that text.
    pub fn checksum(&self) -> Result<u32> {
        let mut hasher = crc32fast::Hasher::new();
        let mut line = Vec::new();
        for row in &self.rows {
            line.clear();
            for (place, cell) in row.iter().take(CHECKED).enumerate() {
                if place > 0 {
                    line.push(b'\t');
                }
                write_cell(&mut line, cell, place)?;
            }
            line.push(b'\n');
            hasher.update(&line);
        }
        Ok(hasher.finalize())
    }
}

fn write_cell(line: &mut Vec<u8>, cell: &Cell, place: usize) -> Result<()> {
    let written = match cell {
        Cell::Null => line.write_all(b"\\N"),
        Cell::Int(int) => write!(line, "{int}"),
        Cell::Uint(int) => write!(line, "{int}"),
        Cell::Text(text) => line.write_all(text.as_bytes()),
        other => {
            return failed(format!(
                "value {} of a row is {other:?}: the checksum knows integers, texts and null in the first {CHECKED}",
                place + 1
            ));
        }
    };
    written.expect("writing into memory does not fail");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fetched(rows: Vec<Vec<Cell>>) -> Fetched {
        Fetched { wanted: true, rows, total: 0 }
    }

    #[test]
    fn the_checksum_is_that_of_the_first_four_values_as_text() {
        let row = vec![Cell::Int(-1), Cell::Text("User_é".into()), Cell::Null, Cell::Uint(u64::MAX), Cell::Float(1.5)];
        let want = crc32fast::hash("-1\tUser_é\t\\N\t18446744073709551615\n1\n".as_bytes());
        assert_eq!(fetched(vec![row, vec![Cell::Int(1)]]).checksum(), Ok(want));
    }

    #[test]
    fn no_rows_have_the_checksum_0() {
        assert_eq!(fetched(vec![]).checksum(), Ok(0));
    }

    #[test]
    fn a_float_among_the_first_four_is_refused() {
        assert!(fetched(vec![vec![Cell::Float(1.5)]]).checksum().is_err());
    }
}

//! The texts that the schemes make of the agent's statement, which has a `?` for each parameter and no other.

use crate::protocol::Result;
use serde::Deserialize;
use std::fmt::Write;

/// A statement cut at its parameters: one part more than there are parameters.
#[derive(Debug, PartialEq)]
pub struct Statement {
    pub text: String,
    pub parts: Vec<String>,
}

/// What is repeated for each row of a chunk, and what stands around it.
#[derive(Clone, Debug, Deserialize)]
pub struct Repeated {
    head: String,
    group: String,
    separator: String,
    tail: String,
}

impl Statement {
    pub fn new(text: &str) -> Self {
        Self { text: text.into(), parts: text.split('?').map(String::from).collect() }
    }

    pub fn parameters(&self) -> usize {
        self.parts.len() - 1
    }

    /// Writes the text with an integer instead of the first parameter.
    pub fn inline(&self, first: i64, text: &mut String) {
        text.clear();
        text.push_str(&self.parts[0]);
        write!(text, "{first}").expect("writing into memory does not fail");
        text.push_str(&self.text[self.parts[0].len() + 1..]);
    }
}

impl Repeated {
    /// The group cut at its parameters.
    pub fn parts(&self) -> Vec<String> {
        self.group.split('?').map(String::from).collect()
    }

    /// Writes the text for so many rows, each by a function of its number.
    pub fn write_each(
        &self,
        rows: usize,
        text: &mut String,
        mut group: impl FnMut(usize, &mut String) -> Result<()>,
    ) -> Result<()> {
        text.clear();
        text.push_str(&self.head);
        for row in 0..rows {
            if row > 0 {
                text.push_str(&self.separator);
            }
            group(row, text)?;
        }
        text.push_str(&self.tail);
        Ok(())
    }

    /// Writes the text for so many rows, with question marks.
    pub fn write(&self, rows: usize, text: &mut String) {
        let group = |_, text: &mut String| {
            text.push_str(&self.group);
            Ok(())
        };
        self.write_each(rows, text, group).expect("a group without values is always written");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_parameter_goes_into_the_text() {
        let mut text = String::new();
        Statement::new("UPDATE t SET age = ? WHERE id = ?").inline(-7, &mut text);
        assert_eq!(text, "UPDATE t SET age = -7 WHERE id = ?");
        Statement::new("SELECT ?").inline(8, &mut text);
        assert_eq!(text, "SELECT 8");
    }

    #[test]
    fn the_group_stands_there_for_each_row() {
        let mut text = String::new();
        let pieces = r#"{"head": "INSERT INTO t VALUES ", "group": "(?, ?)", "separator": ", ", "tail": "!"}"#;
        let repeated: Repeated = serde_json::from_str(pieces).unwrap();
        repeated.write(2, &mut text);
        assert_eq!(text, "INSERT INTO t VALUES (?, ?), (?, ?)!");
        assert_eq!(repeated.parts(), ["(", ", ", ")"]);
    }
}

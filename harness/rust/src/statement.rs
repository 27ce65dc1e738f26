//! The texts that the schemes make of the agent's statement, which has a `?` for each parameter and no other.

use crate::protocol::{Result, unsupported};
use std::fmt::Write;

/// A statement cut at its parameters: one part more than there are parameters.
#[derive(Debug, PartialEq)]
pub struct Statement {
    pub text: String,
    pub parts: Vec<String>,
}

/// A statement cut around what is repeated for each row of a chunk.
#[derive(Debug, PartialEq)]
pub struct Repeated {
    head: String,
    item: String,
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

    /// Finds the tuple of `INSERT ... VALUES (?, ...)`, which MultiRow repeats.
    pub fn tuple(&self) -> Result<Repeated> {
        let refusal = || unsupported("MultiRow needs a statement with all its parameters in VALUES (?, ...)");
        let Some(parameter) = self.text.find('?') else { return refusal() };
        let before = self.text[..parameter].to_ascii_uppercase();
        let Some(values) = before.rfind("VALUES") else { return refusal() };
        let Some(open) = self.text[values..].find('(').map(|at| values + at) else { return refusal() };
        let between = self.text[values + "VALUES".len()..open].trim();
        let Some(close) = closing(&self.text, open) else { return refusal() };
        if !between.is_empty() || self.text[close..].contains('?') {
            return refusal();
        }
        Ok(self.cut(open, close + 1))
    }

    /// Finds the parameter of `... IN (?)`, which InList repeats.
    pub fn list(&self) -> Result<Repeated> {
        let trimmed = self.text.trim_end();
        let head = trimmed.strip_suffix("(?)").map(|head| head.trim_end().to_ascii_uppercase());
        if self.parameters() != 1 || !head.is_some_and(|head| head.ends_with(" IN")) {
            return unsupported("InList needs a statement that ends in IN (?) and has no other parameter");
        }
        Ok(self.cut(trimmed.len() - 2, trimmed.len() - 1))
    }

    fn cut(&self, from: usize, to: usize) -> Repeated {
        let text = &self.text;
        Repeated { head: text[..from].into(), item: text[from..to].into(), tail: text[to..].into() }
    }
}

impl Repeated {
    /// Writes the text for so many rows.
    pub fn write(&self, rows: usize, text: &mut String) {
        text.clear();
        text.push_str(&self.head);
        for row in 0..rows {
            if row > 0 {
                text.push_str(", ");
            }
            text.push_str(&self.item);
        }
        text.push_str(&self.tail);
    }
}

/// The place of the parenthesis that closes the one at `open`.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0;
    for (place, character) in text.char_indices().skip_while(|(place, _)| *place < open) {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => continue,
        }
        if depth == 0 {
            return Some(place);
        }
    }
    None
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
    fn multi_row_repeats_the_tuple() {
        let cases = [
            ("INSERT INTO t (a, b) VALUES (?, ?)", "INSERT INTO t (a, b) VALUES (?, ?), (?, ?)"),
            ("insert into t values(?,NOW(),?)", "insert into t values(?,NOW(),?), (?,NOW(),?)"),
            (
                "INSERT INTO t VALUES (LOWER(?)) ON DUPLICATE KEY UPDATE a = VALUES(a)",
                "INSERT INTO t VALUES (LOWER(?)), (LOWER(?)) ON DUPLICATE KEY UPDATE a = VALUES(a)",
            ),
        ];
        for (statement, want) in cases {
            let mut text = String::new();
            Statement::new(statement).tuple().unwrap().write(2, &mut text);
            assert_eq!(text, want);
        }
    }

    #[test]
    fn in_list_repeats_the_parameter() {
        let mut text = String::new();
        let list = Statement::new("DELETE FROM t WHERE id IN (?)").list().unwrap();
        list.write(3, &mut text);
        assert_eq!(text, "DELETE FROM t WHERE id IN (?, ?, ?)");
        list.write(1, &mut text);
        assert_eq!(text, "DELETE FROM t WHERE id IN (?)");
    }

    #[test]
    fn statements_of_another_shape_are_refused() {
        for statement in ["UPDATE t SET a = ? WHERE b = ?", "INSERT INTO t VALUES (?) RETURNING ?", "SELECT 1"] {
            assert!(Statement::new(statement).tuple().is_err(), "{statement}");
            assert!(Statement::new(statement).list().is_err(), "{statement}");
        }
        assert!(Statement::new("SELECT ? FROM t WHERE id IN (?)").list().is_err());
    }
}

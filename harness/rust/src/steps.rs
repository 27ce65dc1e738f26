//! What one operation does with its rows, by every scheme. Everything that is not timed is made in `new`.

use crate::drivers::Client;
use crate::protocol::{Kind, Result, RunRequest, Scheme, Value};
use crate::rows::Fetched;
use crate::statement::{Repeated, Statement};
use std::ops::Range;
use std::slice::from_ref;

pub struct Steps<C: Client> {
    scheme: Scheme,
    statement: Statement,
    /// What stands in a text once for each row, and its parts.
    repeated: Repeated,
    parts: Vec<String>,
    /// The first parameters, if they are written into the text.
    inline: Option<Vec<i64>>,
    rows: Rows<C::Row>,
    chunk: usize,
    commit: bool,
    /// The statement of a dedicated connection, prepared before the first operation.
    prepared: Option<C::Statement>,
    /// The text under construction.
    text: String,
    pub fetched: Fetched,
}

/// The rows of parameters and where the next operation begins. The rows of an operation stand side by side.
struct Rows<R> {
    rows: Vec<R>,
    next: usize,
    take: usize,
}

impl<C: Client> Steps<C> {
    /// Makes ready what `run` asks for. Without data there is one row without parameters.
    pub fn new(run: &RunRequest, data: Option<&[Vec<Value>]>) -> Self {
        let empty = [Vec::new()];
        let values = data.unwrap_or(&empty);
        let inline = run.inline.then(|| values.iter().map(|row| integer(&row[0])).collect());
        let rows = values.iter().map(|row| C::shape(&row[usize::from(run.inline)..])).collect();
        Self {
            scheme: run.scheme,
            statement: Statement::new(&run.statement),
            repeated: run.repeated.clone(),
            parts: run.repeated.parts(),
            inline,
            rows: Rows { rows, next: 0, take: run.rows_per_operation },
            chunk: run.chunk,
            commit: run.commit,
            prepared: None,
            text: String::new(),
            fetched: Fetched { wanted: run.kind == Kind::Query, ..Fetched::default() },
        }
    }

    pub fn commits(&self) -> bool {
        self.commit
    }

    /// Prepares the statement of a dedicated connection; `finish` closes it.
    pub async fn begin(&mut self, client: &mut C) -> Result<()> {
        if self.scheme == Scheme::Prepared {
            self.prepared = Some(client.prepare(&self.statement.text).await?);
        }
        Ok(())
    }

    /// Closes that statement, and those that the driver prepared by itself.
    pub async fn finish(&mut self, client: &mut C) -> Result<()> {
        match self.prepared.take() {
            Some(statement) => client.discard(statement).await,
            None => client.forget(&self.kept_texts()).await,
        }
    }

    /// The texts for which a driver may keep statements. With inline there are too many; the driver drops old ones.
    fn kept_texts(&self) -> Vec<String> {
        if self.statement.parameters() == 0 || self.inline.is_some() {
            return Vec::new();
        }
        let mut texts = Vec::new();
        match self.scheme {
            Scheme::SingleRow | Scheme::Batch => texts.push(self.statement.text.clone()),
            Scheme::MultiRow | Scheme::InList => {
                let mut rows = vec![self.rows.take.min(self.chunk), self.rows.take % self.chunk];
                rows.dedup();
                for rows in rows.into_iter().filter(|rows| *rows > 0) {
                    let mut text = String::new();
                    self.repeated.write(rows, &mut text);
                    texts.push(text);
                }
            }
            _ => {}
        }
        texts
    }

    /// One operation.
    pub async fn operation(&mut self, client: &mut C) -> Result<()> {
        self.fetched.rows.clear();
        let window = self.rows.window();
        match self.scheme {
            Scheme::SingleRow | Scheme::Pipelined => self.single(client, window).await?,
            Scheme::Prepared => self.prepared(client, window).await?,
            Scheme::MultiRow | Scheme::InList => self.repeated(client, window).await?,
            Scheme::MultiStatement => self.joined(client, window).await?,
            Scheme::Batch | Scheme::ExecuteMany => client.batch(&self.statement.text, &self.rows.rows[window]).await?,
        }
        if self.commit {
            client.text("COMMIT", &mut self.fetched).await?;
        }
        self.fetched.total += self.fetched.rows.len() as u64;
        Ok(())
    }

    /// What the driver does before it sends anything, for the next row.
    pub fn encode(&mut self) -> Result<()> {
        let place = self.rows.window().start;
        C::encode(&self.statement.text, &self.rows.rows[place])
    }

    async fn single(&mut self, client: &mut C, window: Range<usize>) -> Result<()> {
        for place in window {
            let text = match &self.inline {
                None => &self.statement.text,
                Some(firsts) => {
                    self.statement.inline(firsts[place], &mut self.text);
                    &self.text
                }
            };
            if self.statement.parameters() == usize::from(self.inline.is_some()) {
                client.text(text, &mut self.fetched).await?;
            } else {
                client.call(text, from_ref(&self.rows.rows[place]), &mut self.fetched).await?;
            }
        }
        Ok(())
    }

    async fn prepared(&mut self, client: &mut C, window: Range<usize>) -> Result<()> {
        let own; // a connection of this operation only needs a statement of this operation
        let statement = match &self.prepared {
            Some(statement) => statement,
            None => {
                own = client.prepare(&self.statement.text).await?;
                &own
            }
        };
        for row in &self.rows.rows[window] {
            client.execute(statement, row, &mut self.fetched).await?;
        }
        Ok(())
    }

    async fn repeated(&mut self, client: &mut C, window: Range<usize>) -> Result<()> {
        for rows in self.rows.rows[window].chunks(self.chunk) {
            self.repeated.write(rows.len(), &mut self.text);
            client.call(&self.text, rows, &mut self.fetched).await?;
        }
        Ok(())
    }

    async fn joined(&mut self, client: &mut C, window: Range<usize>) -> Result<()> {
        for rows in self.rows.rows[window].chunks(self.chunk) {
            self.repeated.write_each(rows.len(), &mut self.text, |row, text| {
                for (parameter, part) in self.parts.iter().enumerate() {
                    if parameter > 0 {
                        C::literal(&rows[row], parameter - 1, text)?;
                    }
                    text.push_str(part);
                }
                Ok(())
            })?;
            client.text(&self.text, &mut self.fetched).await?;
        }
        Ok(())
    }
}

impl<R> Rows<R> {
    fn window(&mut self) -> Range<usize> {
        let window = self.next..self.next + self.take;
        self.next = window.end % self.rows.len();
        window
    }
}

fn integer(value: &Value) -> i64 {
    match value {
        Value::Int(int) => *int,
        other => panic!("inline writes an integer into the text, and the first parameter is {other:?}"),
    }
}

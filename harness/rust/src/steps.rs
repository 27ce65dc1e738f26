//! What one operation does with its rows, by every scheme. Everything that is not timed is made in `new`.

use crate::drivers::Client;
use crate::protocol::{Kind, Result, RunRequest, Scheme, Transaction, Value, failed, mixed, unsupported};
use crate::rows::Fetched;
use crate::statement::{Repeated, Statement};
use std::ops::Range;
use std::slice::from_ref;

pub struct Steps<C: Client> {
    scheme: Scheme,
    statement: Statement,
    /// What MultiRow and InList repeat.
    repeated: Option<Repeated>,
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

/// The rows of parameters and where the next operation begins. The rows of an operation always stand side by side:
/// behind the last row, the first ones stand again.
struct Rows<R> {
    rows: Vec<R>,
    cycle: usize,
    next: usize,
    take: usize,
}

impl<C: Client> Steps<C> {
    /// Makes ready what `run` asks for. Without data there is one row without parameters.
    pub fn new(run: &RunRequest, scheme: Scheme, data: Option<&[Vec<Value>]>) -> Result<Self> {
        let statement = Statement::new(&run.statement);
        let empty = [Vec::new()];
        let values = data.unwrap_or(&empty);
        let one = data.is_none() || run.kind == Kind::Encode;
        let take = if one { 1 } else { run.rows_per_operation };
        check(run, scheme, &statement, values)?;
        if values.is_empty() || take == 0 {
            return failed("an operation needs at least one row: the data has none, or rowsPerOperation is 0");
        }
        let skip = usize::from(run.inline);
        let length = windows(values.len(), take);
        let ring = || values.iter().cycle().take(length);
        let inline = run.inline.then(|| ring().map(|row| integer(&row[0])).collect::<Result<_>>()).transpose()?;
        let repeated = match scheme {
            Scheme::MultiRow => Some(statement.tuple()?),
            Scheme::InList => Some(statement.list()?),
            _ => None,
        };
        let rows = ring().map(|row| C::shape(&row[skip..])).collect();
        Ok(Self {
            scheme,
            statement,
            repeated,
            inline,
            rows: Rows { rows, cycle: values.len(), next: 0, take },
            chunk: run.chunk,
            commit: run.transaction == Transaction::One,
            prepared: None,
            text: String::new(),
            fetched: Fetched { wanted: run.kind == Kind::Query, ..Fetched::default() },
        })
    }

    pub fn commits(&self) -> bool {
        self.commit
    }

    /// Prepares the statement of a dedicated connection; `finish` closes it.
    pub async fn begin(&mut self, client: &mut C) -> Result<()> {
        if self.scheme == Scheme::Prepared && self.inline.is_none() {
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
        match (self.scheme, &self.repeated) {
            (Scheme::SingleRow | Scheme::Batch, _) => texts.push(self.statement.text.clone()),
            (Scheme::MultiRow | Scheme::InList, Some(repeated)) => {
                let mut rows = vec![self.rows.take.min(self.chunk), self.rows.take % self.chunk];
                rows.dedup();
                for rows in rows.into_iter().filter(|rows| *rows > 0) {
                    let mut text = String::new();
                    repeated.write(rows, &mut text);
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
        if let Some(firsts) = &self.inline {
            for place in window {
                self.statement.inline(firsts[place], &mut self.text);
                let statement = client.prepare(&self.text).await?;
                client.execute(&statement, &self.rows.rows[place], &mut self.fetched).await?;
                client.discard(statement).await?;
            }
            return Ok(());
        }
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
        let repeated = self.repeated.as_ref().expect("new made it for these schemes");
        for rows in self.rows.rows[window].chunks(self.chunk) {
            repeated.write(rows.len(), &mut self.text);
            client.call(&self.text, rows, &mut self.fetched).await?;
        }
        Ok(())
    }

    async fn joined(&mut self, client: &mut C, window: Range<usize>) -> Result<()> {
        for rows in self.rows.rows[window].chunks(self.chunk) {
            self.text.clear();
            for (place, row) in rows.iter().enumerate() {
                if place > 0 {
                    self.text.push(';');
                }
                for (parameter, part) in self.statement.parts.iter().enumerate() {
                    if parameter > 0 {
                        C::literal(row, parameter - 1, &mut self.text)?;
                    }
                    self.text.push_str(part);
                }
            }
            client.text(&self.text, &mut self.fetched).await?;
        }
        Ok(())
    }
}

impl<R> Rows<R> {
    fn window(&mut self) -> Range<usize> {
        let window = self.next..self.next + self.take;
        self.next = window.end % self.cycle;
        window
    }
}

/// How many rows must stand side by side, so that every operation finds its own without a gap.
fn windows(rows: usize, take: usize) -> usize {
    if rows.is_multiple_of(take) { rows } else { rows + take - 1 }
}

fn integer(value: &Value) -> Result<i64> {
    match value {
        Value::Int(int) => Ok(*int),
        other => failed(format!("inline writes an integer into the text, and the first parameter is {other:?}")),
    }
}

/// Refuses a run whose fields contradict each other.
fn check(run: &RunRequest, scheme: Scheme, statement: &Statement, values: &[Vec<Value>]) -> Result<()> {
    let wanted = statement.parameters();
    if let Some(row) = values.iter().find(|row| row.len() != wanted) {
        return failed(format!("the statement has {wanted} parameters, and a row of the data has {}", row.len()));
    }
    if matches!(scheme, Scheme::MultiRow | Scheme::MultiStatement | Scheme::InList) && run.chunk == 0 {
        return failed(format!("{scheme:?} needs a chunk of at least 1"));
    }
    if run.inline && !matches!(scheme, Scheme::SingleRow | Scheme::Prepared) {
        return unsupported(format!("inline is done for SingleRow and Prepared only, not for {scheme:?}"));
    }
    if run.inline && wanted == 0 {
        return failed("inline needs a statement with a parameter");
    }
    let many = matches!(scheme, Scheme::Batch | Scheme::ExecuteMany);
    if many && (run.kind == Kind::Query || run.data.is_none()) {
        return unsupported(format!(
            "{scheme:?} takes rows of parameters and hands no rows over: it is for Execute with data"
        ));
    }
    if many && mixed(values) {
        return unsupported(format!("{scheme:?} takes columns of one type, and one of the data has texts and numbers"));
    }
    Ok(())
}

//! What one operation does with its rows, by every scheme. Everything that is not timed is made in `Plan::new`.

use crate::drivers::Client;
use crate::protocol::{Kind, Result, RunRequest, Scheme, Value};
use crate::rows::Fetched;
use crate::statement::{Repeated, Statement};
use std::ops::Range;
use std::slice::from_ref;
use std::sync::Arc;

/// What all workers of a run have in common; it never changes.
pub struct Plan<R> {
    scheme: Scheme,
    statement: Statement,
    /// What stands in a text once for each row, and its parts.
    repeated: Repeated,
    parts: Vec<String>,
    /// The first parameters, if they are written into the text.
    inline: Option<Vec<i64>>,
    rows: Vec<R>,
    /// How many rows an operation takes.
    take: usize,
    chunk: usize,
    commit: bool,
    wanted: bool,
}

/// What a worker has of its own.
pub struct Steps<C: Client> {
    plan: Arc<Plan<C::Row>>,
    /// The statement of a dedicated connection, prepared before the first operation.
    prepared: Option<C::Statement>,
    /// The text under construction.
    text: String,
    pub fetched: Fetched,
}

impl<R> Plan<R> {
    /// Makes ready what `run` asks for. Without data there is one row without parameters.
    pub fn new<C: Client<Row = R>>(run: &RunRequest, data: Option<&[Vec<Value>]>) -> Self {
        let empty = [Vec::new()];
        let values = data.unwrap_or(&empty);
        Self {
            scheme: run.scheme,
            statement: Statement::new(&run.statement),
            repeated: run.repeated.clone(),
            parts: run.repeated.parts(),
            inline: run.inline.then(|| values.iter().map(|row| integer(&row[0])).collect()),
            rows: values.iter().map(|row| C::shape(&row[usize::from(run.inline)..])).collect(),
            take: run.rows_per_operation,
            chunk: run.chunk,
            commit: run.commit,
            wanted: run.kind == Kind::Query,
        }
    }

    pub fn commits(&self) -> bool {
        self.commit
    }

    /// Where the rows of an operation stand, side by side.
    fn window(&self, number: u64) -> Range<usize> {
        let begin = (number * self.take as u64 % self.rows.len() as u64) as usize;
        begin..begin + self.take
    }
}

impl<C: Client> Steps<C> {
    pub fn new(plan: &Arc<Plan<C::Row>>) -> Self {
        Self {
            plan: Arc::clone(plan),
            prepared: None,
            text: String::new(),
            fetched: Fetched { wanted: plan.wanted, ..Fetched::default() },
        }
    }

    /// Makes a dedicated connection ready: autocommit off, and the statement prepared; `end` puts it back.
    pub async fn begin(&mut self, client: &mut C) -> Result<()> {
        if self.plan.commit {
            order(client, "SET autocommit = 0").await?;
        }
        if self.plan.scheme == Scheme::Prepared {
            self.prepared = Some(client.prepare(&self.plan.statement.text).await?);
        }
        Ok(())
    }

    /// Leaves the connection as it was: no transaction of a run that failed, autocommit on, that statement closed, and
    /// those that the driver prepared by itself.
    pub async fn end(&mut self, client: &mut C, failed: bool) -> Result<()> {
        if failed {
            order(client, "ROLLBACK").await?;
        }
        if self.plan.commit {
            order(client, "SET autocommit = 1").await?;
        }
        match self.prepared.take() {
            Some(statement) => client.discard(statement).await,
            None => client.forget(&self.kept_texts()).await,
        }
    }

    /// The texts for which a driver may keep statements. With inline there are too many; the driver drops old ones.
    fn kept_texts(&self) -> Vec<String> {
        let plan = &self.plan;
        if plan.statement.parameters() == 0 || plan.inline.is_some() {
            return Vec::new();
        }
        let mut texts = Vec::new();
        match plan.scheme {
            Scheme::SingleRow | Scheme::Batch => texts.push(plan.statement.text.clone()),
            Scheme::MultiRow | Scheme::InList => {
                let mut rows = vec![plan.take.min(plan.chunk), plan.take % plan.chunk];
                rows.dedup();
                for rows in rows.into_iter().filter(|rows| *rows > 0) {
                    let mut text = String::new();
                    plan.repeated.write(rows, &mut text);
                    texts.push(text);
                }
            }
            _ => {}
        }
        texts
    }

    /// The operation of a number.
    pub async fn operation(&mut self, client: &mut C, number: u64) -> Result<()> {
        self.fetched.rows.clear();
        let window = self.plan.window(number);
        match self.plan.scheme {
            Scheme::SingleRow | Scheme::Pipelined => self.single(client, window).await?,
            Scheme::Prepared => self.prepared(client, window).await?,
            Scheme::MultiRow | Scheme::InList => self.repeated(client, window).await?,
            Scheme::MultiStatement => self.joined(client, window).await?,
            Scheme::Batch | Scheme::ExecuteMany => {
                client.batch(&self.plan.statement.text, &self.plan.rows[window]).await?;
            }
        }
        if self.plan.commit {
            client.text("COMMIT", &mut self.fetched).await?;
        }
        self.fetched.total += self.fetched.rows.len() as u64;
        Ok(())
    }

    /// The operation on a connection that was made for it: what must be switched is switched inside.
    pub async fn anew(&mut self, client: &mut C, number: u64) -> Result<()> {
        if self.plan.commit {
            order(client, "SET autocommit = 0").await?;
        }
        self.operation(client, number).await
    }

    /// What the driver does before it sends anything, for the row of an operation.
    pub fn encode(&self, number: u64) -> Result<()> {
        let place = self.plan.window(number).start;
        C::encode(&self.plan.statement.text, &self.plan.rows[place])
    }

    async fn single(&mut self, client: &mut C, window: Range<usize>) -> Result<()> {
        let Self { plan, text: written, fetched, .. } = self;
        for place in window {
            let text = match &plan.inline {
                None => &plan.statement.text,
                Some(firsts) => {
                    plan.statement.inline(firsts[place], written);
                    &*written
                }
            };
            if plan.statement.parameters() == usize::from(plan.inline.is_some()) {
                client.text(text, fetched).await?;
            } else {
                client.call(text, from_ref(&plan.rows[place]), fetched).await?;
            }
        }
        Ok(())
    }

    async fn prepared(&mut self, client: &mut C, window: Range<usize>) -> Result<()> {
        let own; // a connection of this operation only needs a statement of this operation
        let statement = match &self.prepared {
            Some(statement) => statement,
            None => {
                own = client.prepare(&self.plan.statement.text).await?;
                &own
            }
        };
        for row in &self.plan.rows[window] {
            client.execute(statement, row, &mut self.fetched).await?;
        }
        Ok(())
    }

    async fn repeated(&mut self, client: &mut C, window: Range<usize>) -> Result<()> {
        for rows in self.plan.rows[window].chunks(self.plan.chunk) {
            self.plan.repeated.write(rows.len(), &mut self.text);
            client.call(&self.text, rows, &mut self.fetched).await?;
        }
        Ok(())
    }

    async fn joined(&mut self, client: &mut C, window: Range<usize>) -> Result<()> {
        let Self { plan, text, fetched, .. } = self;
        for rows in plan.rows[window].chunks(plan.chunk) {
            plan.repeated.write_each(rows.len(), text, |row, text| {
                for (parameter, part) in plan.parts.iter().enumerate() {
                    if parameter > 0 {
                        C::literal(&rows[row], parameter - 1, text)?;
                    }
                    text.push_str(part);
                }
                Ok(())
            })?;
            client.text(text, fetched).await?;
        }
        Ok(())
    }
}

/// Sends a text whose answer has no rows.
pub async fn order<C: Client>(client: &mut C, text: &str) -> Result<()> {
    client.text(text, &mut Fetched::default()).await
}

fn integer(value: &Value) -> i64 {
    match value {
        Value::Int(int) => *int,
        other => panic!("inline writes an integer into the text, and the first parameter is {other:?}"),
    }
}

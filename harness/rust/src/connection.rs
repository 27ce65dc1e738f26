//! A connection that `prepare` opened, and the runs on it, the same for every driver.

use crate::drivers::{Client, Driver, Target};
use crate::histogram::Histogram;
use crate::measure::{Limit, Timing, measure};
use crate::protocol::{Kind, PrepareRequest, Result, RunRequest, Session, Value, unsupported};
use crate::rows::{Cell, Fetched};
use crate::steps::Steps;
use serde_json::{Map, Value as Json, json};
use std::marker::PhantomData;
use tokio::runtime::Runtime;

/// A driver in the list of drivers.
pub trait Entry {
    fn name(&self) -> &'static str;
    fn version(&self) -> &'static str;
    /// The driver as the answer to hello has it.
    fn describe(&self) -> Json;
    fn open(&self, runtime: &Runtime, request: &PrepareRequest) -> Result<(Box<dyn Opened>, String)>;
}

/// A connection of some driver.
pub trait Opened {
    /// Runs, and answers with the fields of a run's answer without its histogram.
    fn run(&mut self, work: &mut Work) -> Result<Json>;
    fn close(&mut self, runtime: &Runtime) -> Result<()>;
}

/// What a run needs.
pub struct Work<'a> {
    pub runtime: &'a Runtime,
    pub histogram: &'a mut Histogram,
    pub run: &'a RunRequest,
    pub data: Option<&'a [Vec<Value>]>,
}

pub fn entry<D: Driver>() -> Box<dyn Entry> {
    Box::new(Listed::<D>(PhantomData))
}

struct Listed<D>(PhantomData<D>);

impl<D: Driver> Entry for Listed<D> {
    fn name(&self) -> &'static str {
        D::NAME
    }

    fn version(&self) -> &'static str {
        D::version()
    }

    fn describe(&self) -> Json {
        let mut can: Map<String, Json> =
            D::SCHEMES.iter().map(|(scheme, how)| (format!("{scheme:?}"), json!(how))).collect();
        can.insert("Pool".into(), json!("its own pool, of one connection"));
        let mut cannot = Map::new();
        match D::NO_ENCODE {
            None => can.insert("Encode".into(), json!("what it does with parameters before anything is sent")),
            Some(reason) => cannot.insert("Encode".into(), json!(reason)),
        };
        json!({"name": D::NAME, "versions": [D::version()], "can": can, "cannot": cannot})
    }

    /// Connects, and asks the server for the cipher.
    fn open(&self, runtime: &Runtime, request: &PrepareRequest) -> Result<(Box<dyn Opened>, String)> {
        let driver = D::new(Target::of(request))?;
        runtime.block_on(async {
            let mut client = driver.connect().await?;
            let mut status = Fetched { wanted: true, ..Fetched::default() };
            client.text("SHOW SESSION STATUS LIKE 'Ssl_cipher'", &mut status).await?;
            let cipher = match status.rows.first().and_then(|row| row.get(1)) {
                Some(Cell::Text(cipher)) => cipher.clone(),
                _ => String::new(),
            };
            let opened: Box<dyn Opened> = Box::new(Connection { driver, client: Some(client) });
            Ok((opened, cipher))
        })
    }
}

struct Connection<D: Driver> {
    driver: D,
    /// None after the connection broke; the next run makes it again.
    client: Option<D::Client>,
}

impl<D: Driver> Opened for Connection<D> {
    fn run(&mut self, work: &mut Work) -> Result<Json> {
        let limit = Limit::of(work.run);
        let mut steps = self.steps(work)?;
        let (run, histogram) = (work.run, &mut *work.histogram);
        let timing = work.runtime.block_on(async {
            match (run.kind, run.session) {
                (Kind::Connect, _) => self.connects(histogram, &limit).await,
                (Kind::Encode, _) => measure(histogram, &limit, async || steps.encode()).await,
                (_, Session::Dedicated) => self.dedicated(&mut steps, histogram, &limit).await,
                (_, Session::Pool) => self.pooled(&mut steps, histogram, &limit).await,
                (_, Session::New) => self.anew(&mut steps, histogram, &limit).await,
            }
        })?;
        let mut answer = json!({
            "operations": timing.operations,
            "nanoseconds": timing.nanoseconds,
            "rows": steps.fetched.total,
            "checksum": steps.fetched.checksum()?,
        });
        if let Some(nanoseconds) = timing.cpu_nanoseconds {
            answer["cpuNanoseconds"] = json!(nanoseconds);
        }
        Ok(answer)
    }

    fn close(&mut self, runtime: &Runtime) -> Result<()> {
        match self.client.take() {
            Some(client) => runtime.block_on(D::disconnect(client)),
            None => Ok(()),
        }
    }
}

impl<D: Driver> Connection<D> {
    fn steps(&self, work: &Work) -> Result<Steps<D::Client>> {
        match self.driver.refuses(work.run.scheme) {
            Some(reason) => unsupported(reason),
            None => Ok(Steps::new(work.run, work.data)),
        }
    }

    async fn connects(&self, histogram: &mut Histogram, limit: &Limit) -> Result<Timing> {
        let operation = async || D::disconnect(self.driver.connect().await?).await;
        measure(histogram, limit, operation).await
    }

    /// A connection that does not answer afterwards is dropped, so that the next run makes another one.
    async fn dedicated(
        &mut self,
        steps: &mut Steps<D::Client>,
        histogram: &mut Histogram,
        limit: &Limit,
    ) -> Result<Timing> {
        let mut client = match self.client.take() {
            Some(client) => client,
            None => self.driver.connect().await?,
        };
        let timing = on_one(&mut client, steps, histogram, limit).await;
        let mut restored = restore(&mut client, steps, timing.is_err()).await;
        if restored.is_ok() {
            restored = steps.finish(&mut client).await;
        }
        if restored.is_ok() {
            self.client = Some(client);
        }
        let timing = timing?;
        restored.map(|()| timing)
    }

    /// The pool lives as long as the run. Its connection is made, and switched, before the first operation.
    async fn pooled(&self, steps: &mut Steps<D::Client>, histogram: &mut Histogram, limit: &Limit) -> Result<Timing> {
        let pool = self.driver.pool(steps.commits()).await?;
        let mut client = D::acquire(&pool).await?;
        if steps.commits() {
            switch(&mut client, "SET autocommit = 0").await?;
        }
        D::release(client).await;
        let operation = async || {
            let mut client = D::acquire(&pool).await?;
            steps.operation(&mut client).await?;
            D::release(client).await;
            Ok(())
        };
        let timing = measure(histogram, limit, operation).await;
        let closed = D::close(pool).await;
        let timing = timing?;
        closed.map(|()| timing)
    }

    /// A connection for each operation: what must be switched is switched inside it.
    async fn anew(&self, steps: &mut Steps<D::Client>, histogram: &mut Histogram, limit: &Limit) -> Result<Timing> {
        let operation = async || {
            let mut client = self.driver.connect().await?;
            if steps.commits() {
                switch(&mut client, "SET autocommit = 0").await?;
            }
            steps.operation(&mut client).await?;
            D::disconnect(client).await
        };
        measure(histogram, limit, operation).await
    }
}

async fn on_one<C: Client>(
    client: &mut C,
    steps: &mut Steps<C>,
    histogram: &mut Histogram,
    limit: &Limit,
) -> Result<Timing> {
    if steps.commits() {
        switch(client, "SET autocommit = 0").await?;
    }
    steps.begin(client).await?;
    measure(histogram, limit, async || steps.operation(client).await).await
}

/// Leaves the connection as `prepare` made it: no transaction of a run that failed, and autocommit on.
async fn restore<C: Client>(client: &mut C, steps: &Steps<C>, failed: bool) -> Result<()> {
    if failed {
        switch(client, "ROLLBACK").await?;
    }
    if steps.commits() {
        switch(client, "SET autocommit = 1").await?;
    }
    Ok(())
}

async fn switch<C: Client>(client: &mut C, text: &str) -> Result<()> {
    client.text(text, &mut Fetched::default()).await
}

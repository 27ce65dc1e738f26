//! One worker of a run: it makes its connection ready, repeats the operation, and leaves the connection as it was.

use crate::crew::Crew;
use crate::drivers::{Client, Driver};
use crate::measure::Seat;
use crate::protocol::Result;
use crate::rows::Fetched;
use crate::steps::{Plan, Steps, order};
use std::panic::resume_unwind;
use std::sync::Arc;

/// What all workers of a run have in common.
pub struct Job<D: Driver> {
    pub driver: Arc<D>,
    pub plan: Arc<Plan<<D::Client as Client>::Row>>,
    pub crew: Arc<Crew>,
    pub way: Way<D::Pool>,
}

/// On what an operation is done.
pub enum Way<P> {
    /// The worker's own connection.
    Own,
    /// One of the driver's pool.
    Pool(P),
    /// A connection of each operation.
    New,
    /// It is the connection itself that is measured.
    Connect,
    /// None at all.
    Encode,
}

pub struct Worker<D: Driver> {
    job: Arc<Job<D>>,
    steps: Steps<D::Client>,
    client: Option<D::Client>,
}

/// What is left of a worker that has ended.
pub struct Left<C> {
    /// None where there is none that the next run could take.
    pub client: Option<C>,
    /// The number of the worker's last operation, and its rows.
    pub number: u64,
    pub fetched: Fetched,
}

impl<D: Driver> Worker<D> {
    pub fn new(job: &Arc<Job<D>>, client: Option<D::Client>) -> Self {
        Self { job: Arc::clone(job), steps: Steps::new(&job.plan), client }
    }

    pub async fn work(mut self, mut seat: Seat) -> Left<D::Client> {
        let repeated = self.repeat(&mut seat).await;
        let failed = repeated.is_err();
        if let Err(refusal) = repeated {
            self.job.crew.fail(refusal);
            self.give_up().await;
        }
        let number = seat.number();
        drop(seat);
        self.job.crew.over().await;
        if let Err(refusal) = self.restore(failed).await {
            self.job.crew.fail(refusal); // counts unless another one was before
        }
        Left { client: self.client, number, fetched: self.steps.fetched }
    }

    async fn repeat(&mut self, seat: &mut Seat) -> Result<()> {
        if matches!(self.job.way, Way::Own) {
            self.prepare().await?;
        }
        if !seat.begin().await {
            return Ok(());
        }
        // The shortest operations have loops of their own: one more function between the clock and the driver would cost a
        // tenth of what the harness costs.
        if let Some(client) = &mut self.client {
            loop {
                self.steps.operation(client, seat.number()).await?;
                if !seat.go_on() {
                    return Ok(());
                }
            }
        }
        if matches!(self.job.way, Way::Encode) {
            loop {
                self.steps.encode(seat.number())?;
                if !seat.go_on() {
                    return Ok(());
                }
            }
        }
        loop {
            self.operation(seat.number()).await?;
            if !seat.go_on() {
                return Ok(());
            }
        }
    }

    /// Makes the worker's own connection ready.
    async fn prepare(&mut self) -> Result<()> {
        if self.client.is_none() {
            self.client = Some(self.job.driver.connect().await?);
        }
        self.steps.begin(self.client.as_mut().expect("it was just made")).await
    }

    /// An operation that makes or acquires a connection.
    async fn operation(&mut self, number: u64) -> Result<()> {
        let Self { job, steps, .. } = self;
        match &job.way {
            Way::Own | Way::Encode => unreachable!("they have loops of their own"),
            Way::Pool(pool) => {
                let mut client = D::acquire(pool).await?;
                let done = steps.operation(&mut client, number).await;
                if done.is_err() && job.plan.commits() {
                    // The pool does not end the transaction, and others may wait for its locks.
                    let _ = order(&mut client, "ROLLBACK").await;
                }
                D::release(client).await;
                done
            }
            Way::New => {
                let mut client = job.driver.connect().await?;
                let done = steps.anew(&mut client, number).await;
                // Also after an error: dropping it would leave its transaction open until the driver closes it.
                let closed = D::disconnect(client).await;
                done.and(closed)
            }
            Way::Connect => D::disconnect(job.driver.connect().await?).await,
        }
    }

    /// After an error among several workers, before they are waited for: one of them may wait for a lock that the
    /// transaction of this connection holds.
    async fn give_up(&mut self) {
        if !self.job.crew.alone() {
            self.drop_client().await;
        }
    }

    /// Dropping alone would leave the closing to a task of the driver, which may have no turn before the next run.
    async fn drop_client(&mut self) {
        if let Some(client) = self.client.take() {
            let _ = D::disconnect(client).await; // it may be broken
        }
    }

    /// Leaves the connection as `prepare` of the agent made it. One that does not answer is dropped, and so are all of
    /// several if one of them failed.
    async fn restore(&mut self, failed: bool) -> Result<()> {
        if self.job.crew.stopped() {
            self.give_up().await;
        }
        let Some(client) = &mut self.client else {
            return Ok(());
        };
        let restored = self.steps.end(client, failed).await;
        if restored.is_err() {
            self.drop_client().await;
        }
        restored
    }
}

/// Makes the driver's pool of so many connections. All are made, and switched, before the first operation: only who
/// holds all has each. They are made at once, because a driver may need long for one.
pub async fn filled<D: Driver>(driver: &D, size: usize, commits: bool) -> Result<D::Pool> {
    let pool = Arc::new(driver.pool(size, commits).await?);
    let tasks: Vec<_> = (0..size).map(|_| tokio::spawn(acquired::<D>(Arc::clone(&pool), commits))).collect();
    let (mut clients, mut all) = (Vec::new(), Ok(()));
    for task in tasks {
        match task.await.unwrap_or_else(|error| resume_unwind(error.into_panic())) {
            Ok(client) => clients.push(client),
            Err(refusal) => all = all.and(Err(refusal)),
        }
    }
    for client in clients {
        D::release(client).await;
    }
    let pool = Arc::into_inner(pool).expect("every task has ended");
    match all {
        Ok(()) => Ok(pool),
        Err(refusal) => {
            let _ = D::close(pool).await; // what went wrong is said already
            Err(refusal)
        }
    }
}

async fn acquired<D: Driver>(pool: Arc<D::Pool>, commits: bool) -> Result<D::Client> {
    let mut client = D::acquire(&pool).await?;
    if commits {
        order(&mut client, "SET autocommit = 0").await?;
    }
    Ok(client)
}

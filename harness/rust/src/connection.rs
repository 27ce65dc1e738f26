//! A connection that `prepare` opened, and the runs on it, the same for every driver.

#[cfg(test)]
mod tests;

use crate::crew::{Crew, Timing};
use crate::drivers::{Client, Driver, Target};
use crate::histogram::Histogram;
use crate::measure::{Limit, Seat};
use crate::protocol::{Kind, PrepareRequest, Refusal, Result, RunRequest, Session, Value, unsupported};
use crate::rows::{Cell, Fetched};
use crate::runtimes::Runtimes;
use crate::steps::Plan;
use crate::worker::{Job, Left, Way, Worker, filled};
use serde_json::{Map, Value as Json, json};
use std::marker::PhantomData;
use std::mem::take;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;
use tokio::runtime::Runtime;

/// A driver in the list of drivers.
pub trait Entry {
    fn name(&self) -> &'static str;
    fn version(&self) -> &'static str;
    /// The driver as the answer to hello has it.
    fn describe(&self) -> Json;
    fn open(&self, runtimes: &Runtimes, request: &PrepareRequest) -> Result<(Box<dyn Opened>, String)>;
}

/// A connection of some driver.
pub trait Opened {
    /// Runs, and answers with the fields of a run's answer without its histogram, which is in that of `work`.
    fn run(&mut self, work: &mut Work) -> Result<Json>;
    fn close(&mut self, runtimes: &Runtimes) -> Result<()>;
}

/// What a run needs.
pub struct Work<'a> {
    pub runtimes: &'a Runtimes,
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
        can.insert("Pool".into(), json!("its own pool, of as many connections as operations are under way at once"));
        can.insert("Concurrency".into(), json!(D::CONCURRENCY));
        let mut cannot = Map::new();
        match D::NO_ENCODE {
            None => can.insert("Encode".into(), json!("what it does with parameters before anything is sent")),
            Some(reason) => cannot.insert("Encode".into(), json!(reason)),
        };
        json!({"name": D::NAME, "versions": [D::version()], "can": can, "cannot": cannot})
    }

    /// Connects, and asks the server for the cipher.
    fn open(&self, runtimes: &Runtimes, request: &PrepareRequest) -> Result<(Box<dyn Opened>, String)> {
        let driver = D::new(Target::of(request))?;
        runtimes.one().block_on(async {
            let mut client = driver.connect().await?;
            let mut status = Fetched { wanted: true, ..Fetched::default() };
            client.text("SHOW SESSION STATUS LIKE 'Ssl_cipher'", &mut status).await?;
            let cipher = match status.rows.first().and_then(|row| row.get(1)) {
                Some(Cell::Text(cipher)) => cipher.clone(),
                _ => String::new(),
            };
            let connection = Connection { driver: Arc::new(driver), one: Some(client), others: Vec::new() };
            let opened: Box<dyn Opened> = Box::new(connection);
            Ok((opened, cipher))
        })
    }
}

struct Connection<D: Driver> {
    driver: Arc<D>,
    /// That of `prepare`, for one operation at a time; with threads also for the first of several. None after it broke.
    one: Option<D::Client>,
    /// Those of further workers. Tasks have all of theirs here: the one belongs to another runtime.
    others: Vec<D::Client>,
}

impl<D: Driver> Opened for Connection<D> {
    fn run(&mut self, work: &mut Work) -> Result<Json> {
        let run = work.run;
        if let Some(reason) = self.driver.refuses(run.scheme) {
            return unsupported(reason);
        }
        let runtime = if D::TASKS && run.concurrency > 1 { work.runtimes.several() } else { work.runtimes.one() };
        let way = match (run.kind, run.session) {
            (Kind::Connect, _) => Way::Connect,
            (Kind::Encode, _) => Way::Encode,
            (_, Session::Dedicated) => Way::Own,
            (_, Session::Pool) => Way::Pool(runtime.block_on(filled(&*self.driver, run.concurrency, run.commit))?),
            (_, Session::New) => Way::New,
        };
        let clients = if matches!(way, Way::Own) { self.take(run.concurrency) } else { Vec::new() };
        let workers = run.concurrency as u64;
        let crew = Arc::new(Crew::new(workers, Limit::of(run), take(work.histogram)));
        let plan = Arc::new(Plan::new::<D::Client>(run, work.data));
        let job = Arc::new(Job { driver: Arc::clone(&self.driver), plan, crew: Arc::clone(&crew), way });
        let left = perform(runtime, &job, workers, clients);
        *work.histogram = crew.take_histogram();
        let mut answer = crew.timing().and_then(|timing| answer_of(&timing, &left));
        if let Some(Job { way: Way::Pool(pool), .. }) = Arc::into_inner(job) {
            let closed = runtime.block_on(D::close(pool));
            answer = answer.and_then(|answer| closed.map(|()| answer));
        }
        self.keep(work.runtimes, left, answer.is_ok());
        answer
    }

    fn close(&mut self, runtimes: &Runtimes) -> Result<()> {
        let closed = self.close_one(runtimes);
        closed.and(self.close_others(runtimes))
    }
}

impl<D: Driver> Connection<D> {
    /// Connections for so many workers, as far as there are any. A worker without one makes its own.
    fn take(&mut self, workers: usize) -> Vec<D::Client> {
        let mut clients = Vec::new();
        if workers == 1 || !D::TASKS {
            clients.extend(self.one.take());
        }
        if workers > 1 {
            let more = (workers - clients.len()).min(self.others.len());
            clients.extend(self.others.drain(..more));
        }
        clients
    }

    /// Keeps the connections of workers. After a run that failed all are made again, but the one that a worker alone
    /// left as it was.
    fn keep(&mut self, runtimes: &Runtimes, left: Vec<Left<D::Client>>, good: bool) {
        let several = left.len() > 1;
        let mut clients = left.into_iter().filter_map(|left| left.client);
        if self.one.is_none() && !(D::TASKS && several) {
            self.one = clients.next();
        }
        self.others.extend(clients);
        if !good {
            let _ = self.close_others(runtimes); // some may be broken
            if several {
                let _ = self.close_one(runtimes);
            }
        }
    }

    fn close_one(&mut self, runtimes: &Runtimes) -> Result<()> {
        match self.one.take() {
            Some(client) => runtimes.one().block_on(D::disconnect(client)),
            None => Ok(()),
        }
    }

    fn close_others(&mut self, runtimes: &Runtimes) -> Result<()> {
        let mut closed = Ok(());
        if !self.others.is_empty() {
            let runtime = if D::TASKS { runtimes.several() } else { runtimes.one() };
            for client in self.others.drain(..) {
                closed = closed.and(runtime.block_on(D::disconnect(client)));
            }
        }
        closed
    }
}

fn answer_of<C>(timing: &Timing, left: &[Left<C>]) -> Result<Json> {
    let newest = left.iter().max_by_key(|left| left.number).expect("a run has a worker");
    let mut answer = json!({
        "operations": timing.operations,
        "nanoseconds": timing.nanoseconds,
        "rows": left.iter().map(|left| left.fetched.total).sum::<u64>(),
        "checksum": newest.fetched.checksum()?,
    });
    if let Some(nanoseconds) = timing.cpu_nanoseconds {
        answer["cpuNanoseconds"] = json!(nanoseconds);
    }
    Ok(answer)
}

/// Does the work of all workers, and returns when the last one has ended. One alone works on this thread.
fn perform<D: Driver>(
    runtime: &Runtime,
    job: &Arc<Job<D>>,
    workers: u64,
    clients: Vec<D::Client>,
) -> Vec<Left<D::Client>> {
    let mut clients = clients.into_iter();
    // Every seat is there before the first worker is: one that cannot be started has ended, and is not waited for.
    let seats: Vec<Seat> = (0..workers).map(|worker| Seat::new(&job.crew, worker)).collect();
    let mut work = seats.into_iter().map(|seat| Worker::new(job, clients.next()).work(seat));
    if job.crew.alone() {
        return work.next().map(|work| runtime.block_on(work)).into_iter().collect();
    }
    if D::TASKS { in_tasks(runtime, work) } else { in_threads(runtime, &job.crew, work) }
}

fn in_tasks<T: Send + 'static>(
    runtime: &Runtime,
    work: impl Iterator<Item = impl Future<Output = T> + Send + 'static>,
) -> Vec<T> {
    let tasks: Vec<_> = work.map(|work| runtime.spawn(work)).collect();
    runtime.block_on(async {
        let mut left = Vec::new();
        for task in tasks {
            left.push(task.await.unwrap_or_else(|error| resume_unwind(error.into_panic())));
        }
        left
    })
}

/// The handle, and not the runtime itself, lets every thread wait alike: none of them serves the others' sockets.
fn in_threads<T: Send>(
    runtime: &Runtime,
    crew: &Crew,
    work: impl Iterator<Item = impl Future<Output = T> + Send>,
) -> Vec<T> {
    thread::scope(|scope| {
        let start = |work| thread::Builder::new().spawn_scoped(scope, move || runtime.handle().block_on(work));
        let mut threads = Vec::new();
        for work in work {
            match start(work) {
                Ok(thread) => threads.push(thread),
                Err(error) => crew.fail(Refusal::Failed(format!("a thread cannot be started: {error}"), 0)),
            }
        }
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

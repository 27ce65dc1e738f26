//! Runs of one and of several workers with a driver that keeps what is done with it: as threads, and as tasks.

use super::*;
use crate::protocol::Scheme;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is done with the connections of a driver, and what goes wrong there.
#[derive(Default)]
struct Log {
    rows: Mutex<Vec<i64>>,
    texts: Mutex<Vec<String>>,
    opened: AtomicU64,
    closed: AtomicU64,
    /// From this connection on none can be opened, if it is not 0.
    refused: AtomicU64,
    /// The execution that fails, from 1, if it is not 0.
    bad: AtomicU64,
}

impl Log {
    fn sorted(&self) -> Vec<i64> {
        let mut rows = self.rows.lock().unwrap().clone();
        rows.sort_unstable();
        rows
    }

    fn texts_like(&self, text: &str) -> usize {
        self.texts.lock().unwrap().iter().filter(|other| *other == text).count()
    }

    fn connections(&self) -> (u64, u64) {
        (self.opened.load(Ordering::Relaxed), self.closed.load(Ordering::Relaxed))
    }
}

struct Fake<const TASKS: bool>(Arc<Log>);

struct FakeClient(Arc<Log>);

impl<const TASKS: bool> Driver for Fake<TASKS> {
    const NAME: &'static str = "fake";
    const SCHEMES: &'static [(Scheme, &'static str)] = &[];
    const NO_ENCODE: Option<&'static str> = None;
    const TASKS: bool = TASKS;
    type Client = FakeClient;
    type Pool = Arc<Log>;

    fn version() -> &'static str {
        "1"
    }

    fn new(_: Target) -> Result<Self> {
        Ok(Self(Arc::default()))
    }

    async fn connect(&self) -> Result<FakeClient> {
        let before = self.0.opened.fetch_add(1, Ordering::Relaxed);
        let refused = self.0.refused.load(Ordering::Relaxed);
        if refused > 0 && before >= refused {
            return Err(Refusal::Failed("too many connections".into(), 1040));
        }
        Ok(FakeClient(Arc::clone(&self.0)))
    }

    async fn disconnect(client: FakeClient) -> Result<()> {
        client.0.closed.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    async fn pool(&self, size: usize, _keep: bool) -> Result<Arc<Log>> {
        self.0.opened.fetch_add(size as u64, Ordering::Relaxed);
        Ok(Arc::clone(&self.0))
    }

    async fn acquire(pool: &Arc<Log>) -> Result<FakeClient> {
        Ok(FakeClient(Arc::clone(pool)))
    }

    async fn release(_: FakeClient) {}

    async fn close(_: Arc<Log>) -> Result<()> {
        Ok(())
    }
}

impl Client for FakeClient {
    type Row = Vec<Value>;
    type Statement = ();

    fn shape(values: &[Value]) -> Self::Row {
        values.to_vec()
    }

    async fn text(&mut self, text: &str, _: &mut Fetched) -> Result<()> {
        self.0.texts.lock().unwrap().push(text.into());
        Ok(())
    }

    async fn call(&mut self, _: &str, rows: &[Self::Row], fetched: &mut Fetched) -> Result<()> {
        let [Value::Int(row)] = rows[0][..] else { panic!("a row of the tests is one integer") };
        let executed = {
            let mut rows = self.0.rows.lock().unwrap();
            rows.push(row);
            rows.len() as u64
        };
        tokio::task::yield_now().await; // so that another task goes on
        if executed == self.0.bad.load(Ordering::Relaxed) {
            return Err(Refusal::Failed("bad row".into(), 1062));
        }
        fetched.rows.push(vec![Cell::Int(row)]);
        Ok(())
    }

    async fn prepare(&mut self, _: &str) -> Result<()> {
        Ok(())
    }

    async fn execute(&mut self, (): &(), _: &Self::Row, _: &mut Fetched) -> Result<()> {
        Ok(())
    }

    async fn discard(&mut self, (): ()) -> Result<()> {
        Ok(())
    }
}

/// A connection of the driver, and what it is used with.
struct Stand<const TASKS: bool> {
    runtimes: Runtimes,
    connection: Connection<Fake<TASKS>>,
    histogram: Histogram,
    log: Arc<Log>,
}

impl<const TASKS: bool> Stand<TASKS> {
    fn new() -> Self {
        let log: Arc<Log> = Arc::default();
        let driver = Arc::new(Fake(Arc::clone(&log)));
        let connection = Connection { driver, one: None, others: Vec::new() };
        Self { runtimes: Runtimes::new().unwrap(), connection, histogram: Histogram::new(), log }
    }

    /// A run of `SELECT ?` for these rows, with other fields than the usual ones.
    fn run(&mut self, rows: &[i64], fields: Json) -> Result<Json> {
        let mut request = json!({
            "connection": "c", "kind": "Query", "scheme": "SingleRow", "session": "Dedicated", "commit": false,
            "inline": false, "statement": "SELECT ?", "head": "", "group": "", "separator": "", "tail": "", "data": "rows",
            "rowsPerOperation": 1, "chunk": 1, "concurrency": 1, "operations": 0, "seconds": 0.0,
        });
        for (name, value) in fields.as_object().unwrap() {
            request[name] = value.clone();
        }
        let run = serde_json::from_value(request).unwrap();
        let data: Vec<Vec<Value>> = rows.iter().map(|row| vec![Value::Int(*row)]).collect();
        let (runtimes, histogram) = (&self.runtimes, &mut self.histogram);
        self.connection.run(&mut Work { runtimes, histogram, run: &run, data: Some(&data) })
    }

    fn counted(&self) -> u64 {
        self.histogram.buckets().iter().map(|(_, count)| count).sum()
    }
}

fn checksum(row: i64) -> Json {
    json!(crc32fast::hash(format!("{row}\n").as_bytes()))
}

#[test]
fn one_worker_takes_the_rows_in_their_order() {
    let mut stand = Stand::<true>::new();
    let answer = stand.run(&[10, 11, 12], json!({"operations": 5})).unwrap();
    assert_eq!(*stand.log.rows.lock().unwrap(), [10, 11, 12, 10, 11]);
    assert_eq!((&answer["operations"], &answer["rows"], &answer["checksum"]), (&json!(5), &json!(5), &checksum(11)));
    assert_eq!(stand.counted(), 5);
    assert!(answer["cpuNanoseconds"].as_u64() > Some(0));
}

fn every_number_is_done_once<const TASKS: bool>() {
    let mut stand = Stand::<TASKS>::new();
    let rows: Vec<i64> = (0..1000).collect();
    let answer = stand.run(&rows, json!({"operations": 1000, "concurrency": 4})).unwrap();
    assert_eq!(stand.log.sorted(), rows);
    assert_eq!(
        (&answer["operations"], &answer["rows"], &answer["checksum"]),
        (&json!(1000), &json!(1000), &checksum(999))
    );
    assert_eq!((stand.counted(), stand.log.connections()), (1000, (4, 0)));
    // The connections stay, and fewer workers take some of them.
    stand.run(&rows, json!({"operations": 2, "concurrency": 2})).unwrap();
    assert_eq!(stand.log.connections(), (4, 0));
    stand.connection.close(&stand.runtimes).unwrap();
    assert_eq!(stand.log.connections(), (4, 4));
}

#[test]
fn several_workers_do_every_number_once() {
    every_number_is_done_once::<false>();
    every_number_is_done_once::<true>();
}

fn numbers_have_no_gaps<const TASKS: bool>() {
    let mut stand = Stand::<TASKS>::new();
    let answer = stand.run(&[0, 1, 2, 3, 4, 5, 6], json!({"seconds": 0.02, "concurrency": 3})).unwrap();
    let done = answer["operations"].as_u64().unwrap();
    let mut want: Vec<i64> = (0..done as i64).map(|number| number % 7).collect();
    want.sort_unstable();
    assert!(done >= 3, "each of three does at least one, and {done} were done");
    assert_eq!(stand.log.sorted(), want);
    assert_eq!((answer["checksum"].clone(), stand.counted()), (checksum((done as i64 - 1) % 7), done));
}

#[test]
fn a_time_leaves_no_gaps_in_the_numbers() {
    numbers_have_no_gaps::<false>();
    numbers_have_no_gaps::<true>();
}

/// Operations that are not done by far when the first one has failed.
const MANY: usize = 5_000_000;

fn a_failure_is_the_end_of_all<const TASKS: bool>() {
    let mut stand = Stand::<TASKS>::new();
    stand.log.bad.store(50, Ordering::Relaxed);
    let many = json!({"operations": MANY, "concurrency": 4, "commit": true});
    assert_eq!(stand.run(&[1], many).unwrap_err(), Refusal::Failed("bad row".into(), 1062));
    assert!(stand.log.sorted().len() < MANY);
    assert_eq!(stand.log.connections(), (4, 4));
    stand.log.bad.store(0, Ordering::Relaxed);
    stand.run(&[1], json!({"operations": 8, "concurrency": 4, "commit": true})).unwrap();
    assert_eq!((stand.counted(), stand.log.connections()), (8, (8, 4)));
    assert_eq!(stand.log.texts_like("SET autocommit = 1"), 4, "the connections that failed are not used again");
}

#[test]
fn the_first_failure_ends_all() {
    a_failure_is_the_end_of_all::<false>();
    a_failure_is_the_end_of_all::<true>();
}

fn nobody_waits_for_who_cannot_begin<const TASKS: bool>() {
    let mut stand = Stand::<TASKS>::new();
    stand.log.refused.store(2, Ordering::Relaxed);
    let refusal = stand.run(&[1], json!({"operations": 4, "concurrency": 4})).unwrap_err();
    assert_eq!(refusal, Refusal::Failed("too many connections".into(), 1040));
    assert_eq!((stand.log.sorted().len(), stand.log.connections()), (0, (4, 2)));
}

#[test]
fn a_worker_without_a_connection_keeps_all_from_beginning() {
    nobody_waits_for_who_cannot_begin::<false>();
    nobody_waits_for_who_cannot_begin::<true>();
}

#[test]
fn tasks_leave_the_one_connection_to_its_runtime() {
    let mut stand = Stand::<true>::new();
    for (concurrency, want) in [(1, (1, 0)), (3, (4, 0)), (1, (4, 0)), (3, (4, 0))] {
        stand.run(&[1], json!({"operations": 3, "concurrency": concurrency})).unwrap();
        assert_eq!(stand.log.connections(), want, "after a run of {concurrency} at once");
    }
}

#[test]
fn threads_take_the_one_connection_too() {
    let mut stand = Stand::<false>::new();
    for (concurrency, want) in [(1, (1, 0)), (3, (3, 0)), (1, (3, 0))] {
        stand.run(&[1], json!({"operations": 3, "concurrency": concurrency})).unwrap();
        assert_eq!(stand.log.connections(), want, "after a run of {concurrency} at once");
    }
}

fn every_connection_of_the_pool_is_switched<const TASKS: bool>() {
    let mut stand = Stand::<TASKS>::new();
    let fields = json!({"operations": 8, "concurrency": 4, "session": "Pool", "commit": true});
    stand.run(&[1], fields).unwrap();
    assert_eq!((stand.log.connections(), stand.log.sorted().len()), ((4, 0), 8));
    assert_eq!((stand.log.texts_like("SET autocommit = 0"), stand.log.texts_like("COMMIT")), (4, 8));
}

#[test]
fn the_pool_has_a_connection_for_each_worker() {
    every_connection_of_the_pool_is_switched::<false>();
    every_connection_of_the_pool_is_switched::<true>();
}

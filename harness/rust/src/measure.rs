//! The clock of a worker: says which operation is the next, times each, and counts the times.

use crate::crew::Crew;
use crate::histogram::Histogram;
use crate::protocol::{Refusal, RunRequest};
use std::mem::take;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// No operation has this number or a greater one.
pub const NONE_LEFT: u64 = u64::MAX / 2;

/// When a run ends; one of the two is out of reach.
#[derive(Clone, Copy)]
pub struct Limit {
    operations: u64,
    time: Duration,
}

impl Limit {
    pub fn of(run: &RunRequest) -> Self {
        match run.operations {
            0 => Self { operations: NONE_LEFT, time: Duration::from_secs_f64(run.seconds) },
            operations => Self { operations, time: Duration::MAX },
        }
    }
}

/// Where a worker counts its times. A histogram for each would be half a megabyte for each.
pub enum Times {
    /// Of a worker that is alone: in the histogram of the run.
    Counted(Histogram),
    /// Of one among several: in a list, which goes into that histogram when it is full.
    Listed(Vec<u64>),
}

/// How many times a worker keeps to itself. So it waits for others once in as many operations.
const LISTED: usize = 256;

impl Times {
    pub fn listed() -> Self {
        let mut list = vec![1; LISTED];
        list.clear(); // its memory is there from now on, and not first when a time is kept
        Self::Listed(list)
    }
}

/// The place of one worker in a run. Whoever drops it has ended.
pub struct Seat {
    crew: Arc<Crew>,
    limit: Limit,
    /// Of the operation that is under way, or was the last.
    number: u64,
    operations: u64,
    first: Instant,
    begin: Instant,
    end: Instant,
    times: Times,
}

impl Seat {
    pub fn new(crew: &Arc<Crew>, worker: u64) -> Self {
        let now = Instant::now();
        Self {
            crew: Arc::clone(crew),
            limit: crew.limit(),
            number: worker,
            operations: 0,
            first: now,
            begin: now,
            end: now,
            times: crew.times(),
        }
    }

    pub fn number(&self) -> u64 {
        self.number
    }

    /// Waits until all workers are ready, and begins the first operation, whose number is that of the worker. False
    /// where no operation may begin, because one of them failed.
    pub async fn begin(&mut self) -> bool {
        if !self.crew.ready().await {
            return false;
        }
        (self.first, self.begin) = self.crew.begin();
        true
    }

    /// Ends an operation, and begins the next one if there is one left for this worker. The clock is read before and
    /// after each, so that counting is in none of them. The time is looked at before a number is taken: every number
    /// below the greatest is then that of an operation which is done.
    #[inline]
    pub fn go_on(&mut self) -> bool {
        self.end = Instant::now();
        let passed = (self.end - self.begin).as_nanos() as u64;
        match &mut self.times {
            Times::Counted(histogram) => histogram.record(passed),
            Times::Listed(list) => {
                list.push(passed);
                if list.len() == LISTED {
                    self.crew.count(list);
                }
            }
        }
        self.operations += 1;
        self.begin = Instant::now();
        if self.begin - self.first >= self.limit.time {
            return false;
        }
        let next = match self.times {
            Times::Counted(_) => self.number + 1,
            Times::Listed(_) => self.crew.take_number(),
        };
        if next >= self.limit.operations {
            return false;
        }
        self.number = next;
        true
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // The others must not wait for this one; the panic itself ends the harness when they are over.
            self.crew.fail(Refusal::Failed("a worker panicked".into(), 0));
        }
        let part = Part { operations: self.operations, first: self.first, end: self.end, times: take(&mut self.times) };
        self.crew.leave(part);
    }
}

impl Default for Times {
    fn default() -> Self {
        Self::Listed(Vec::new())
    }
}

/// What a worker did of a run.
pub struct Part {
    pub operations: u64,
    pub first: Instant,
    pub end: Instant,
    pub times: Times,
}

//! What the workers of a run share: they begin together, take numbers of operations from one counter, and end together.

use crate::histogram::Histogram;
use crate::measure::{Limit, NONE_LEFT, Part, Times};
use crate::protocol::{Refusal, Result};
use std::mem::take;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock};
use std::time::Instant;
use tokio::sync::watch;

pub struct Crew {
    workers: u64,
    limit: Limit,
    /// The number of the operation that begins next. The first of each worker has the worker's own.
    next: AtomicU64,
    /// When the first operation began.
    first: OnceLock<Instant>,
    phase: watch::Sender<Phase>,
    tally: Mutex<Tally>,
}

#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Phase {
    Preparing,
    Running,
    Over,
}

#[derive(Default)]
struct Tally {
    ready: u64,
    ended: u64,
    operations: u64,
    first: Option<Instant>,
    end: Option<Instant>,
    cpu_begin: Option<u64>,
    cpu_nanoseconds: Option<u64>,
    histogram: Histogram,
    /// The first error.
    refusal: Option<Refusal>,
}

#[derive(Debug)]
pub struct Timing {
    pub operations: u64,
    pub nanoseconds: u64,
    /// CPU time of the whole process, where the kernel reports it.
    pub cpu_nanoseconds: Option<u64>,
}

/// The CPU time of all threads of the process, in their own code and in the kernel.
fn cpu_time() -> Option<u64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes one timespec, and there is room for one.
    let known = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) } == 0;
    known.then(|| time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

/// What was used since a reading; None where one of the two is unknown, or the clock stood still.
fn cpu_time_since(begin: Option<u64>) -> Option<u64> {
    cpu_time()?.checked_sub(begin?).filter(|&used| used > 0)
}

impl Crew {
    /// The times are counted in this histogram, from nothing.
    pub fn new(workers: u64, limit: Limit, mut histogram: Histogram) -> Self {
        histogram.clear();
        Self {
            workers,
            limit,
            next: AtomicU64::new(workers),
            first: OnceLock::new(),
            phase: watch::Sender::new(Phase::Preparing),
            tally: Mutex::new(Tally { histogram, ..Tally::default() }),
        }
    }

    pub fn limit(&self) -> Limit {
        self.limit
    }

    pub fn alone(&self) -> bool {
        self.workers == 1
    }

    /// Where a new worker counts its times.
    pub fn times(&self) -> Times {
        if self.alone() { Times::Counted(take(&mut self.tally().histogram)) } else { Times::listed() }
    }

    /// Waits until every worker is ready. The last one reads the CPU time and lets all begin. False after an error.
    pub async fn ready(&self) -> bool {
        self.arrive();
        if !self.alone() {
            self.reach(Phase::Running).await;
        }
        !self.stopped()
    }

    fn arrive(&self) {
        let mut tally = self.tally();
        tally.ready += 1;
        if tally.ready == self.workers {
            tally.cpu_begin = cpu_time();
            self.phase.send_replace(Phase::Running);
        }
    }

    /// When the first operation of all began, and now, when the first one of a worker begins.
    pub fn begin(&self) -> (Instant, Instant) {
        if self.alone() {
            let now = Instant::now();
            return (now, now);
        }
        // The clock is read inside, or a worker that is held up behind its reading would have begun before the first.
        let mut mine = None;
        let first = *self.first.get_or_init(|| *mine.insert(Instant::now()));
        (first, mine.unwrap_or_else(Instant::now))
    }

    #[inline]
    pub fn take_number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Counts the times of a list, and empties it.
    pub fn count(&self, list: &mut Vec<u64>) {
        let mut tally = self.tally();
        for nanoseconds in list.drain(..) {
            tally.histogram.record(nanoseconds);
        }
    }

    /// Keeps the first error, and sees to it that no further operation begins. Nobody waits any longer for all to be
    /// ready.
    pub fn fail(&self, refusal: Refusal) {
        self.tally().refusal.get_or_insert(refusal);
        self.next.store(NONE_LEFT, Ordering::Relaxed);
        self.phase.send_if_modified(|phase| {
            let waiting = *phase == Phase::Preparing;
            if waiting {
                *phase = Phase::Running;
            }
            waiting
        });
    }

    pub fn stopped(&self) -> bool {
        self.next.load(Ordering::Relaxed) >= NONE_LEFT
    }

    /// Takes what a worker did that does nothing more. The last one reads the CPU time.
    pub fn leave(&self, part: Part) {
        let mut tally = self.tally();
        tally.ended += 1;
        let last = tally.ended == self.workers;
        if last {
            tally.cpu_nanoseconds = cpu_time_since(tally.cpu_begin);
        }
        if part.operations > 0 {
            tally.operations += part.operations;
            tally.first = Some(part.first);
            tally.end = tally.end.max(Some(part.end));
        }
        match part.times {
            Times::Counted(histogram) => tally.histogram = histogram,
            Times::Listed(list) => list.into_iter().for_each(|nanoseconds| tally.histogram.record(nanoseconds)),
        }
        drop(tally);
        if last {
            self.phase.send_replace(Phase::Over);
        }
    }

    /// Waits until every worker has ended.
    pub async fn over(&self) {
        if !self.alone() {
            self.reach(Phase::Over).await;
        }
    }

    /// What came of the run; the histogram is taken by itself.
    pub fn timing(&self) -> Result<Timing> {
        let mut tally = self.tally();
        if let Some(refusal) = tally.refusal.take() {
            return Err(refusal);
        }
        let passed = tally.end.zip(tally.first).map_or(0, |(end, first)| (end - first).as_nanos() as u64);
        // A clock that did not move is still one nanosecond to the reader, who divides by it.
        let nanoseconds = passed.max(1);
        Ok(Timing { operations: tally.operations, nanoseconds, cpu_nanoseconds: tally.cpu_nanoseconds })
    }

    pub fn take_histogram(&self) -> Histogram {
        take(&mut self.tally().histogram)
    }

    async fn reach(&self, wanted: Phase) {
        let mut phase = self.phase.subscribe();
        phase.wait_for(|phase| *phase >= wanted).await.expect("the crew itself is what tells the phase");
    }

    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().expect("nobody panics who holds it")
    }
}

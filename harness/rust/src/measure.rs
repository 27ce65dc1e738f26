//! The clock: repeats an operation, times each, and counts the times.

use crate::histogram::Histogram;
use crate::protocol::{Result, RunRequest};
use std::time::{Duration, Instant};

/// When a run ends.
pub enum Limit {
    Operations(u64),
    Time(Duration),
}

#[derive(Debug)]
pub struct Timing {
    pub operations: u64,
    pub nanoseconds: u64,
    /// CPU time of the whole process, where the kernel reports it.
    pub cpu_nanoseconds: Option<u64>,
}

impl Limit {
    pub fn of(run: &RunRequest) -> Self {
        match run.operations {
            0 => Self::Time(Duration::from_secs_f64(run.seconds)),
            operations => Self::Operations(operations),
        }
    }

    fn reached(&self, operations: u64, passed: Duration) -> bool {
        match self {
            Self::Operations(wanted) => operations >= *wanted,
            Self::Time(wanted) => passed >= *wanted,
        }
    }
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

/// Runs the operation until the limit, at least once. The clock is read before and after each operation, so that
/// counting is in none of them.
pub async fn measure(
    histogram: &mut Histogram,
    limit: &Limit,
    mut operation: impl AsyncFnMut() -> Result<()>,
) -> Result<Timing> {
    histogram.clear();
    let used = cpu_time();
    let first = Instant::now();
    let mut begin = first;
    let mut operations = 0;
    loop {
        operation().await?;
        let end = Instant::now();
        histogram.record((end - begin).as_nanos() as u64);
        operations += 1;
        begin = Instant::now();
        if limit.reached(operations, begin - first) {
            let cpu_nanoseconds = cpu_time_since(used);
            // A clock that did not move is still one nanosecond to the reader, who divides by it.
            let nanoseconds = ((end - first).as_nanos() as u64).max(1);
            return Ok(Timing { operations, nanoseconds, cpu_nanoseconds });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_counted_once() {
        let mut histogram = Histogram::new();
        let mut calls = 0;
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let operation = async || {
            calls += 1;
            Ok(())
        };
        let timing = runtime.block_on(measure(&mut histogram, &Limit::Operations(5), operation)).unwrap();
        let counted: u64 = histogram.buckets().iter().map(|(_, count)| count).sum();
        assert_eq!((timing.operations, counted, calls), (5, 5, 5));
        assert!(timing.cpu_nanoseconds > Some(0));
    }
}

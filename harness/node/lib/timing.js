'use strict';

const { now } = require('./clock.js');
const cpu = require('./cpu.js');

// An operation ends where the next one begins: the clock is read once per operation, and what the harness itself does
// is part of the histogram.

// timeWaiting repeats an operation that returns a promise, and waits for each. What was fetched by the one before is
// forgotten first. An operation of one call may leave it to the loop to keep the result.
function timeWaiting({ operation, where, fetched }, until, histogram) {
  return apart(async () => {
    const { operations, nanoseconds } = until;
    const used = cpu.now();
    const begin = now();
    let before = begin;
    let count = 0;
    do {
      fetched.begin();
      const result = await operation(where);
      if (result !== undefined) fetched.keep(result);
      const after = now();
      histogram.record(after - before);
      before = after;
      count++;
    } while (count < operations && before - begin < nanoseconds);
    return { operations: count, nanoseconds: Math.max(1, before - begin), ...cpu.since(used) };
  });
}

// timeTogether lets workers each repeat an operation of its own, all at once: first the one with its own number, then the next one that
// nobody has taken.
function timeTogether(workers, until, histogram) {
  return apart(async () => {
    const used = cpu.now();
    const run = { ...until, histogram, begin: now(), next: workers.length, failures: [] };
    const ends = await Promise.all(workers.map((worker, number) => repeat(worker, number, run)));
    const spent = cpu.since(used);
    if (run.failures.length > 0) throw run.failures[0];
    const count = Number.isFinite(until.operations) ? until.operations : run.next;
    return { operations: count, nanoseconds: Math.max(1, Math.max(...ends) - run.begin), ...spent };
  });
}

// repeat does the operations of one worker, and returns when the last ended. Where one fails, no other worker begins another.
async function repeat(worker, number, run) {
  const { operation, where, fetched, parameters } = worker;
  let before = now();
  try {
    do {
      worker.last = number;
      parameters.seek(number);
      fetched.begin();
      const result = await operation(where);
      if (result !== undefined) fetched.keep(result);
      const after = now();
      run.histogram.record(after - before);
      before = after;
    } while (run.failures.length === 0 && before - run.begin < run.nanoseconds && (number = run.next++) < run.operations);
  } catch (error) {
    run.failures.push(error);
  }
  return before;
}

// apart runs a loop outside of the chain of functions that wait for it. Some drivers record the stack of every call,
// and the functions of the harness in it would cost several microseconds per call.
function apart(loop) {
  return new Promise((resolve, reject) => {
    setImmediate(() => {
      loop().then(
        (result) => resolve(result),
        (error) => reject(error)
      );
    });
  });
}

// timeAtOnce repeats an operation that is done when it returns.
async function timeAtOnce({ operation }, { operations, nanoseconds }, histogram) {
  const used = cpu.now();
  const begin = now();
  let before = begin;
  let count = 0;
  do {
    operation();
    const after = now();
    histogram.record(after - before);
    before = after;
    count++;
  } while (count < operations && before - begin < nanoseconds);
  return { operations: count, nanoseconds: Math.max(1, before - begin), ...cpu.since(used) };
}

// limits says when to stop: after so many operations, or when so much time has passed; the other one is 0.
function limits({ operations, seconds }) {
  return operations > 0
    ? { operations, nanoseconds: Infinity }
    : { operations: Infinity, nanoseconds: seconds * 1e9 };
}

module.exports = { limits, timeAtOnce, timeTogether, timeWaiting };

'use strict';

const { now } = require('./clock.js');

// An operation ends where the next one begins: the clock is read once per operation, and what the harness itself does
// is part of the histogram.

// timeWaiting repeats an operation that returns a promise, and waits for each.
async function timeWaiting(operation, { operations, nanoseconds }, histogram) {
  const begin = now();
  let before = begin;
  let count = 0;
  do {
    await operation();
    const after = now();
    histogram.record(after - before);
    before = after;
    count++;
  } while (count < operations && before - begin < nanoseconds);
  return { operations: count, nanoseconds: Math.max(1, before - begin) };
}

// timeAtOnce repeats an operation that is done when it returns.
function timeAtOnce(operation, { operations, nanoseconds }, histogram) {
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
  return { operations: count, nanoseconds: Math.max(1, before - begin) };
}

// limits says when to stop: after so many operations, or when so much time has passed.
function limits({ operations = 0, seconds = 0 }) {
  if (operations > 0 === seconds > 0) throw new Error('either operations or seconds must be greater than 0');
  return operations > 0
    ? { operations, nanoseconds: Infinity }
    : { operations: Infinity, nanoseconds: seconds * 1e9 };
}

module.exports = { limits, timeAtOnce, timeWaiting };

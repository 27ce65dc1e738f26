'use strict';

// The CPU time of the process: all its threads, in user code and in the kernel.

// The runtime reports it in whole microseconds. With fewer steps than these it is no measurement.
const MICROSECONDS = 10;

function now() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

// since a reading: the field of the answer, or none.
function since(begin) {
  const microseconds = now() - begin;
  return microseconds >= MICROSECONDS ? { cpuNanoseconds: microseconds * 1000 } : {};
}

module.exports = { now, since };

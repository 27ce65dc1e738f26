'use strict';

// The clock of all timings, in whole nanoseconds since the start of the process. Monotonic. A number, not a BigInt: no
// arithmetic of BigInt is in the timed path.
const CLOCK = 'process.hrtime.bigint';
const origin = process.hrtime.bigint();

function now() {
  return Number(process.hrtime.bigint() - origin);
}

module.exports = { CLOCK, now };

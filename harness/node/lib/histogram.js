'use strict';

// The buckets of HdrHistogram with three significant digits: a value below 2048 is a bucket of its own; of a greater one
// the 11 leading bits stay. For a shift of s bits the kept bits are 1024..2047, so s * 1024 + (value >> s) has no gaps.
const EXACT = 2048;
const LONGEST_SHIFT = 53 - 11;

// bucket returns the index of a whole number of nanoseconds from 0 to 2^53 - 1.
function bucket(value) {
  if (value < EXACT) return value;
  if (value < 4294967296) {
    const shift = 21 - Math.clz32(value);
    return shift * 1024 + (value >>> shift);
  }
  // Operations of bits work on 32 bits only.
  const shift = 42 - Math.clz32(Math.floor(value / 2097152));
  return shift * 1024 + Math.floor(value / 2 ** shift);
}

class Histogram {
  constructor() {
    this.counts = new Float64Array((LONGEST_SHIFT + 2) * 1024);
  }

  record(value) {
    this.counts[bucket(value)]++;
  }

  // entries lists [index, count] of the buckets that are not empty, ascending.
  entries() {
    const entries = [];
    this.counts.forEach((count, index) => count > 0 && entries.push([index, count]));
    return entries;
  }
}

module.exports = { Histogram };

'use strict';

const { PerformanceObserver, performance } = require('node:perf_hooks');
const v8 = require('node:v8');
const { now } = require('./clock.js');

// allocated bytes on the heap since the start; undefined in a release of Node.js that does not count them.
const allocated = () => v8.getHeapStatistics().total_allocated_bytes;

// Collections counts the collections of garbage between start and stop, and the bytes that are allocated.
class Collections {
  // collect forces one and returns how long it took.
  static collect() {
    if (!globalThis.gc) throw new Error('garbage cannot be collected: start node with --expose-gc');
    const before = now();
    globalThis.gc();
    return now() - before;
  }

  constructor() {
    this.count = 0;
    this.milliseconds = 0;
    this.observer = new PerformanceObserver((list) => this.add(list.getEntries()));
  }

  start() {
    this.observer.observe({ type: 'gc' });
    this.allocated = allocated();
    this.from = performance.now();
    this.to = Infinity;
  }

  async stop() {
    this.to = performance.now();
    const bytes = this.allocated === undefined ? {} : { allocated: allocated() - this.allocated };
    // The runtime hands over what it saw in later turns of its loop.
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
    this.add(this.observer.takeRecords());
    this.observer.disconnect();
    return { count: this.count, nanoseconds: Math.round(this.milliseconds * 1e6), ...bytes };
  }

  add(entries) {
    for (const { startTime, duration } of entries) {
      if (startTime < this.from || startTime > this.to) continue;
      this.count++;
      this.milliseconds += duration;
    }
  }
}

module.exports = { Collections };

'use strict';

const assert = require('node:assert');
const { test } = require('node:test');
const { Histogram } = require('../lib/histogram.js');
const { Parameters } = require('../lib/parameters.js');
const { limits, timeTogether } = require('../lib/timing.js');

// workersOf makes workers whose operation is given the worker and the rows.
function workersOf(count, rowsPerOperation, rows, operation) {
  const parameters = new Parameters({ statement: '?', inline: false, rowsPerOperation }, rows);
  return Array.from({ length: count }, (_, worker) => {
    const own = parameters.another();
    return {
      fetched: { begin() {}, keep() {} },
      parameters: own,
      operation: () => operation(worker, own.take(rowsPerOperation)),
    };
  });
}

const ROWS = [['a'], ['b'], ['c'], ['d']];

test('every operation is done once, each with its own rows, and each worker does at least one', async () => {
  for (const until of [{ operations: 3, seconds: 0 }, { operations: 50, seconds: 0 }, { operations: 0, seconds: 1e-9 }, { operations: 0, seconds: 0.02 }]) {
    const took = { 'a,b': 0, 'c,d': 0 };
    const histogram = new Histogram();
    const workers = workersOf(3, 2, ROWS, async (_, rows) => {
      took[rows.flat()]++;
      await new Promise(setImmediate);
    });
    const { operations } = await timeTogether(workers, limits(until), histogram);
    if (until.operations > 0) assert.strictEqual(operations, until.operations);
    assert.ok(operations >= 3);
    assert.deepStrictEqual(took, { 'a,b': Math.ceil(operations / 2), 'c,d': Math.floor(operations / 2) });
    assert.strictEqual(histogram.entries().reduce((sum, [, count]) => sum + count, 0), operations);
    assert.strictEqual(Math.max(...workers.map(({ last }) => last)), operations - 1);
  }
});

test('where one fails, no other begins, and all have ended', async () => {
  let underWay = 0;
  let begun = 0;
  const workers = workersOf(4, 1, ROWS, async (worker) => {
    begun++;
    underWay++;
    await new Promise(setImmediate);
    underWay--;
    if (worker === 2) throw new Error('the table is full');
  });
  await assert.rejects(timeTogether(workers, limits({ operations: 1000, seconds: 0 }), new Histogram()), /the table is full/);
  assert.strictEqual(underWay, 0);
  assert.ok(begun < 1000);
});

'use strict';

const assert = require('node:assert');
const { test } = require('node:test');
const { Histogram } = require('../lib/histogram.js');

// reference is the rule of the protocol in its own words, with integers of any length.
function reference(value) {
  const shift = BigInt(Math.max(0, value.toString(2).length - 11));
  return Number(shift * 1024n + (BigInt(value) >> shift));
}

test('the bucket of a value keeps its 11 leading bits', () => {
  const values = [0, 1, 2047, 2048, 2049, 4095, 4096, 270532608, 271581184];
  for (let bits = 12; bits <= 53; bits++) values.push(2 ** bits - 1, 2 ** (bits - 1), 2 ** (bits - 1) + 1);
  for (let i = 0; i < 10000; i++) values.push(Math.floor(2 ** (Math.random() * 53)));
  const histogram = new Histogram();
  const want = new Map();
  for (const value of values) {
    histogram.record(value);
    want.set(reference(value), (want.get(reference(value)) ?? 0) + 1);
  }
  assert.deepStrictEqual(histogram.entries(), [...want].sort(([a], [b]) => a - b));
});

test('entries ascend and have no empty buckets', () => {
  const histogram = new Histogram();
  for (const value of [5000000, 3, 2050, 2051, 3, 4294967296]) histogram.record(value);
  assert.deepStrictEqual(histogram.entries(), [[3, 2], [1024 + 1025, 2], [reference(5000000), 1], [reference(4294967296), 1]]);
});

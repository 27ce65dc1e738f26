'use strict';

const assert = require('node:assert');
const { test } = require('node:test');
const { Parameters } = require('../lib/parameters.js');

test('rows come in turn, and after the last the first again', () => {
  const parameters = new Parameters({ statement: 'DO ?', inline: false }, [[1], [2], [3], [4]]);
  assert.deepStrictEqual([parameters.next(), parameters.next()], [0, 1]);
  assert.deepStrictEqual(parameters.take(2), [[3], [4]]);
  assert.deepStrictEqual(parameters.take(4), [[1], [2], [3], [4]]);
  assert.deepStrictEqual(parameters.take(2), [[1], [2]]);
  assert.deepStrictEqual([parameters.next(), parameters.next(), parameters.next()], [2, 3, 0]);
});

test('the first parameter is written into the text', () => {
  const parameters = new Parameters({ statement: 'SELECT w.*, ? FROM w WHERE a = ?', inline: true }, [[7, 'x'], [8, 'y']]);
  assert.deepStrictEqual([parameters.text(1), parameters.rows[1]], ['SELECT w.*, 8 FROM w WHERE a = ?', ['y']]);
});

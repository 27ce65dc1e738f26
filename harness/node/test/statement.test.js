'use strict';

const assert = require('node:assert');
const { test } = require('node:test');
const { Parameters } = require('../lib/parameters.js');
const { beforeList, isPlain, splitValues } = require('../lib/statement.js');
const { Unsupported } = require('../lib/unsupported.js');

test('the group after VALUES', () => {
  const wanted = {
    'INSERT INTO t (a, b) VALUES (?, ?)': ['INSERT INTO t (a, b) VALUES ', '(?, ?)', ''],
    'insert into t values(?, NOW(), ?) ON DUPLICATE KEY UPDATE a = 1': ['insert into t values', '(?, NOW(), ?)', ' ON DUPLICATE KEY UPDATE a = 1'],
  };
  for (const [statement, parts] of Object.entries(wanted)) assert.deepStrictEqual(splitValues(statement), parts);
  for (const statement of ['UPDATE t SET a = ?', 'INSERT INTO t VALUES (?', 'INSERT INTO t VALUES (?) ON DUPLICATE KEY UPDATE a = ?']) {
    assert.throws(() => splitValues(statement), Unsupported, statement);
  }
});

test('a group of parameters only', () => {
  assert.ok(isPlain('(?, ?)') && isPlain('( ? )'));
  assert.ok(!isPlain('(?, NOW())') && !isPlain('(?, 1)'));
});

test('a list of keys', () => {
  assert.strictEqual(beforeList('DELETE FROM t WHERE id IN (?)'), 'DELETE FROM t WHERE id IN ');
  for (const statement of ['DELETE FROM t WHERE id = ?', 'DELETE FROM t WHERE a = ? AND id IN (?)', 'SELECT 1 WHERE id IN (?) LIMIT 1']) {
    assert.throws(() => beforeList(statement), Unsupported, statement);
  }
});

test('rows come in turn, and after the last the first again', () => {
  const parameters = new Parameters('DO ?', [[1], [2], [3]], false);
  assert.deepStrictEqual([parameters.next(), parameters.next()], [0, 1]);
  assert.deepStrictEqual(parameters.take(3), [[3], [1], [2]]);
  assert.deepStrictEqual(parameters.take(7), [[3], [1], [2], [3], [1], [2], [3]]);
  assert.deepStrictEqual(parameters.take(3), [[1], [2], [3]]);
  assert.deepStrictEqual([parameters.next(), parameters.next(), parameters.next(), parameters.next()], [0, 1, 2, 0]);
});

test('the first parameter is written into the text', () => {
  const parameters = new Parameters('SELECT w.*, ? FROM w WHERE a = ?', [[7, 'x'], [8, 'y']], true);
  assert.deepStrictEqual([parameters.text(1), parameters.rows[1]], ['SELECT w.*, 8 FROM w WHERE a = ?', ['y']]);
  assert.throws(() => new Parameters('DO ?', [['x']], true), /needs an integer/);
});

test('rows that do not fit the statement', () => {
  assert.throws(() => new Parameters('DO ?', [[1], [1, 2]], false), /1 parameters, a row of the data has 2/);
  assert.throws(() => new Parameters('DO ?', undefined, false), /1 parameters, a row of the data has 0/);
  assert.throws(() => new Parameters('DO 1', [], false), /no rows/);
});

'use strict';

const assert = require('node:assert');
const { test } = require('node:test');
const { crc32 } = require('node:zlib');
const { checksum } = require('../lib/checksum.js');

test('the first four values of each row are joined by tabs', () => {
  const columns = ['id', 'name', 'age', 'note', 'created'];
  const rows = [
    { id: 1, name: 'Zoë 😀', age: null, note: true, created: new Date() },
    { id: 9007199254740993n, name: Buffer.from('x'), age: -1, note: false, created: new Date() },
  ];
  const want = crc32('1\tZoë 😀\t\\N\t1\n9007199254740993\tx\t-1\t0\n');
  assert.strictEqual(checksum([{ rows, columns }]), want);
  assert.strictEqual(checksum([{ rows: rows.map(Object.values), columns }]), want);
  assert.strictEqual(checksum(rows.map((row) => ({ rows: [row], columns }))), want);
});

test('a known sum', () => assert.strictEqual(checksum([{ rows: [[123456789]], columns: ['x'] }]), crc32('123456789\n')));

test('no rows have the sum 0', () => assert.strictEqual(checksum([{ rows: [], columns: [] }]), 0));

test('columns keep their order although keys that are numbers come first in an object', () => {
  assert.strictEqual(checksum([{ rows: [{ name: 'a', 5: 5 }], columns: ['name', '5'] }]), crc32('a\t5\n'));
});

test('values that other languages write differently are refused', () => {
  for (const value of [new Date(), 1.5, { a: 1 }, undefined]) {
    assert.throws(() => checksum([{ rows: [{ value }], columns: ['value'] }]), /among the first four values/);
  }
});

test('columns of one name are refused: the object has only one of them', () => {
  assert.throws(() => checksum([{ rows: [{ '?': 1 }], columns: ['?', '?'] }]), /more than one column is named/);
  assert.strictEqual(checksum([{ rows: [[1, 2]], columns: ['?', '?'] }]), crc32('1\t2\n'));
});

'use strict';

const assert = require('node:assert');
const { test } = require('node:test');
const cpu = require('../lib/cpu.js');

test('CPU time is reported in nanoseconds, and not where it has too few steps', (t) => {
  let used = { user: 5, system: 2 };
  t.mock.method(process, 'cpuUsage', () => used);
  const begin = cpu.now();
  used = { user: 8, system: 8 };
  assert.deepStrictEqual(cpu.since(begin), {});
  used = { user: 8, system: 9 };
  assert.deepStrictEqual(cpu.since(begin), { cpuNanoseconds: 10_000 });
});

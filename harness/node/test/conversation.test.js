'use strict';

const assert = require('node:assert');
const { test } = require('node:test');
const { Harness } = require('../testing/harness.js');

const rows = [[1, 'a\u2028b', null], [2, 'c', 1.5], [3, 'd', -1]];
const statements = {
  MultiRow: ['INSERT INTO t VALUES (?, ?, ?)', 'rows'],
  InList: ['DELETE FROM t WHERE id IN (?)', 'keys'],
};

// started returns a harness that has data and the connection "n" of the driver null.
async function started() {
  const harness = new Harness();
  assert.deepStrictEqual(await harness.ask({ do: 'data', name: 'rows', rows }), { id: 1, state: 'ok', rows: 3 });
  await harness.ask({ do: 'data', name: 'keys', rows: [[1], [2], [3]] });
  assert.deepStrictEqual(await harness.ask({ do: 'prepare', connection: 'n', driver: 'null' }), { id: 3, state: 'ok', version: '1' });
  return harness;
}

test('hello names drivers, versions and schemes', async () => {
  const harness = new Harness();
  const { drivers, ...rest } = await harness.ask({ do: 'hello', protocol: 'assay.dev/driver/v1' });
  assert.deepStrictEqual(rest, {
    id: 1, state: 'ok', protocol: 'assay.dev/driver/v1', language: 'Node.js', runtime: process.version, clock: 'process.hrtime.bigint',
  });
  const versions = Object.fromEntries(drivers.map((driver) => [driver.name, driver.versions.length]));
  assert.deepStrictEqual(versions, { mysql2: 2, mariadb: 2, mysql: 1, 'promise-mysql': 2, null: 1 });
  const can = (name) => Object.keys(drivers.find((driver) => driver.name === name).schemes);
  assert.deepStrictEqual(can('mysql'), ['SingleRow', 'MultiRow', 'MultiStatement', 'InList']);
  assert.ok(can('mariadb').includes('Pipelined') && !can('mysql2').includes('Pipelined') && !can('mysql').includes('Prepared'));
  assert.strictEqual((await harness.ask({ do: 'hello', protocol: 'assay.dev/driver/v2' })).state, 'unsupported');
  assert.strictEqual(await harness.end(), 0);
});

test('null runs every scheme in every session and transaction', async () => {
  const harness = await started();
  for (const scheme of ['SingleRow', 'Prepared', 'ExecuteMany', 'Pipelined', 'MultiRow', 'MultiStatement', 'InList', 'Batch']) {
    for (const session of ['Dedicated', 'Pool', 'New']) {
      for (const transaction of ['Autocommit', 'One']) {
        const [statement, data] = statements[scheme] ?? ['UPDATE t SET a = ?, b = ?, c = ?', 'rows'];
        const { histogram, collection, nanoseconds, ...answer } = await harness.ask({
          do: 'run', connection: 'n', kind: 'Execute', scheme, session, transaction, statement, data,
          rowsPerOperation: 5, chunk: 2, operations: 7, seconds: 0,
        });
        assert.deepStrictEqual({ ...answer, id: 0 }, { id: 0, state: 'ok', operations: 7, rows: 0, checksum: 0 });
        assert.strictEqual(histogram.reduce((sum, [, count]) => sum + count, 0), 7);
        assert.ok(nanoseconds >= 1 && collection.before > 0 && Number.isInteger(collection.count));
      }
    }
  }
  assert.strictEqual(await harness.end(), 0);
});

test('garbage is collected before other work, not between runs of the same', async () => {
  const harness = await started();
  const collects = async (request) => {
    const run = { do: 'run', connection: 'n', kind: 'Query', scheme: 'SingleRow', statement: 'SELECT 1', operations: 1, ...request };
    return (await harness.ask(run)).collection.before > 0;
  };
  assert.strictEqual(await collects({}), true);
  assert.strictEqual(await collects({ operations: 5 }), false);
  assert.strictEqual(await collects({ operations: 0, seconds: 0.01 }), false);
  assert.strictEqual(await collects({ statement: 'SELECT 2' }), true);
  assert.strictEqual(await collects({}), true);
  assert.strictEqual(await harness.end(), 0);
});

test('null takes time, connects, encodes and queries', async () => {
  const harness = await started();
  const begin = process.hrtime.bigint();
  const timed = await harness.ask({ do: 'run', connection: 'n', kind: 'Query', scheme: 'SingleRow', statement: 'SELECT 1', seconds: 0.2 });
  assert.ok(timed.operations > 1000 && timed.nanoseconds >= 2e8 && process.hrtime.bigint() - begin >= 200000000n);
  for (const request of [{ kind: 'Connect' }, { kind: 'Encode', statement: 'DO ?', data: 'keys', inline: true }]) {
    const { state, operations, rows } = await harness.ask({ do: 'run', connection: 'n', ...request, operations: 3 });
    assert.deepStrictEqual({ state, operations, rows }, { state: 'ok', operations: 3, rows: 0 });
  }
  assert.deepStrictEqual(await harness.ask({ do: 'close', connection: 'n' }), { id: 7, state: 'ok' });
  assert.strictEqual(await harness.end(), 0);
});

test('what is unknown is unsupported, what is wrong has failed, and the harness goes on', async () => {
  const harness = await started();
  const run = { do: 'run', connection: 'n', kind: 'Execute', scheme: 'SingleRow', statement: 'DO 1', operations: 1 };
  const wanted = [
    ['unsupported', { do: 'dance' }],
    ['unsupported', { ...run, kind: 'Dance' }],
    ['unsupported', { ...run, scheme: 'Dance' }],
    ['unsupported', { ...run, scheme: 'constructor' }],
    ['unsupported', { ...run, session: 'Dance' }],
    ['unsupported', { ...run, transaction: 'Dance' }],
    ['unsupported', { ...run, scheme: 'Batch', inline: true }],
    ['unsupported', { do: 'prepare', connection: 'x', driver: 'dance' }],
    ['unsupported', { do: 'prepare', connection: 'x', driver: 'null', version: '2' }],
    ['unsupported', { do: 'prepare', connection: 'x', driver: 'null', tls: 'Dance' }],
    ['unsupported', { do: 'prepare', connection: 'x', driver: 'null', options: { dance: 'true' } }],
    ['unsupported', { do: 'data', name: 'big', rows: [[2 ** 53]] }],
    ['failed', { ...run, connection: 'x' }],
    ['failed', { ...run, data: 'x' }],
    ['failed', { ...run, operations: 0 }],
    ['failed', { ...run, seconds: 1 }],
    ['failed', { ...run, statement: 'DO ?' }],
    ['ok', run],
  ];
  for (const [state, request] of wanted) {
    const answer = await harness.ask(request);
    assert.strictEqual(answer.state, state, `${JSON.stringify(request)}: ${answer.reason}`);
    assert.ok(state === 'ok' || answer.reason.length > 0);
  }
  assert.strictEqual(await harness.end(), 0);
});

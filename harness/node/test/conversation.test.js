'use strict';

const assert = require('node:assert');
const { test } = require('node:test');
const { Harness } = require('../testing/harness.js');

// What is said is the matter of the conformance suite; these are the harness's own.

test('garbage is collected before other work, not between runs of the same', async () => {
  const harness = new Harness();
  await harness.ask({ do: 'prepare', connection: 'n', driver: 'null', version: '', host: '', port: 1, database: '', tls: false, options: {} });
  const collects = async (request) => {
    const run = {
      do: 'run', connection: 'n', kind: 'Query', scheme: 'SingleRow', session: 'Dedicated', commit: false, inline: false, statement: 'SELECT 1',
      head: '', group: '', separator: '', tail: '', data: '', rowsPerOperation: 1, chunk: 1, concurrency: 1, operations: 1, seconds: 0, ...request,
    };
    return (await harness.ask(run)).collection.before > 0;
  };
  assert.strictEqual(await collects({}), true);
  assert.strictEqual(await collects({ operations: 5 }), false);
  assert.strictEqual(await collects({ operations: 0, seconds: 0.01 }), false);
  assert.strictEqual(await collects({ statement: 'SELECT 2' }), true);
  assert.strictEqual(await collects({}), true);
  assert.strictEqual(await harness.end(), 0);
});

test('a line may have U+2028 in a text', async () => {
  const harness = new Harness();
  assert.deepStrictEqual(await harness.ask({ do: 'data', name: 'rows', rows: [['a\u2028b']] }), { id: 1, state: 'ok' });
  assert.strictEqual(await harness.end(), 0);
});

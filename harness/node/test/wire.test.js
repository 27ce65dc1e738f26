'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, before, describe, test } = require('node:test');
const tls = require('node:tls');
const { Harness } = require('../testing/harness.js');
const { Proxy } = require('../testing/proxy.js');
const { DATABASE, observe, pairs, prepare, run, servers, skip } = require('../testing/servers.js');

// What happens between client and server: encryption, login, pipelining, connections that break.

for (const server of servers) {
  describe(`connections to ${server}`, () => {
    let observer;
    let candidates;
    before(async () => {
      let isMariaDB;
      ({ connection: observer, isMariaDB } = await observe(server));
      candidates = pairs().filter(({ driver }) => isMariaDB || !driver.endsWith('mysql'));
    });
    after(() => observer.end());

    // each starts a harness for every driver that can log in.
    const each = async (environment, action) => {
      for (const pair of candidates) {
        const harness = new Harness(environment);
        await action(harness, pair, `${pair.driver} ${pair.version}`);
        assert.strictEqual(await harness.end(), 0);
      }
    };

    test('are encrypted if that is required, and else not', () =>
      each({}, async (harness, pair, what) => {
        for (const host of ['127.0.0.1', 'localhost']) {
          const encrypted = await prepare(harness, server, { ...pair, host, tls: 'Required' });
          assert.ok(encrypted.state === 'ok' && encrypted.cipher, `${what}: ${JSON.stringify(encrypted)}`);
        }
        for (const session of ['Pool', 'New']) {
          const answer = await run(harness, { kind: 'Query', statement: "SHOW SESSION STATUS LIKE 'Ssl_cipher'", session });
          assert.deepStrictEqual([answer.state, answer.rows], ['ok', 1], `${what}: ${answer.reason}`);
        }
        const plain = await prepare(harness, server, { ...pair, tls: 'Disabled' });
        assert.deepStrictEqual([plain.state, plain.cipher], ['ok', ''], `${what}: ${plain.reason}`);
      }));

    test('are refused if the authority is another, or the password wrong', async () => {
      const other = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'assay-')), 'ca.pem');
      fs.writeFileSync(other, tls.rootCertificates[0]);
      await each({ ASSAY_CA: other }, async (harness, pair, what) => {
        const answer = await prepare(harness, server, { ...pair, tls: 'Required' });
        assert.strictEqual(answer.state, 'failed', `${what}: ${JSON.stringify(answer)}`);
      });
      await each({ ASSAY_PASSWORD: 'wrong' }, async (harness, pair, what) => {
        const answer = await prepare(harness, server, pair);
        assert.ok(answer.state === 'failed' && /denied/.test(answer.reason), `${what}: ${JSON.stringify(answer)}`);
      });
    });

    test('have the name in the certificate verified by mariadb', async (t) => {
      const proxy = new Proxy(server);
      const address = await proxy.listen('127.0.0.2'); // not in the certificate
      t.after(() => proxy.close());
      await each({}, async (harness, pair, what) => {
        const { state } = await prepare(harness, address, { ...pair, tls: 'Required' });
        assert.strictEqual(state, pair.driver === 'mariadb' ? 'failed' : 'ok', what);
      });
    });

    test('are pipelined by mariadb only', async (t) => {
      await each({}, async (harness, pair, what) => {
        const proxy = new Proxy(server);
        const address = await proxy.listen();
        t.after(() => proxy.close());
        await prepare(harness, address, pair);
        await harness.ask({ do: 'data', name: 'd', rows: Array.from({ length: 10 }, (_, i) => [i]) });
        const request = { statement: 'DO ?', data: 'd', rowsPerOperation: 10 };
        await run(harness, request);
        assert.strictEqual(proxy.most, 1, `${what}: calls that are waited for`);
        const answer = await run(harness, { ...request, scheme: 'Pipelined' });
        assert.strictEqual(answer.state, pair.driver === 'mariadb' ? 'ok' : 'unsupported', what);
        assert.strictEqual(proxy.most, pair.driver === 'mariadb' ? 10 : 1, `${what}: calls that are not`);
      });
    });

    test('that break are made again by the next run', () =>
      each({}, async (harness, pair, what) => {
        await prepare(harness, server, pair);
        const statement = { statement: 'DO 1', operations: 2 };
        for (const session of ['Dedicated', 'Pool']) {
          // Between two runs.
          assert.strictEqual((await run(harness, { ...statement, session })).state, 'ok', what);
          await kill();
          const after = await run(harness, { ...statement, session });
          if (after.state !== 'ok') assert.strictEqual((await run(harness, { ...statement, session })).state, 'ok', what);

          // During a run, with everything that a transaction needs undone.
          const broken = run(harness, { kind: 'Query', statement: 'SELECT SLEEP(30)', session, transaction: 'One' });
          await new Promise((resolve) => setTimeout(resolve, 300));
          await kill();
          const { state, reason } = await broken;
          assert.strictEqual(state, 'failed', `${what} ${session}`);
          assert.ok(reason.length > 0);
          const again = await run(harness, { ...statement, session });
          assert.strictEqual(again.state, 'ok', `${what} ${session}: ${again.reason}`);
        }
      }));

    test('go on after a statement that failed', () =>
      each({}, async (harness, pair, what) => {
        await observer.query('DROP TABLE IF EXISTS k');
        await observer.query('CREATE TABLE k (a INT PRIMARY KEY)');
        await prepare(harness, server, pair);
        await harness.ask({ do: 'data', name: 'd', rows: [[1], [2], [1]] });
        const insert = { statement: 'INSERT INTO k VALUES (?)', data: 'd', rowsPerOperation: 3, transaction: 'One' };
        for (const session of ['Dedicated', 'Pool', 'New']) {
          const { state, reason } = await run(harness, { ...insert, session });
          assert.ok(state === 'failed' && /Duplicate entry/.test(reason), `${what} ${session}: ${reason}`);
          const [[{ n }]] = await observer.query('SELECT COUNT(*) AS n FROM k');
          assert.strictEqual(n, 0, `${what} ${session}: the transaction was rolled back`);
          assert.strictEqual((await run(harness, { statement: 'DO 1', session })).state, 'ok', what);
        }
      }));

    // kill ends all connections to the database of the tests but the test's own.
    async function kill() {
      const [rows] = await observer.query(
        'SELECT id FROM information_schema.PROCESSLIST WHERE db = ? AND id <> CONNECTION_ID()', [DATABASE]
      );
      for (const { id } of rows) await observer.query(`KILL ${id}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  });
}

test('connections to servers', { skip }, () => {});

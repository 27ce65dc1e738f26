'use strict';

const assert = require('node:assert');
const { after, before, describe, test } = require('node:test');
const { crc32 } = require('node:zlib');
const { Harness } = require('../testing/harness.js');
const { counting, observe, pairs, prepare, run, servers, skip } = require('../testing/servers.js');

// Every scheme of every driver on every server: the rows are in the table, and the counters of the session show that
// it was done as the scheme says.

const ROWS = 100;
const CHUNK = 40;
const data = Array.from({ length: ROWS }, (_, i) => [`Zoë 😀 ${i}`, i]);
const COUNTERS = ['Com_insert', 'Com_stmt_prepare', 'Com_stmt_execute', 'Questions', 'Com_commit'];

const prepares = new Set(['Prepared', 'Batch']);

// wanted says what the counters have to be for an insert of all rows in one operation.
function wanted(scheme, isMariaDB) {
  const statements = { MultiRow: Math.ceil(ROWS / CHUNK) }[scheme] ?? ROWS;
  if (scheme === 'Prepared') return { Com_insert: ROWS, Com_stmt_execute: ROWS, Com_stmt_prepare: 1 };
  if (scheme === 'Batch') {
    const executed = isMariaDB ? 1 : ROWS;
    return { Com_insert: executed, Com_stmt_execute: executed, Com_stmt_prepare: 1 };
  }
  return { Com_insert: statements, Com_stmt_execute: 0, Com_stmt_prepare: 0 };
}

for (const server of servers) {
  describe(`schemes on ${server}`, () => {
    let observer;
    let isMariaDB;
    before(async () => {
      ({ connection: observer, isMariaDB } = await observe(server));
      await observer.query('DROP TABLE IF EXISTS t');
      await observer.query('CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, a VARCHAR(40), b INT) CHARACTER SET utf8mb4');
    });
    after(() => observer.end());

    // content returns the number of rows, and a sum over them that depends on the characters.
    const content = async () => {
      const [[row]] = await observer.query("SELECT COUNT(*) AS n, COALESCE(SUM(CRC32(CONCAT_WS('|', a, b))), 0) AS s FROM t");
      return { n: row.n, s: Number(row.s) };
    };
    const sum = (times) => data.reduce((total, [a, b]) => total + times * crc32(`${a}|${b}`), 0);

    for (const { driver, version } of pairs()) {
      test(`${driver} ${version}`, async (t) => {
        const harness = new Harness();
        t.after(() => harness.end());
        const { drivers } = await harness.ask({ do: 'hello', protocol: 'assay.dev/driver/v1' });
        const can = Object.keys(drivers.find(({ name }) => name === driver).schemes);
        const prepared = await prepare(harness, server, { driver, version });
        if (!isMariaDB && driver.endsWith('mysql')) {
          assert.strictEqual(prepared.state, 'unsupported');
          return;
        }
        assert.deepStrictEqual([prepared.state, prepared.version, prepared.cipher], ['ok', version, ''], prepared.reason);
        await harness.ask({ do: 'data', name: 'd', rows: data });
        await harness.ask({ do: 'data', name: 'keys', rows: data.map(([, b]) => [b]) });
        await harness.ask({ do: 'data', name: 'updates', rows: data.map(([, b]) => [b + 1000, b]) });

        for (const scheme of can.filter((name) => name !== 'InList')) await insert(t, harness, scheme);
        await select(harness, can);
        await change(harness, can);
      });
    }

    async function insert(t, harness, scheme) {
      for (const session of ['Dedicated', 'Pool', 'New']) {
        for (const transaction of ['Autocommit', 'One']) {
          await observer.query('TRUNCATE TABLE t');
          const request = {
            scheme, session, transaction, statement: 'INSERT INTO t (a, b) VALUES (?, ?)', data: 'd', rowsPerOperation: ROWS, chunk: CHUNK,
          };
          const what = `${scheme} ${session} ${transaction}`;
          // The counters are those of the connection that was prepared.
          const names = session === 'Dedicated' ? COUNTERS : [];
          const { answer, grown } = await counting(harness, names, () => run(harness, request));
          assert.strictEqual(answer.state, 'ok', `${what}: ${answer.reason}`);
          assert.deepStrictEqual(await content(), { n: ROWS, s: sum(1) }, what);
          if (session === 'Dedicated') await counted(t, harness, { what, scheme, transaction, grown });
          const again = await run(harness, { ...request, rowsPerOperation: 30, operations: 10 });
          assert.deepStrictEqual([again.state, again.operations], ['ok', 10], `${what}: ${again.reason}`);
          assert.deepStrictEqual(await content(), { n: ROWS * 4, s: sum(4) }, what);
        }
      }
    }

    async function counted(t, harness, { what, scheme, transaction, grown }) {
      t.diagnostic(`${what}: ${JSON.stringify(grown)}`);
      const { Questions, Com_commit, ...counters } = grown;
      const want = wanted(scheme, isMariaDB);
      // mariadb keeps statements for longer than a run: the same text is not prepared again.
      if (counters.Com_stmt_prepare === 0 && prepares.has(scheme)) want.Com_stmt_prepare = 0;
      // MySQL prepares a statement again by itself, and counts that, if the table was truncated since, or if parameters
      // have other types than it had guessed; if that happens in an execution, it counts the execution twice.
      if (!isMariaDB && prepares.has(scheme)) {
        want.Com_stmt_prepare = counters.Com_stmt_prepare;
        assert.ok(counters.Com_stmt_prepare <= 2, what);
        if (counters.Com_insert === ROWS + 1) want.Com_insert = want.Com_stmt_execute = ROWS + 1;
      }
      assert.deepStrictEqual(counters, want, what);
      assert.strictEqual(Com_commit, transaction === 'One' ? 1 : 0, what);
      const { checksum } = await run(harness, { kind: 'Query', statement: 'SELECT @@autocommit' });
      assert.strictEqual(checksum, crc32('1\n'), 'autocommit is on again');
    }

    async function select(harness, can) {
      await observer.query('TRUNCATE TABLE t');
      await observer.query('INSERT INTO t (a, b) VALUES ?', [data]);
      const line = ([a, b]) => `${a}\t${b}\t\\N\n`;
      for (const scheme of ['SingleRow', 'Prepared', 'Pipelined', 'MultiStatement'].filter((name) => can.includes(name))) {
        const answer = await run(harness, {
          kind: 'Query', scheme, statement: 'SELECT a, b, NULL AS n FROM t WHERE b = ?', data: 'keys', rowsPerOperation: 3, chunk: 2, operations: 11,
        });
        const last = crc32(data.slice(30, 33).map(line).join(''));
        assert.deepStrictEqual([answer.state, answer.rows, answer.checksum], ['ok', 33, last], `${scheme}: ${answer.reason}`);
      }
      const listed = await run(harness, {
        kind: 'Query', scheme: 'InList', statement: 'SELECT a, b, NULL AS n FROM t WHERE b IN (?)', data: 'keys', rowsPerOperation: ROWS, chunk: CHUNK,
      });
      assert.deepStrictEqual([listed.rows, listed.checksum], [ROWS, crc32(data.map(line).join(''))], listed.reason);
      const inline = { kind: 'Query', statement: 'SELECT a, ?, b FROM t LIMIT 1', data: 'keys', inline: true, operations: 7 };
      for (const scheme of ['SingleRow', 'Prepared'].filter((name) => can.includes(name))) {
        const { rows, checksum, reason } = await run(harness, { ...inline, scheme });
        assert.deepStrictEqual([rows, checksum], [7, crc32(`${data[0][0]}\t6\t0\n`)], `${scheme}: ${reason}`);
      }
    }

    async function change(harness, can) {
      for (const scheme of ['SingleRow', 'Prepared', 'Pipelined', 'MultiStatement', 'Batch'].filter((name) => can.includes(name))) {
        await observer.query('UPDATE t SET b = b % 1000');
        const answer = await run(harness, { scheme, statement: 'UPDATE t SET b = ? WHERE b = ?', data: 'updates', rowsPerOperation: ROWS, chunk: CHUNK });
        assert.strictEqual(answer.state, 'ok', `${scheme}: ${answer.reason}`);
        const [[{ n }]] = await observer.query('SELECT COUNT(*) AS n FROM t WHERE b >= 1000');
        assert.strictEqual(n, ROWS, scheme);
      }
      await observer.query('UPDATE t SET b = b % 1000');
      const { grown } = await counting(harness, ['Com_delete'], () =>
        run(harness, { scheme: 'InList', statement: 'DELETE FROM t WHERE b IN (?)', data: 'keys', rowsPerOperation: ROWS, chunk: CHUNK })
      );
      assert.deepStrictEqual([grown.Com_delete, (await content()).n], [Math.ceil(ROWS / CHUNK), 0]);
    }
  });
}

test('schemes on servers', { skip }, () => {});

'use strict';

const { crc32 } = require('node:zlib');
const drivers = require('../drivers/index.js');

// Tests against servers: ASSAY_TEST_SERVERS="127.0.0.1:23310 127.0.0.1:23397" names them, and ASSAY_USERNAME,
// ASSAY_PASSWORD and ASSAY_CA are as for the harness. The account must be able to make databases and to kill.
const DATABASE = 'assay_node';
const servers = (process.env.ASSAY_TEST_SERVERS ?? '').split(' ').filter(Boolean);
const skip = servers.length === 0 && 'ASSAY_TEST_SERVERS names no server';

// pairs lists every driver that has a server, in every version.
function pairs() {
  const real = drivers.list().filter((driver) => driver.connects);
  return real.flatMap((driver) => driver.versions.map((version) => ({ driver: driver.name, version })));
}

// observe opens a connection of the test's own.
async function observe(server) {
  const [host, port] = server.split(':');
  const connection = await require('mysql2/promise').createConnection({
    host, port: Number(port), user: process.env.ASSAY_USERNAME, password: process.env.ASSAY_PASSWORD,
  });
  await connection.query(`CREATE DATABASE IF NOT EXISTS ${DATABASE}`);
  await connection.query(`USE ${DATABASE}`);
  const [[{ version }]] = await connection.query('SELECT VERSION() AS version');
  return { connection, isMariaDB: version.includes('MariaDB'), version };
}

// prepare asks the harness for a connection to a server.
function prepare(harness, server, more) {
  const [host, port] = server.split(':');
  return harness.ask({
    do: 'prepare', connection: 'c', host, port: Number(port), database: DATABASE, tls: 'Disabled', ...more,
  });
}

function run(harness, more) {
  return harness.ask({ do: 'run', connection: 'c', kind: 'Execute', scheme: 'SingleRow', operations: 1, ...more });
}

// counter reads a counter of the harness's own session. The protocol tells only the checksum of what was fetched, so
// the number that makes it is searched for.
async function counter(harness, name) {
  const answer = await run(harness, { kind: 'Query', statement: `SHOW SESSION STATUS LIKE '${name}'` });
  for (let value = 0; value < 1000000; value++) {
    if (crc32(`${name}\t${value}\n`) === answer.checksum) return value;
  }
  throw new Error(`no value of ${name} has the checksum of ${JSON.stringify(answer)}`);
}

// counting returns how much each counter of the session grew while something was done.
async function counting(harness, names, action) {
  const before = {};
  for (const name of names) before[name] = await counter(harness, name);
  const answer = await action();
  const grown = {};
  // Each reading is a statement of its own.
  for (const name of names) {
    grown[name] = (await counter(harness, name)) - before[name] - (name === 'Questions' ? names.length : 0);
  }
  return { answer, grown };
}

module.exports = { DATABASE, counting, observe, pairs, prepare, run, servers, skip };

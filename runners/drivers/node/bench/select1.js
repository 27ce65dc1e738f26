'use strict';

// A loop of SELECT 1 as a user of a driver would write it, without the harness, to compare the harness with.
//
// Before the loop it does what the harness has to do before it measures: it switches autocommit on, asks for the cipher
// and collects garbage. Each alone changes nothing, but a collection after other statements makes each call of mysql2
// and mariadb about 1 µs slower: a matter of the state that V8 is in, and not of who wrote the loop.
// Usage: node select1.js DRIVER HOST PORT SECONDS DATABASE [PACKAGE]
//   DRIVER is mysql, promise-mysql, mysql2, mariadb; PACKAGE is another version of it, as package.json names it.
//   User name and password are in ASSAY_USERNAME and ASSAY_PASSWORD.
// Prints {"operations":N,"nanoseconds":N}.

const v8 = require('node:v8');
const vm = require('node:vm');

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc');
const BEFORE = ['SET autocommit = 1', "SHOW SESSION STATUS LIKE 'Ssl_cipher'"];

const [driver, host, port, seconds, database, name = driver] = process.argv.slice(2);
const config = {
  host,
  port: Number(port),
  database,
  user: process.env.ASSAY_USERNAME,
  password: process.env.ASSAY_PASSWORD,
};

// elapsed returns nanoseconds since the first call of the clock.
const origin = process.hrtime.bigint();
const elapsed = () => Number(process.hrtime.bigint() - origin);

async function mariadb() {
  const connection = await require(name).createConnection({
    ...config,
    collation: 'UTF8MB4_UNICODE_CI',
    allowPublicKeyRetrieval: true,
  });
  for (const statement of BEFORE) await connection.query(statement);
  collect();
  const begin = elapsed();
  const end = begin + seconds * 1e9;
  let operations = 0;
  let now;
  do {
    const rows = await connection.query('SELECT 1');
    if (rows.length !== 1) throw new Error('SELECT 1 returned no row');
    operations++;
    now = elapsed();
  } while (now < end);
  await connection.end();
  return { operations, nanoseconds: now - begin };
}

async function mysql2() {
  const connection = await require(`${name}/promise`).createConnection({ ...config, charset: 'UTF8MB4_UNICODE_CI' });
  for (const statement of BEFORE) await connection.query(statement);
  collect();
  const begin = elapsed();
  const end = begin + seconds * 1e9;
  let operations = 0;
  let now;
  do {
    const [rows] = await connection.query('SELECT 1');
    if (rows.length !== 1) throw new Error('SELECT 1 returned no row');
    operations++;
    now = elapsed();
  } while (now < end);
  await connection.end();
  return { operations, nanoseconds: now - begin };
}

async function promiseMysql() {
  const connection = await require(name).createConnection({
    ...config,
    charset: 'UTF8MB4_UNICODE_CI',
    returnArgumentsArray: true, // as in the harness, which has to know the columns
  });
  for (const statement of BEFORE) await connection.query(statement);
  collect();
  const begin = elapsed();
  const end = begin + seconds * 1e9;
  let operations = 0;
  let now;
  do {
    const [rows] = await connection.query('SELECT 1');
    if (rows.length !== 1) throw new Error('SELECT 1 returned no row');
    operations++;
    now = elapsed();
  } while (now < end);
  await connection.end();
  return { operations, nanoseconds: now - begin };
}

// mysql has callbacks only, so its loop is one.
function mysql() {
  const connection = require(name).createConnection({ ...config, charset: 'UTF8MB4_UNICODE_CI' });
  return new Promise((resolve, reject) => {
    let begin;
    let operations = 0;
    const next = (error, rows) => {
      if (error) return reject(error);
      if (rows.length !== 1) return reject(new Error('SELECT 1 returned no row'));
      operations++;
      const now = elapsed();
      if (now < begin + seconds * 1e9) return connection.query('SELECT 1', next);
      connection.end(() => resolve({ operations, nanoseconds: now - begin }));
    };
    const start = (error) => {
      if (error) return reject(error);
      collect();
      begin = elapsed();
      connection.query('SELECT 1', next);
    };
    connection.connect((error) => {
      if (error) return reject(error);
      connection.query(BEFORE[0], () => connection.query(BEFORE[1], start));
    });
  });
}

const loops = { mariadb, mysql, mysql2, 'promise-mysql': promiseMysql };
if (!loops[driver]) throw new Error(`usage: select1.js DRIVER HOST PORT SECONDS DATABASE [PACKAGE]; drivers: ${Object.keys(loops)}`);
loops[driver]().then(
  (result) => console.log(JSON.stringify(result)),
  (error) => {
    console.error(error);
    process.exitCode = 1;
  }
);

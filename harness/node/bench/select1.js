'use strict';

// Loops of SELECT 1 as a user of a driver would write them, without the harness, to compare the harness with.
//
// Before the first run it does what the harness has to do: it switches autocommit on, asks for the cipher and collects
// garbage. A collection changes the state that V8 is in, whoever wrote the loop.
// Usage: node select1.js DRIVER HOST PORT DATABASE [PACKAGE]
//   DRIVER is mysql, promise-mysql, mysql2, mariadb; PACKAGE is another version of it, as package.json names it.
//   User name and password are in ASSAY_USERNAME and ASSAY_PASSWORD.
// Each line of standard input is the seconds of a run, and is answered by {"operations":N,"nanoseconds":N}.

const readline = require('node:readline');
const { promisify } = require('node:util');
const v8 = require('node:v8');
const vm = require('node:vm');

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc');
const BEFORE = ['SET autocommit = 1', "SHOW SESSION STATUS LIKE 'Ssl_cipher'"];

const [driver, host, port, database, name = driver] = process.argv.slice(2);
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

const drivers = {
  mariadb: {
    connect: () =>
      require(name).createConnection({ ...config, collation: 'UTF8MB4_UNICODE_CI', allowPublicKeyRetrieval: true }),
    loop: rowsAlone,
  },
  mysql2: {
    connect: () => require(`${name}/promise`).createConnection({ ...config, charset: 'UTF8MB4_UNICODE_CI' }),
    loop: rowsFirst,
  },
  'promise-mysql': {
    connect: () =>
      require(name).createConnection({
        ...config,
        charset: 'UTF8MB4_UNICODE_CI',
        returnArgumentsArray: true, // as in the harness, which has to know the columns
      }),
    loop: rowsFirst,
  },
  mysql: {
    connect: async () => require(name).createConnection({ ...config, charset: 'UTF8MB4_UNICODE_CI' }),
    loop: calledBack,
  },
};

async function rowsAlone(connection, seconds) {
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
  return { operations, nanoseconds: now - begin };
}

async function rowsFirst(connection, seconds) {
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
  return { operations, nanoseconds: now - begin };
}

// mysql has callbacks only, so its loop is one.
function calledBack(connection, seconds) {
  return new Promise((resolve, reject) => {
    const begin = elapsed();
    const end = begin + seconds * 1e9;
    let operations = 0;
    const next = (error, rows) => {
      if (error) return reject(error);
      if (rows.length !== 1) return reject(new Error('SELECT 1 returned no row'));
      operations++;
      const now = elapsed();
      if (now < end) return connection.query('SELECT 1', next);
      resolve({ operations, nanoseconds: now - begin });
    };
    connection.query('SELECT 1', next);
  });
}

async function main() {
  if (!drivers[driver]) {
    throw new Error(`usage: select1.js DRIVER HOST PORT DATABASE [PACKAGE]; drivers: ${Object.keys(drivers)}`);
  }
  const { connect, loop } = drivers[driver];
  const connection = await connect();
  const query = driver === 'mysql' ? promisify(connection.query) : connection.query;
  for (const statement of BEFORE) await query.call(connection, statement);
  collect();
  for await (const seconds of readline.createInterface({ input: process.stdin })) {
    console.log(JSON.stringify(await loop(connection, Number(seconds))));
  }
  connection.destroy();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});

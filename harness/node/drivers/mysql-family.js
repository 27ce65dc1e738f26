'use strict';

const { Unsupported } = require('../lib/unsupported.js');

// How every driver of Node.js does these.
const POOL = 'createPool() with a connectionLimit of the concurrency';
const CONCURRENCY = 'promises in the one event loop';

// What mysql, promise-mysql (which wraps it) and mysql2 (which follows it) have in common.

const mysqlCan = {
  SingleRow: 'query(): parameters written into the text by the client, COM_QUERY',
  MultiRow: 'query() with VALUES ? and an array of rows, which the client writes as groups',
  MultiStatement: 'query() of statements joined by ; with the option multipleStatements, one COM_QUERY',
  InList: 'query() with IN (?) and an array of keys, which the client writes as a list',
  Pool: POOL,
  Concurrency: CONCURRENCY,
  Encode: 'format()',
};

const mysqlCannot = {
  Prepared: 'it has no statements prepared on the server',
  Pipelined: 'it queues commands, and sends one when the answer to the one before has come',
  ExecuteMany: 'it has no call that takes many rows',
  Batch: 'it has no batch',
};

const mysqlOptions = {
  acquireTimeout: 'integer',
  bigNumberStrings: 'boolean',
  connectTimeout: 'integer',
  dateStrings: 'boolean',
  flags: 'text',
  insecureAuth: 'boolean',
  localInfile: 'boolean',
  multipleStatements: 'boolean',
  queueLimit: 'integer',
  stringifyObjects: 'boolean',
  supportBigNumbers: 'boolean',
  timezone: 'text',
  trace: 'boolean',
  typeCast: 'boolean',
  waitForConnections: 'boolean',
};

// All three hand over rows and columns as [rows, columns].
const mysqlResults = {
  rows: (result) => result[0],
  columns: ([, columns]) => columns.map(({ name }) => name),
};

// The harness switches multipleStatements on, unless the options of a connection switch it off.
function refuseWithoutMultipleStatements(scheme, { multipleStatements }) {
  if (scheme === 'MultiStatement' && multipleStatements === false) {
    throw new Unsupported('MultiStatement: the connection was prepared with multipleStatements false');
  }
}

module.exports = { CONCURRENCY, POOL, mysqlOptions, mysqlCannot, mysqlResults, mysqlCan, refuseWithoutMultipleStatements };

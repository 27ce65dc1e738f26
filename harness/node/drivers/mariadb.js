'use strict';

const tls = require('node:tls');
const { CONCURRENCY, POOL, refuseWithoutMultipleStatements } = require('./mysql-family.js');
const { Unsupported } = require('../lib/unsupported.js');

module.exports = {
  name: 'mariadb',
  connects: true,
  nestedArrays: false,
  can: {
    SingleRow: 'query(): parameters written into the text by the client, COM_QUERY',
    Prepared: 'execute(): COM_STMT_EXECUTE of a statement that the connection keeps',
    Pipelined: 'query() for each row, none waited for: the client sends COM_QUERY after COM_QUERY',
    MultiRow: 'query() with one group of ? per row; parameters written into the text by the client',
    MultiStatement: 'query() of statements joined by ; with the option multipleStatements, one COM_QUERY',
    InList: 'query() with one ? per key; parameters written into the text by the client',
    Batch:
      'batch(): on MariaDB COM_STMT_BULK_EXECUTE with all rows; on a server without that, or with the option bulk ' +
      'false, COM_STMT_EXECUTE for each row, sent without waiting',
    Pool: POOL,
    Concurrency: CONCURRENCY,
  },
  cannot: {
    ExecuteMany: 'it has no call that takes many rows but batch(), which is the scheme Batch',
    Encode: 'it has no public function that writes parameters into a statement',
  },
  options: {
    acquireTimeout: 'integer',
    bigIntAsNumber: 'boolean',
    bulk: 'boolean',
    checkDuplicate: 'boolean',
    compress: 'boolean',
    connectTimeout: 'integer',
    dateStrings: 'boolean',
    decimalAsNumber: 'boolean',
    foundRows: 'boolean',
    insertIdAsNumber: 'boolean',
    keepAliveDelay: 'integer',
    maxAllowedPacket: 'integer',
    minDelayValidation: 'integer',
    multipleStatements: 'boolean',
    noControlAfterUse: 'boolean',
    pipelining: 'boolean',
    prepareCacheLength: 'integer',
    resetAfterUse: 'boolean',
    rowsAsArray: 'boolean',
    socketTimeout: 'integer',
    timezone: 'text',
    trace: 'boolean',
  },
  config: {
    collation: 'UTF8MB4_UNICODE_CI',
    multipleStatements: true,
    // For caching_sha2_password without TLS; other drivers ask the server for its key without being told to.
    allowPublicKeyRetrieval: true,
  },
  check(scheme, options) {
    refuseWithoutMultipleStatements(scheme, options);
    if (scheme === 'Pipelined' && options.pipelining === false) {
      throw new Unsupported('Pipelined: the connection was prepared with pipelining false');
    }
    if (scheme === 'Prepared' && options.prepareCacheLength === 0) {
      throw new Unsupported('Prepared: with prepareCacheLength 0 execute() prepares the statement again for every row');
    }
  },
  load: (name) => require(name),
  // By itself the driver compares the certificate with "localhost" if the host is an address.
  ssl: (ca, host) => ({ ca, checkServerIdentity: (_, certificate) => tls.checkServerIdentity(host, certificate) }),

  async connect(mariadb, config) {
    const connection = await mariadb.createConnection(config);
    // An error that no call waits for would end the process.
    connection.on('error', () => {});
    return connection;
  },
  disconnect: (connection) => connection.end(),
  destroy: (connection) => connection.destroy(),
  onLost: (connection, callback) => {
    connection.on('error', callback);
    connection.on('end', callback);
  },

  rows: (result) => result,
  columns: (rows) => rows.meta.map((column) => column.name()),

  // What is prepared once, execute() finds again by its text.
  prepare: (connection, text) => connection.prepare(text),
  unprepare: async (connection, statement) => statement.close(),

  createPool: async (mariadb, config, size) => mariadb.createPool({ ...config, connectionLimit: size }),
  acquire: (pool) => pool.getConnection(),
  release: (connection) => connection.release(),
  endPool: (pool) => pool.end(),
};

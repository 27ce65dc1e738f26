'use strict';

const net = require('node:net');
const {
  mysqlOptions,
  mysqlCannot,
  mysqlResults,
  mysqlCan,
  refuseWithoutMultipleStatements,
} = require('./mysql-family.js');

const { acquireTimeout, localInfile, ...common } = mysqlOptions; // mysql2 has not got these two

// mysql2 through its own promises, require('mysql2/promise').
module.exports = {
  ...mysqlResults,
  name: 'mysql2',
  connects: true,
  nestedArrays: true,
  can: {
    ...mysqlCan,
    Prepared: 'execute(): COM_STMT_EXECUTE of a statement that the connection keeps; numbers are sent as doubles',
  },
  cannot: mysqlCannot,
  options: {
    ...common,
    compress: 'boolean',
    decimalNumbers: 'boolean',
    enableKeepAlive: 'boolean',
    maxPreparedStatements: 'integer',
    rowsAsArray: 'boolean',
  },
  config: { charset: 'UTF8MB4_UNICODE_CI', multipleStatements: true },
  check: refuseWithoutMultipleStatements,
  load: (name) => require(`${name}/promise`),
  // Version 3 compares the name in the certificate if asked to, but with an address as host it looks for "localhost".
  ssl: (ca, host) => ({ ca, ...(!net.isIP(host) && { verifyIdentity: true }) }),

  async connect(mysql2, config) {
    const connection = await mysql2.createConnection(config);
    // An error that no call waits for would end the process.
    connection.on('error', () => {});
    return connection;
  },
  disconnect: (connection) => connection.end(),
  destroy: (connection) => connection.destroy(),
  onLost: (connection, callback) => connection.on('error', callback).on('end', callback),

  // What is prepared once, execute() finds again by its text.
  async prepare(connection, text) {
    await connection.prepare(text);
    return text;
  },
  unprepare: async (connection, text) => connection.unprepare(text),

  createPool: async (mysql2, config, size) => mysql2.createPool({ ...config, connectionLimit: size }),
  acquire: (pool) => pool.getConnection(),
  release: async (connection) => connection.release(),
  endPool: (pool) => pool.end(),

  format: (mysql2, text, values) => mysql2.format(text, values),
};

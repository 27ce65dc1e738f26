'use strict';

const mysql = require('./mysql.js');

// promise-mysql wraps mysql in promises of Bluebird; protocol, options and limits are those of mysql.
module.exports = {
  ...mysql,
  name: 'promise-mysql',
  versions: undefined,
  // The promise gives what the callback of mysql gets: rows, columns and the query; by default only the rows.
  config: { ...mysql.config, returnArgumentsArray: true },

  async connect(library, config) {
    // With its default it opens another connection in the background after one was lost, and loses hold of it.
    const connection = await library.createConnection({ ...config, reconnect: false });
    connection.on('error', () => {});
    return connection;
  },
  disconnect: (connection) => connection.end(),
  destroy: (connection) => connection.destroy(),
  onLost: (connection, callback) => {
    connection.on('error', callback);
    connection.on('end', callback);
  },

  createPool: (library, config, size) => library.createPool({ ...config, connectionLimit: size }),
  acquire: (pool) => pool.getConnection(),
  release: async (connection) => connection.release(),
  endPool: (pool) => pool.end(),

  format: (library, text, values) => library.format(text, values),
};

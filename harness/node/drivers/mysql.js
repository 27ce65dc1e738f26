'use strict';

const {
  mysqlOptions,
  mysqlCannot,
  mysqlResults,
  mysqlCan,
  refuseWithoutMultipleStatements,
} = require('./mysql-family.js');

// settled makes a promise of a call with a callback.
const settled = (call) =>
  new Promise((resolve, reject) => call((error, result) => (error ? reject(error) : resolve(result))));

// PromisedConnection makes one promise of the callback of a call, so that the harness waits in the same way for every
// driver. The call itself is outside of the function that makes the promise: the driver records the stack of each.
class PromisedConnection {
  constructor(connection) {
    this.connection = connection;
  }

  query(text, values) {
    let resolve;
    let reject;
    const promise = new Promise((...both) => ([resolve, reject] = both));
    this.connection.query(text, values, (error, rows, columns) => (error ? reject(error) : resolve([rows, columns])));
    return promise;
  }

  commit() {
    return settled((callback) => this.connection.commit(callback));
  }
}

module.exports = {
  ...mysqlResults,
  name: 'mysql',
  connects: true,
  nestedArrays: true,
  can: mysqlCan,
  cannot: mysqlCannot,
  options: mysqlOptions,
  config: { charset: 'UTF8MB4_UNICODE_CI', multipleStatements: true },
  check: refuseWithoutMultipleStatements,
  load: (name) => require(name),
  // The driver verifies the certificate against the authority; the name in it, it never looks at.
  ssl: (ca) => ({ ca }),

  async connect(mysql, config) {
    const connection = mysql.createConnection(config);
    // An error that no call waits for would end the process.
    connection.on('error', () => {});
    await settled((callback) => connection.connect(callback));
    return new PromisedConnection(connection);
  },
  disconnect: ({ connection }) => settled((callback) => connection.end(callback)),
  destroy: ({ connection }) => connection.destroy(),
  onLost: ({ connection }, callback) => connection.on('error', callback).on('end', callback),

  createPool: async (mysql, config, size) => mysql.createPool({ ...config, connectionLimit: size }),
  acquire: async (pool) => new PromisedConnection(await settled((callback) => pool.getConnection(callback))),
  release: async ({ connection }) => connection.release(),
  endPool: (pool) => settled((callback) => pool.end(callback)),

  format: (mysql, text, values) => mysql.format(text, values),
};

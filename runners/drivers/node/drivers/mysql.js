'use strict';

const {
  mysqlOptions,
  mysqlRefusals,
  mysqlResults,
  mysqlSchemes,
  refuseWithoutMultipleStatements,
} = require('./mysql-family.js');

// The callback of a call becomes one promise, as util.promisify would make it; so the harness waits in the same way
// for every driver.
const promise = (call) =>
  new Promise((resolve, reject) => call((error, result) => (error ? reject(error) : resolve(result))));

module.exports = {
  ...mysqlResults,
  name: 'mysql',
  connects: true,
  nestedArrays: true,
  schemes: mysqlSchemes,
  refusals: mysqlRefusals,
  options: mysqlOptions,
  config: { charset: 'UTF8MB4_UNICODE_CI', multipleStatements: true },
  check: refuseWithoutMultipleStatements,
  load: (name) => require(name),
  // The driver verifies the certificate against the authority; the name in it, it never looks at.
  ssl: (ca) => ({ ca }),
  // The client knows the login of old servers only.
  cannotLogIn: ({ code }) => code === 'ER_NOT_SUPPORTED_AUTH_MODE' || code === 'UNSUPPORTED_AUTH_METHOD',

  async connect(mysql, config) {
    const connection = mysql.createConnection(config);
    // An error that no call waits for would end the process.
    connection.on('error', () => {});
    await promise((callback) => connection.connect(callback));
    return connection;
  },
  disconnect: (connection) => promise((callback) => connection.end(callback)),
  destroy: (connection) => connection.destroy(),
  onLost: (connection, callback) => connection.on('error', callback).on('end', callback),

  query: (connection, text, values) =>
    new Promise((resolve, reject) => {
      connection.query(text, values, (error, rows, columns) => (error ? reject(error) : resolve([rows, columns])));
    }),
  commit: (connection) => promise((callback) => connection.commit(callback)),

  createPool: (mysql, config) => Promise.resolve(mysql.createPool({ ...config, connectionLimit: 1 })),
  acquire: (pool) => promise((callback) => pool.getConnection(callback)),
  release: async (connection) => connection.release(),
  endPool: (pool) => promise((callback) => pool.end(callback)),

  format: (mysql, text, values) => mysql.format(text, values),
};

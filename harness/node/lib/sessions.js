'use strict';

const { Unsupported } = require('./unsupported.js');

// Where an operation finds its connection. Each session says what is done before the first operation (open: it returns
// what every operation is called with), in each of them (wrap), and after the last (settle). open and settle are untimed.

// withCommit ends an operation with a commit, where the run asks for that.
function withCommit(work, one) {
  if (!one) return work;
  return async (open) => {
    const result = await work(open);
    await open.commit();
    return result;
  };
}

const dedicated = {
  // A statement is prepared before the first operation; elsewhere the connection of an operation is another.
  prepares: true,
  async open(connection, one) {
    const open = await connection.open();
    if (one) await open.query('SET autocommit = 0');
    return open;
  },
  wrap: (connection, work, one) => withCommit(work, one),
  async settle(connection, one, open) {
    if (one) await open.query('SET autocommit = 1');
  },
};

// inPool runs work on a connection of the pool. One that failed is not given back.
async function inPool(driver, pool, work) {
  const open = await driver.acquire(pool);
  let result;
  try {
    result = await work(open);
  } catch (error) {
    driver.destroy(open);
    throw error;
  }
  await driver.release(open);
  return result;
}

const pooled = {
  async open(connection, one) {
    const { driver } = connection;
    const pool = await connection.openPool();
    if (one) await inPool(driver, pool, (open) => open.query('SET autocommit = 0'));
    await inPool(driver, pool, async (open) => {
      if (one && driver.connects && (await connection.value(open, 'SELECT @@autocommit')) !== '0') {
        throw new Unsupported('the pool switches autocommit on again whenever a connection is given back');
      }
    });
    return pool;
  },
  wrap: ({ driver }, work, one) => {
    const whole = withCommit(work, one);
    return (pool) => inPool(driver, pool, whole);
  },
  async settle(connection, one, pool) {
    const { driver } = connection;
    if (one) await inPool(driver, pool, (open) => open.query('SET autocommit = 1'));
  },
};

const fresh = {
  async open() {},
  wrap: (connection, work, one) => {
    const { driver } = connection;
    const whole = withCommit(work, one);
    return async () => {
      const open = await connection.connect();
      let result;
      try {
        if (one) await open.query('SET autocommit = 0');
        result = await whole(open);
      } catch (error) {
        driver.destroy(open);
        throw error;
      }
      await driver.disconnect(open);
      return result;
    };
  },
  async settle() {},
};

const SESSIONS = { Dedicated: dedicated, Pool: pooled, New: fresh };

module.exports = { SESSIONS };

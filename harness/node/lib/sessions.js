'use strict';

const { Unsupported } = require('./unsupported.js');

// Where an operation finds its connection. Each session says what is done before the first operation (open: it returns, for each
// worker, what its operations are called with), in each of them (wrap), and after the last (settle). open and settle are untimed.

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
  async open(connection, { concurrency, commit }) {
    const all = await connection.open(concurrency);
    if (commit) for (const open of all) await open.query('SET autocommit = 0');
    return all;
  },
  wrap: (connection, work, one) => withCommit(work, one),
  async settle(connection, { commit }, all) {
    if (commit) for (const open of all) await open.query('SET autocommit = 1');
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

// throughPool runs work on every connection of the pool: all are acquired before the first is given back.
async function throughPool(driver, pool, size, work) {
  const held = [];
  try {
    while (held.length < size) held.push(await driver.acquire(pool));
    for (const open of held) await work(open);
  } catch (error) {
    for (const open of held) driver.destroy(open);
    throw error;
  }
  for (const open of held) await driver.release(open);
}

const pooled = {
  async open(connection, { concurrency, commit }) {
    const { driver } = connection;
    const pool = await connection.openPool(concurrency);
    if (commit) await throughPool(driver, pool, concurrency, (open) => open.query('SET autocommit = 0'));
    await throughPool(driver, pool, concurrency, async (open) => {
      if (commit && driver.connects && (await connection.value(open, 'SELECT @@autocommit')) !== '0') {
        throw new Unsupported('the pool switches autocommit on again whenever a connection is given back');
      }
    });
    return new Array(concurrency).fill(pool);
  },
  wrap: ({ driver }, work, one) => {
    const whole = withCommit(work, one);
    return (pool) => inPool(driver, pool, whole);
  },
  async settle({ driver }, { concurrency, commit }, [pool]) {
    if (commit) await throughPool(driver, pool, concurrency, (open) => open.query('SET autocommit = 1'));
  },
};

const fresh = {
  open: async (connection, { concurrency }) => new Array(concurrency).fill(),
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

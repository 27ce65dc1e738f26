'use strict';

const { beforeList, isPlain, splitValues } = require('./statement.js');
const { Unsupported } = require('./unsupported.js');

// One function per scheme. It is given the driver, the rows of parameters, how many of them one operation takes, how
// many make up a statement, and where results go. It returns the operation: a function of an open connection, which
// keeps the results, or returns the only one.
//
// Between the loop that takes the time and the call of a driver there is one function only: mysql and mysql2 record the
// stack of every call, and pay for each function in it.

function singleRow({ parameters, count, fetched }) {
  if (count === 1) {
    return (connection) => {
      const index = parameters.next();
      return connection.query(parameters.text(index), parameters.rows[index]);
    };
  }
  return async (connection) => {
    for (let i = 0; i < count; i++) {
      const index = parameters.next();
      fetched.keep(await connection.query(parameters.text(index), parameters.rows[index]));
    }
  };
}

function prepared({ parameters, count, fetched }) {
  if (count === 1) {
    return (connection) => {
      const index = parameters.next();
      return connection.execute(parameters.text(index), parameters.rows[index]);
    };
  }
  return async (connection) => {
    for (let i = 0; i < count; i++) {
      const index = parameters.next();
      fetched.keep(await connection.execute(parameters.text(index), parameters.rows[index]));
    }
  };
}

function pipelined({ parameters, count, fetched }) {
  return async (connection) => {
    const answers = new Array(count);
    for (let i = 0; i < count; i++) {
      const index = parameters.next();
      answers[i] = connection.query(parameters.text(index), parameters.rows[index]);
    }
    for (const result of await Promise.all(answers)) fetched.keep(result);
  };
}

// inChunks calls with the number of rows of each statement of one operation.
async function inChunks(count, chunk, execute) {
  for (let left = count; left > 0; left -= chunk) await execute(Math.min(chunk, left));
}

function multiRow({ driver, parameters, count, chunk, fetched }) {
  const [head, group, tail] = splitValues(parameters.statement);
  // Drivers of the mysql family write nested arrays as groups; everything but parameters in a group is ours to repeat.
  const nested = driver.nestedArrays && isPlain(group);
  return (connection) =>
    inChunks(count, chunk, async (size) => {
      const rows = parameters.take(size);
      const text = nested ? `${head}?${tail}` : head + new Array(size).fill(group).join(', ') + tail;
      fetched.keep(await connection.query(text, nested ? [rows] : rows.flat()));
    });
}

function inList({ driver, parameters, count, chunk, fetched }) {
  const head = beforeList(parameters.statement);
  return (connection) =>
    inChunks(count, chunk, async (size) => {
      const keys = parameters.take(size).flat();
      const nested = driver.nestedArrays;
      const text = nested ? `${head}(?)` : `${head}(${new Array(size).fill('?').join(', ')})`;
      fetched.keep(await connection.query(text, nested ? [keys] : keys));
    });
}

function multiStatement({ parameters, count, chunk, fetched }) {
  return (connection) =>
    inChunks(count, chunk, async (size) => {
      const texts = new Array(size);
      const values = [];
      for (let i = 0; i < size; i++) {
        const index = parameters.next();
        texts[i] = parameters.text(index);
        if (parameters.rows[index] !== undefined) values.push(...parameters.rows[index]);
      }
      const result = await connection.query(texts.join(';'), values);
      if (size === 1) fetched.keep(result);
      else fetched.keepEach(result);
    });
}

// wholeCall is an operation of one call with all rows.
function wholeCall(call, { parameters, count }) {
  return async (connection) => {
    await connection[call](parameters.statement, parameters.take(count));
  };
}

const SCHEMES = {
  SingleRow: { build: singleRow, inline: true },
  Prepared: { build: prepared, inline: true },
  ExecuteMany: { build: (work) => wholeCall('executeMany', work), executeOnly: true, needsData: true },
  Pipelined: { build: pipelined, inline: true },
  MultiRow: { build: multiRow, needsData: true },
  MultiStatement: { build: multiStatement, inline: true },
  InList: { build: inList, needsData: true },
  Batch: { build: (work) => wholeCall('batch', work), executeOnly: true, needsData: true },
};

// schemeOf finds a scheme and refuses what the driver, or the scheme itself, cannot do.
function schemeOf(driver, { scheme: name, kind, inline, data }) {
  const scheme = Object.hasOwn(SCHEMES, name ?? '') && SCHEMES[name];
  if (!scheme) throw new Unsupported(`there is no scheme ${name}`);
  if (!driver.schemes[name]) {
    throw new Unsupported(`${driver.name} cannot do ${name}: ${driver.refusals?.[name] ?? 'it has no such call'}`);
  }
  if (inline && !scheme.inline) throw new Unsupported(`${name} cannot write the first parameter of a row into the text`);
  if (scheme.needsData && !data) throw new Unsupported(`${name} needs data`);
  if (scheme.executeOnly && kind === 'Query') throw new Unsupported(`${name} fetches no rows`);
  return scheme;
}

module.exports = { schemeOf };

'use strict';

// One function per scheme. It is given the driver, the rows of parameters, the request, and where results go. It returns
// the operation: a function of an open connection, which keeps the results, or returns the only one.
//
// Between the loop that takes the time and the call of a driver there is one function only: mysql and mysql2 record the
// stack of every call, and pay for each function in it.

function singleRow({ parameters, request: { rowsPerOperation: count }, fetched }) {
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

function prepared({ parameters, request: { rowsPerOperation: count }, fetched }) {
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

function pipelined({ parameters, request: { rowsPerOperation: count }, fetched }) {
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
async function inChunks({ rowsPerOperation, chunk }, execute) {
  for (let left = rowsPerOperation; left > 0; left -= chunk) await execute(Math.min(chunk, left));
}

// repeated is the text of a statement whose group stands there so many times.
function repeated({ head, group, separator, tail }, size) {
  return head + new Array(size).fill(group).join(separator) + tail;
}

// Drivers of the mysql family write nested arrays as groups by themselves.
function multiRow({ driver: { nestedArrays }, parameters, request }) {
  const nested = `${request.head}?${request.tail}`;
  return (connection) =>
    inChunks(request, async (size) => {
      const rows = parameters.take(size);
      await connection.query(nestedArrays ? nested : repeated(request, size), nestedArrays ? [rows] : rows.flat());
    });
}

// And an array as a list.
function inList({ driver: { nestedArrays }, parameters, request }) {
  return (connection) =>
    inChunks(request, async (size) => {
      const keys = parameters.take(size).flat();
      await connection.query(nestedArrays ? request.statement : repeated(request, size), nestedArrays ? [keys] : keys);
    });
}

function multiStatement({ parameters, request }) {
  return (connection) => inChunks(request, (size) => connection.query(repeated(request, size), parameters.take(size).flat()));
}

// wholeCall is an operation of one call with all rows.
function wholeCall(call) {
  return ({ parameters, request: { statement, rowsPerOperation } }) =>
    async (connection) => {
      await connection[call](statement, parameters.take(rowsPerOperation));
    };
}

const SCHEMES = {
  SingleRow: singleRow,
  Prepared: prepared,
  ExecuteMany: wholeCall('executeMany'),
  Pipelined: pipelined,
  MultiRow: multiRow,
  MultiStatement: multiStatement,
  InList: inList,
  Batch: wholeCall('batch'),
};

module.exports = { SCHEMES };

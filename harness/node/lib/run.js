'use strict';

const { Collections } = require('./collection.js');
const { Fetched, nothing } = require('./fetched.js');
const { Histogram } = require('./histogram.js');
const { Parameters } = require('./parameters.js');
const { SCHEMES } = require('./schemes.js');
const { SESSIONS } = require('./sessions.js');
const { limits, timeAtOnce, timeWaiting } = require('./timing.js');

// run answers a run request: the operation is made ready, garbage of other work is collected, and then it is timed.
async function run(connection, request, rows) {
  const until = limits(request);
  const collect = isOtherWork(request);
  switch (request.kind) {
    case 'Connect':
      return measure(timeWaiting, { operation: connectAndClose(connection), fetched: nothing }, until, collect);
    case 'Encode':
      return measure(timeAtOnce, { operation: encode(connection, request, rows), fetched: nothing }, until, collect);
    default:
      return runStatements(connection, request, rows, until, collect);
  }
}

// isOtherWork says whether a run does something else than the one before. With a whole collection V8 forgets the shapes
// of objects that are not alive, and with them the code that it optimized for them: mysql2 then needs half as much
// processor time again for some tenths of a second. After a warm-up of the same work, that would be measured.
let work = '';
function isOtherWork({ id, operations, seconds, ...request }) {
  const before = work;
  work = JSON.stringify(request);
  return work !== before;
}

async function runStatements(connection, request, rows, until, collect) {
  const { driver } = connection;
  const { kind, statement, scheme, commit } = request;
  driver.check?.(scheme, connection.options);
  const session = SESSIONS[request.session];
  const fetched = kind === 'Query' ? new Fetched(driver) : nothing;
  const work = SCHEMES[scheme]({ driver, parameters: new Parameters(request, rows), request, fetched });
  try {
    const where = await session.open(connection, commit);
    const held = session.prepares && scheme === 'Prepared' ? await driver.prepare(where, statement) : undefined;
    const operation = session.wrap(connection, work, commit);
    const answer = await measure(timeWaiting, { operation, where, fetched }, until, collect);
    if (held !== undefined) await driver.unprepare(where, held);
    await session.settle(connection, commit, where);
    return answer;
  } catch (error) {
    // What a failed run leaves behind, nobody knows: the next one starts with a new connection.
    await connection.rollBack();
    await connection.drop();
    throw error;
  }
}

function connectAndClose(connection) {
  return async () => {
    await connection.driver.disconnect(await connection.connect());
  };
}

function encode({ driver, library }, request, rows) {
  const parameters = new Parameters(request, rows);
  return () => {
    const index = parameters.next();
    return driver.format(library, parameters.text(index), parameters.rows[index]);
  };
}

async function measure(time, timed, until, collect) {
  const histogram = new Histogram();
  const collections = new Collections();
  const before = collect ? { before: Collections.collect() } : {};
  collections.start();
  let done;
  let during;
  try {
    done = await time(timed, until, histogram);
  } finally {
    during = await collections.stop();
  }
  return { ...done, ...timed.fetched.answer(), histogram: histogram.entries(), collection: { ...before, ...during } };
}

module.exports = { run };

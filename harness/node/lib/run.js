'use strict';

const { Collections } = require('./collection.js');
const { Fetched, nothing } = require('./fetched.js');
const { Histogram } = require('./histogram.js');
const { Parameters } = require('./parameters.js');
const { SCHEMES } = require('./schemes.js');
const { SESSIONS } = require('./sessions.js');
const { limits, timeAtOnce, timeTogether, timeWaiting } = require('./timing.js');

// run answers a run request: the operation is made ready, garbage of other work is collected, and then it is timed.
async function run(connection, request, rows) {
  const until = limits(request);
  const collect = isOtherWork(request);
  switch (request.kind) {
    case 'Connect':
      return measure(workersOf(request, connectAndClose(connection)), until, collect);
    case 'Encode':
      return measure([{ operation: encode(connection, request, rows), fetched: nothing }], until, collect, timeAtOnce);
    default:
      return runStatements(connection, request, rows, until, collect);
  }
}

// workersOf an operation that is the same for all.
function workersOf({ concurrency }, operation) {
  return Array.from({ length: concurrency }, () => ({ operation, fetched: nothing, parameters: { seek() {} } }));
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
  const parameters = new Parameters(request, rows);
  try {
    const places = await session.open(connection, request);
    const workers = places.map((where) => {
      const fetched = kind === 'Query' ? new Fetched(driver) : nothing;
      const own = parameters.another();
      const work = SCHEMES[scheme]({ driver, parameters: own, request, fetched });
      return { operation: session.wrap(connection, work, commit), where, fetched, parameters: own };
    });
    const held = [];
    if (session.prepares && scheme === 'Prepared') {
      for (const where of places) held.push(await driver.prepare(where, statement));
    }
    const answer = await measure(workers, until, collect);
    for (const [i, prepared] of held.entries()) await driver.unprepare(places[i], prepared);
    await session.settle(connection, request, places);
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

async function measure(workers, until, collect, time = timeWaiting) {
  const histogram = new Histogram();
  const collections = new Collections();
  const before = collect ? { before: Collections.collect() } : {};
  collections.start();
  let done;
  let during;
  try {
    done = await (workers.length > 1 ? timeTogether(workers, until, histogram) : time(workers[0], until, histogram));
  } finally {
    during = await collections.stop();
  }
  const rows = workers.reduce((sum, { fetched }) => sum + fetched.rows, 0);
  const last = workers.reduce((greatest, worker) => (worker.last > greatest.last ? worker : greatest));
  return { ...done, rows, checksum: last.fetched.checksum(), histogram: histogram.entries(), collection: { ...before, ...during } };
}

module.exports = { run };

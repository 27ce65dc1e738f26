'use strict';

const drivers = require('../drivers/index.js');
const { Connection } = require('./connection.js');
const { CLOCK } = require('./clock.js');
const { lines } = require('./lines.js');
const { run } = require('./run.js');
const { Unsupported } = require('./unsupported.js');

const PROTOCOL = 'assay.dev/driver/v1';

// Conversation holds what the agent gave names to, and answers one request after another.
class Conversation {
  constructor() {
    this.data = new Map();
    this.connections = new Map();
    this.answers = new Map([
      ['hello', this.hello],
      ['data', this.keepData],
      ['prepare', this.prepare],
      ['run', this.run],
      ['close', this.close],
    ]);
  }

  async answer(request) {
    const answer = this.answers.get(request.do);
    try {
      if (!answer) throw new Unsupported(`there is no request ${JSON.stringify(request.do)}`);
      return { id: request.id, state: 'ok', ...(await answer.call(this, request)) };
    } catch (error) {
      return { id: request.id, state: error instanceof Unsupported ? 'unsupported' : 'failed', reason: words(error) };
    }
  }

  hello({ protocol }) {
    if (protocol !== PROTOCOL) throw new Unsupported(`this harness speaks ${PROTOCOL}, not ${protocol}`);
    return {
      protocol: PROTOCOL,
      language: 'Node.js',
      runtime: process.version,
      clock: CLOCK,
      drivers: drivers.list().map(({ name, versions, schemes }) => ({ name, versions, schemes })),
    };
  }

  keepData({ name, rows }) {
    const exact = (value) => !Number.isInteger(value) || Number.isSafeInteger(value);
    if (!rows.every((row) => row.every(exact))) {
      throw new Unsupported(`data ${name}: an integer beyond 2^53 cannot be held exactly by a number of JavaScript`);
    }
    this.data.set(name, rows);
    return { rows: rows.length };
  }

  async prepare(request) {
    await this.close(request);
    const connection = new Connection(request);
    const answer = await connection.describe();
    this.connections.set(request.connection, connection);
    return answer;
  }

  run(request) {
    const connection = this.connections.get(request.connection);
    if (!connection) throw new Error(`there is no connection ${request.connection}: prepare it first`);
    if (request.data && !this.data.has(request.data)) throw new Error(`there is no data ${request.data}: send it first`);
    return run(connection, request, this.data.get(request.data));
  }

  async close({ connection: name }) {
    const connection = this.connections.get(name);
    this.connections.delete(name);
    await connection?.close();
  }
}

// words are those of the driver or server. Some errors of connecting have only a code.
function words(error) {
  const text = error?.message || error?.code || String(error);
  return error?.code && !text.includes(error.code) ? `${error.code}: ${text}` : text;
}

// converse answers until the input ends, then closes everything.
async function converse(input, output) {
  const conversation = new Conversation();
  for await (const line of lines(input)) {
    if (line.trim() === '') continue;
    output.write(`${JSON.stringify(await conversation.answer(JSON.parse(line)))}\n`);
  }
  for (const name of [...conversation.connections.keys()]) await conversation.close({ connection: name });
}

module.exports = { converse };

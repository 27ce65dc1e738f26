'use strict';

const drivers = require('../drivers/index.js');
const { Connection } = require('./connection.js');
const { CLOCK } = require('./clock.js');
const { lines } = require('./lines.js');
const { run } = require('./run.js');
const { Unsupported } = require('./unsupported.js');

// Conversation holds what the agent gave names to, and answers one request after another. Requests are as the protocol
// says, so nothing in them is checked.
class Conversation {
  constructor() {
    this.data = new Map();
    this.connections = new Map();
  }

  async answer(request) {
    try {
      return { id: request.id, state: 'ok', ...(await this.act(request)) };
    } catch (error) {
      const state = error instanceof Unsupported ? 'unsupported' : 'failed';
      return { id: request.id, state, code: String(error?.code ?? ''), reason: words(error) };
    }
  }

  act(request) {
    switch (request.do) {
      case 'hello':
        return this.hello();
      case 'data':
        return void this.data.set(request.name, request.rows);
      case 'prepare':
        return this.prepare(request);
      case 'run':
        return run(this.connections.get(request.connection), request, this.data.get(request.data));
      case 'close':
        return this.close(request.connection);
    }
  }

  hello() {
    return {
      protocol: 'assay.dev/driver/v2',
      language: 'Node.js',
      runtime: process.version,
      clock: CLOCK,
      drivers: drivers.list().map(({ name, versions, can, cannot, options }) => ({ name, versions, can, cannot, options })),
    };
  }

  async prepare(request) {
    const connection = new Connection(request);
    this.connections.set(request.connection, connection);
    return connection.describe();
  }

  async close(name) {
    const connection = this.connections.get(name);
    this.connections.delete(name);
    await connection.drop();
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
    output.write(`${JSON.stringify(await conversation.answer(JSON.parse(line)))}\n`);
  }
  for (const name of [...conversation.connections.keys()]) await conversation.close(name);
}

module.exports = { converse };

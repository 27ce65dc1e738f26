'use strict';

const { spawn } = require('node:child_process');
const path = require('node:path');
const { lines } = require('../lib/lines.js');

// Harness is the harness as the agent sees it: a process that answers lines.
class Harness {
  constructor(environment = {}) {
    this.process = spawn(process.execPath, ['--expose-gc', path.join(__dirname, '..', 'main.js')], {
      env: { ...process.env, ...environment },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.ended = new Promise((resolve) => this.process.on('close', resolve));
    this.answers = lines(this.process.stdout);
    this.id = 0;
  }

  // ask sends a request and returns the answer to it.
  async ask(request) {
    const id = ++this.id;
    this.process.stdin.write(`${JSON.stringify({ id, ...request })}\n`);
    const { value, done } = await this.answers.next();
    if (done) throw new Error(`the harness ended before it answered ${JSON.stringify(request)}`);
    const answer = JSON.parse(value);
    if (answer.id !== id) throw new Error(`request ${id} was answered with ${value}`);
    return answer;
  }

  // end closes the input and returns the exit code.
  end() {
    this.process.stdin.end();
    return this.ended;
  }
}

module.exports = { Harness };

'use strict';

// The harness of docs/contributing/driver-protocol.md for Node.js: requests as JSON lines on standard input, answers on standard
// output. Started as `node --expose-gc main.js`.

const { Console } = require('node:console');
const { converse } = require('./lib/conversation.js');

// Drivers write warnings with console.log; standard output belongs to the protocol.
globalThis.console = new Console(process.stderr, process.stderr);

converse(process.stdin, process.stdout).then(
  () => process.stdout.write('', () => process.exit(0)),
  (error) => {
    console.error(error);
    process.exit(1);
  }
);

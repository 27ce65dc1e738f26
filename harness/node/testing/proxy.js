'use strict';

const net = require('node:net');

// How long answers are held back: time enough for a client to send what it does not wait with.
const DELAY = 20;

// Proxy stands between a client and a server, delays answers, and notes how many commands came before an answer went.
class Proxy {
  constructor(server) {
    const [host, port] = server.split(':');
    this.most = 0;
    this.listener = net.createServer((client) => this.join(client, net.connect(Number(port), host)));
  }

  // listen returns the address of the proxy.
  async listen(host = '127.0.0.1') {
    await new Promise((resolve) => this.listener.listen(0, host, resolve));
    return `${host}:${this.listener.address().port}`;
  }

  join(client, server) {
    let rest = Buffer.alloc(0);
    let unanswered = 0;
    client.on('data', (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      // A packet: three bytes of length, its number (0 begins a command), the content.
      while (rest.length >= 4 && rest.length >= 4 + rest.readUIntLE(0, 3)) {
        if (rest[3] === 0) this.most = Math.max(this.most, ++unanswered);
        rest = rest.subarray(4 + rest.readUIntLE(0, 3));
      }
      server.write(bytes);
    });
    server.on('data', (bytes) =>
      setTimeout(() => {
        unanswered = 0;
        client.write(bytes);
      }, DELAY)
    );
    for (const [one, other] of [[client, server], [server, client]]) {
      one.on('error', () => other.destroy());
      one.on('close', () => setTimeout(() => other.destroy(), DELAY));
    }
  }

  close() {
    this.listener.close();
  }
}

module.exports = { Proxy };

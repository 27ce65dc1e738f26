'use strict';

const fs = require('node:fs');
const drivers = require('../drivers/index.js');

// How long a broken connection may take to be closed before it is left to itself.
const PATIENCE = 5000;

// What the texts of options are to their drivers.
const READERS = { boolean: (text) => text === 'true', integer: Number, text: (text) => text };

// Connection is what the agent prepared under a name: a driver in one version, how it is to connect, and what is open.
class Connection {
  constructor({ driver: name, version, host, port, database, tls, options }) {
    this.driver = drivers.named(name);
    this.version = version || this.driver.versions[0];
    this.library = this.driver.load(drivers.packageOf(this.driver, this.version));
    this.options = Object.fromEntries(Object.entries(options).map(([key, text]) => [key, READERS[this.driver.options[key]](text)]));
    this.target = { host, port, database, tls: tls && fs.readFileSync(process.env.ASSAY_CA) };
    this.kept = [];
    this.lost = false;
  }

  // describe opens the connection and says what it turned out to be.
  async describe() {
    const version = drivers.installedVersion(this.driver, this.version);
    if (!this.driver.connects) return { version };
    return { version, cipher: await this.value((await this.open(1))[0], "SHOW SESSION STATUS LIKE 'Ssl_cipher'") };
  }

  // value returns the last value of the first row as a text.
  async value(open, statement) {
    const [row] = this.driver.rows(await open.query(statement));
    return String(Object.values(row).at(-1));
  }

  // config is made anew for each connection, because drivers write into it. What is below ssl is the same for all.
  config() {
    this.ssl ??= this.target.tls && this.driver.ssl(this.target.tls, this.target.host);
    return {
      ...this.driver.config,
      ...this.options,
      host: this.target.host,
      port: this.target.port,
      database: this.target.database,
      user: process.env.ASSAY_USERNAME,
      password: process.env.ASSAY_PASSWORD,
      ...(this.ssl && { ssl: this.ssl }),
    };
  }

  connect() {
    return this.driver.connect(this.library, this.config());
  }

  // open returns so many of the connections that are kept. After one broke, all are made again.
  async open(count) {
    if (this.lost) await this.drop();
    while (this.kept.length < count) {
      const open = await this.connect();
      this.kept.push(open);
      const isLost = () => {
        if (this.kept.includes(open)) this.lost = true;
      };
      this.driver.onLost(open, isLost);
      await open.query('SET autocommit = 1');
    }
    return this.kept.slice(0, count);
  }

  // openPool returns the driver's pool of so many connections. There is no second one beside it, unless that
  // could not be closed in time.
  async openPool(size) {
    if (this.pool && this.poolSize !== size) {
      const { pool } = this;
      this.pool = undefined;
      // It may have a connection that the server has ended meanwhile.
      if (!(await inTime(this.driver.endPool(pool)))) console.error('harness: a pool of another size could not be closed');
    }
    this.pool ??= await this.driver.createPool(this.library, this.config(), size);
    this.poolSize = size;
    return this.pool;
  }

  // rollBack undoes what a failed run began, so that it is undone when the agent reads the answer.
  async rollBack() {
    if (!this.lost) await Promise.all(this.kept.map((open) => inTime(open.query('ROLLBACK'))));
  }

  // drop closes what is open, in whatever state that is. The error that led here is what the agent is told.
  async drop() {
    const { driver, kept, pool, lost } = this;
    this.kept = [];
    this.pool = undefined;
    this.lost = false;
    await Promise.all(
      kept.map(async (open) => {
        if (lost || !(await inTime(driver.disconnect(open)))) driver.destroy(open);
      })
    );
    if (pool) await inTime(driver.endPool(pool));
  }
}

// inTime waits for a promise of closing for a while, and says whether it was kept.
function inTime(closing) {
  let timer;
  const timeout = new Promise((resolve) => {
    timer = setTimeout(resolve, PATIENCE, false);
  });
  return Promise.race([closing.then(() => true, () => false), timeout]).finally(() => clearTimeout(timer));
}

module.exports = { Connection };

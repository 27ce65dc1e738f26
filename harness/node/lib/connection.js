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
    this.lost = false;
  }

  // describe opens the connection and says what it turned out to be.
  async describe() {
    const version = drivers.installedVersion(this.driver, this.version);
    if (!this.driver.connects) return { version };
    return { version, cipher: await this.value(await this.open(), "SHOW SESSION STATUS LIKE 'Ssl_cipher'") };
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

  // open returns the connection that is kept, made again if it broke.
  async open() {
    if (this.lost) await this.drop();
    if (!this.kept) {
      const kept = await this.connect();
      this.kept = kept;
      const isLost = () => {
        if (this.kept === kept) this.lost = true;
      };
      this.driver.onLost(kept, isLost);
      await kept.query('SET autocommit = 1');
    }
    return this.kept;
  }

  async openPool() {
    this.pool ??= await this.driver.createPool(this.library, this.config());
    return this.pool;
  }

  // rollBack undoes what a failed run began, so that it is undone when the agent reads the answer.
  async rollBack() {
    if (this.kept && !this.lost) await inTime(this.kept.query('ROLLBACK'));
  }

  // drop closes what is open, in whatever state that is. The error that led here is what the agent is told.
  async drop() {
    const { driver, kept, pool, lost } = this;
    this.kept = this.pool = undefined;
    this.lost = false;
    if (kept && lost) driver.destroy(kept);
    else if (kept && !(await inTime(driver.disconnect(kept)))) driver.destroy(kept);
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

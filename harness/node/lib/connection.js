'use strict';

const fs = require('node:fs');
const drivers = require('../drivers/index.js');
const { readOptions } = require('./options.js');
const { Unsupported } = require('./unsupported.js');

// How long a broken connection may take to be closed before it is left to itself.
const PATIENCE = 5000;

// Connection is what the agent prepared under a name: a driver in one version, how it is to connect, and what is open.
class Connection {
  constructor({ driver: name, version: wanted, host, port, database, tls = 'Disabled', options }) {
    this.driver = drivers.named(name);
    this.version = wanted || this.driver.versions[0];
    this.library = this.driver.load(drivers.packageOf(this.driver, this.version));
    this.options = readOptions(this.driver, options);
    this.target = { host, port: port || 3306, database, tls: authority(tls) };
    this.lost = false;
  }

  // describe opens the connection and says what it turned out to be.
  async describe() {
    const version = drivers.installedVersion(this.driver, this.version);
    if (!this.driver.connects) return { version };
    if (!this.target.host) throw new Error('prepare needs a host');
    try {
      const open = await this.open();
      return { version, library: '', cipher: await this.value(open, "SHOW SESSION STATUS LIKE 'Ssl_cipher'") };
    } catch (error) {
      await this.close();
      throw this.driver.cannotLogIn?.(error) ? new Unsupported(error.message) : error;
    }
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

  close() {
    return this.drop();
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

// authority returns the certificate that the server's is verified against, or nothing without encryption.
function authority(tls) {
  switch (tls) {
    case 'Disabled':
      return undefined;
    case 'Required':
      if (!process.env.ASSAY_CA) throw new Error('tls is Required, but ASSAY_CA does not name a file');
      return fs.readFileSync(process.env.ASSAY_CA);
    default:
      throw new Unsupported(`there is no tls ${tls}`);
  }
}

module.exports = { Connection };

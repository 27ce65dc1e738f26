'use strict';

const { checksum } = require('./checksum.js');

// Fetched counts the rows of all queries, and keeps the results of those of the last operation.
class Fetched {
  constructor(driver) {
    this.driver = driver;
    this.rows = 0;
    // Written over by each operation: an array that is emptied would be allocated anew.
    this.results = [];
    this.length = 0;
  }

  begin() {
    this.length = 0;
  }

  keep(result) {
    const rows = this.driver.rows(result);
    if (!Array.isArray(rows)) throw new Error('the statement returned no rows: its kind is not Query');
    this.rows += rows.length;
    this.results[this.length++] = result;
  }

  answer() {
    const last = this.results.slice(0, this.length);
    const sets = last.map((result) => ({ rows: this.driver.rows(result), columns: this.driver.columns(result) }));
    return { rows: this.rows, checksum: checksum(sets) };
  }
}

// nothing is what statements without rows leave.
const nothing = {
  begin() {},
  keep() {},
  answer: () => ({ rows: 0, checksum: 0 }),
};

module.exports = { Fetched, nothing };

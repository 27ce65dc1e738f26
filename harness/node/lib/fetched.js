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

  // checksum is of the rows of the last operation.
  checksum() {
    const last = this.results.slice(0, this.length);
    return checksum(last.map((result) => ({ rows: this.driver.rows(result), columns: this.driver.columns(result) })));
  }
}

// nothing is what statements without rows leave.
const nothing = {
  rows: 0,
  begin() {},
  keep() {},
  checksum: () => 0,
};

module.exports = { Fetched, nothing };

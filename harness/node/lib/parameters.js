'use strict';

const { countParameters, splitFirst } = require('./statement.js');

// Parameters hands out the rows of parameters in turn, and after the last one the first again, with the text of the
// statement for each.
class Parameters {
  constructor(statement, rows, inline) {
    const wanted = countParameters(statement);
    // Without parameters the statement is executed once per operation; undefined is how drivers are told so.
    this.rows = rows ?? [undefined];
    if (this.rows.length === 0) throw new Error('the data has no rows');
    const other = this.rows.find((row) => (row?.length ?? 0) !== wanted);
    if (other !== undefined || (!rows && wanted > 0)) {
      throw new Error(`the statement has ${wanted} parameters, a row of the data has ${other?.length ?? 0}`);
    }
    this.statement = statement;
    this.position = 0;
    if (inline) this.writeFirst(statement);
  }

  // writeFirst shapes the rows for a first parameter that goes into the text.
  writeFirst(statement) {
    [this.head, this.tail] = splitFirst(statement);
    if (!this.rows.every((row) => Number.isInteger(row[0]))) throw new Error('inline needs an integer first in each row');
    this.firsts = this.rows.map((row) => row[0]);
    this.rows = this.rows.map((row) => (row.length > 1 ? row.slice(1) : undefined));
  }

  // next returns the index of the next row.
  next() {
    const index = this.position;
    this.position = index + 1 === this.rows.length ? 0 : index + 1;
    return index;
  }

  text(index) {
    return this.firsts === undefined ? this.statement : this.head + this.firsts[index] + this.tail;
  }

  // take returns the next so many rows.
  take(count) {
    const end = this.position + count;
    if (end <= this.rows.length) {
      const rows = this.rows.slice(this.position, end);
      this.position = end === this.rows.length ? 0 : end;
      return rows;
    }
    const rows = this.rows.slice(this.position);
    this.position = 0;
    return rows.concat(this.take(count - rows.length));
  }
}

module.exports = { Parameters };

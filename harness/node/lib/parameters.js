'use strict';

// Parameters hands out the rows of parameters in turn, and after the last one the first again, with the text of the
// statement for each.
class Parameters {
  constructor({ statement, inline, rowsPerOperation }, rows) {
    // Without parameters the statement is executed once per operation; undefined is how drivers are told so.
    this.rows = rows ?? [undefined];
    this.statement = statement;
    this.rowsPerOperation = rowsPerOperation;
    this.position = 0;
    if (inline) this.writeFirst(statement);
  }

  // writeFirst shapes the rows for a first parameter that goes into the text.
  writeFirst(statement) {
    const at = statement.indexOf('?');
    [this.head, this.tail] = [statement.slice(0, at), statement.slice(at + 1)];
    this.firsts = this.rows.map((row) => row[0]);
    this.rows = this.rows.map((row) => (row.length > 1 ? row.slice(1) : undefined));
  }

  // another has the same rows, and a place of its own among them.
  another() {
    return Object.assign(Object.create(Parameters.prototype), this);
  }

  // seek goes to the rows of the operation with a number.
  seek(number) {
    this.position = (number * this.rowsPerOperation) % this.rows.length;
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

  // take returns the next so many rows. Those of one operation stand together.
  take(count) {
    const rows = this.rows.slice(this.position, this.position + count);
    this.position = (this.position + count) % this.rows.length;
    return rows;
  }
}

module.exports = { Parameters };

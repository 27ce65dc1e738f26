'use strict';

// null calls no driver. Each of its functions makes a promise, as those of real drivers do, so the harness waits for one
// per call.

const ALL = ['SingleRow', 'Prepared', 'ExecuteMany', 'Pipelined', 'MultiRow', 'MultiStatement', 'InList', 'Batch', 'Pool', 'Encode', 'Concurrency'];
const done = async () => undefined;
const noRows = [];

class NullConnection {
  async query() {
    return noRows;
  }

  async execute() {
    return noRows;
  }

  async executeMany() {}

  async batch() {}

  async commit() {}
}

module.exports = {
  name: 'null',
  versions: ['1'],
  connects: false,
  can: Object.fromEntries(ALL.map((scheme) => [scheme, 'nothing; a promise that is kept already'])),
  options: {},
  load: () => undefined,
  connect: async () => new NullConnection(),
  disconnect: done,
  destroy() {},
  onLost() {},
  rows: (result) => result,
  columns: () => [],
  prepare: done,
  unprepare: done,
  createPool: async () => new NullConnection(),
  acquire: async (pool) => pool,
  release: done,
  endPool: done,
  format: () => '',
};

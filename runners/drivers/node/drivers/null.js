'use strict';

// null calls no driver. Each of its functions makes a promise, as those of real drivers do, so the harness waits for one
// per call.

const done = async () => undefined;
const noRows = [];

module.exports = {
  name: 'null',
  versions: ['1'],
  connects: false,
  schemes: Object.fromEntries(
    ['SingleRow', 'Prepared', 'ExecuteMany', 'Pipelined', 'MultiRow', 'MultiStatement', 'InList', 'Batch'].map(
      (scheme) => [scheme, 'nothing; a promise that is kept already']
    )
  ),
  options: {},
  load: () => undefined,
  connect: async () => ({}),
  disconnect: done,
  destroy() {},
  onLost() {},
  query: async () => noRows,
  execute: async () => noRows,
  executeMany: done,
  batch: done,
  rows: (result) => result,
  columns: () => [],
  split: () => [],
  prepare: done,
  unprepare: done,
  commit: done,
  createPool: async () => ({}),
  acquire: async (pool) => pool,
  release: done,
  endPool: done,
  format: () => '',
};

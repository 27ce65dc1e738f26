'use strict';

const { crc32 } = require('node:zlib');
const { Unsupported } = require('./unsupported.js');

// text is how the protocol writes a value of the first four of a row.
function text(value) {
  if (value === null) return '\\N';
  switch (typeof value) {
    case 'string':
      return value;
    case 'bigint':
      return String(value);
    case 'boolean':
      return value ? '1' : '0';
    case 'number':
      if (Number.isInteger(value)) return String(value);
      break;
  }
  if (Buffer.isBuffer(value)) return value.toString('utf8');
  const type = typeof value === 'object' ? value.constructor?.name : typeof value;
  throw new Error(`checksum: ${type} ${value} is among the first four values of a row; only integers and texts may be`);
}

// checksum of results: rows as the driver handed them over, objects or arrays, and the names of their columns.
// The order of an object's keys is not that of the columns: names that are numbers come first.
function checksum(results) {
  let sum = 0;
  for (const { rows, columns } of results) {
    if (rows.length > 0 && !Array.isArray(rows[0])) refuseSameNames(columns);
    const first = columns.slice(0, 4);
    for (const row of rows) {
      const values = Array.isArray(row) ? row.slice(0, 4) : first.map((name) => row[name]);
      sum = crc32(`${values.map(text).join('\t')}\n`, sum);
    }
  }
  return sum;
}

function refuseSameNames(columns) {
  const twice = columns.find((name, i) => columns.indexOf(name) < i);
  if (twice === undefined) return;
  throw new Unsupported(
    `more than one column is named ${twice}, and a row of this driver keeps one of them; ` +
      'the option rowsAsArray, where a driver has it, keeps all'
  );
}

module.exports = { checksum };

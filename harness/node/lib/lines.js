'use strict';

const NEWLINE = 0x0a;

// lines yields the lines of a stream of bytes. The readline module also ends lines at U+2028, which JSON allows
// inside of a text.
async function* lines(stream) {
  let parts = [];
  for await (const chunk of stream) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      parts.push(chunk.subarray(from, at));
      yield Buffer.concat(parts).toString('utf8');
      parts = [];
      from = at + 1;
    }
    parts.push(chunk.subarray(from));
  }
  const rest = Buffer.concat(parts).toString('utf8');
  if (rest !== '') yield rest;
}

module.exports = { lines };

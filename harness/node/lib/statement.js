'use strict';

const { Unsupported } = require('./unsupported.js');

// Rewritings of a statement with ? for each parameter. No other ? is in it, says the protocol.

function countParameters(statement) {
  return statement.split('?').length - 1;
}

// splitFirst returns the texts before and after the first parameter.
function splitFirst(statement) {
  const at = statement.indexOf('?');
  if (at < 0) throw new Unsupported('inline needs a statement with a parameter');
  return [statement.slice(0, at), statement.slice(at + 1)];
}

// splitValues returns the texts before, of and after the group that follows VALUES: "INSERT ... VALUES ", "(?, ?)", "".
function splitValues(statement) {
  const found = /\bVALUES\s*\(/i.exec(statement);
  if (!found) throw new Unsupported('MultiRow needs a statement with VALUES (?, ...)');
  const begin = found.index + found[0].length - 1;
  let depth = 0;
  let end = begin;
  do {
    if (end === statement.length) throw new Unsupported('MultiRow: the parenthesis after VALUES is not closed');
    if (statement[end] === '(') depth++;
    if (statement[end] === ')') depth--;
    end++;
  } while (depth > 0);
  const [head, group, tail] = [statement.slice(0, begin), statement.slice(begin, end), statement.slice(end)];
  if (head.includes('?') || tail.includes('?')) {
    throw new Unsupported('MultiRow needs all parameters inside of the parentheses after VALUES');
  }
  return [head, group, tail];
}

// isPlain says whether a group holds parameters and nothing else, so that a driver can write it by itself.
function isPlain(group) {
  return /^\(\s*\?(\s*,\s*\?)*\s*\)$/.test(group);
}

// beforeList returns the text before the parenthesis of a statement that ends in IN (?).
function beforeList(statement) {
  const found = /^([^?]*\bIN\s*)\(\s*\?\s*\)\s*$/is.exec(statement);
  if (!found) throw new Unsupported('InList needs a statement that ends in IN (?), with no other parameter');
  return found[1];
}

module.exports = { beforeList, countParameters, isPlain, splitFirst, splitValues };

'use strict';

const { Unsupported } = require('./unsupported.js');

const READERS = {
  boolean: (text) => ({ true: true, false: false })[text],
  number: (text) => (/^\d+$/.test(text) ? Number(text) : undefined),
  text: (text) => text,
};

// readOptions turns the texts of a prepare request into the values that a driver expects, by the types it lists.
// Drivers ignore names they do not know; that would be a measurement of something else.
function readOptions(driver, given = {}) {
  const options = {};
  for (const [name, text] of Object.entries(given)) {
    if (!Object.hasOwn(driver.options, name)) {
      const known = Object.keys(driver.options).sort().join(', ') || 'none';
      throw new Unsupported(`option ${name} cannot be set for ${driver.name}; known are: ${known}`);
    }
    const type = driver.options[name];
    const value = READERS[type](text);
    if (value === undefined) throw new Unsupported(`option ${name} of ${driver.name} must be a ${type}, not "${text}"`);
    options[name] = value;
  }
  return options;
}

module.exports = { readOptions };

'use strict';

// Unsupported is thrown for what a driver or this harness cannot do. Every other error is a failure.
class Unsupported extends Error {}

module.exports = { Unsupported };

'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { dependencies } = require('../package.json');

// A driver is one file, and one line here. Its versions are the dependencies in package.json: the default under the
// driver's own name, others as "<name>-<version>": "npm:<name>@<version>".
//
// What a driver's file exports:
//   name, can, cannot   as in the answer to hello
//   config, options  what every connection is made with; options of a prepare request and their types
//   load             package name -> what require returns
//   connect          makes a connection with the methods query(text, values) and commit(), and execute, batch,
//                    executeMany for those schemes; all return promises
//   disconnect, destroy, onLost, ssl                                           what else there is to do with it
//   prepare, unprepare                                                         before and after the scheme Prepared
//   rows, columns            rows and names of columns of a result
//   createPool, acquire, release, endPool                                      the driver's pool
//   format                                                                     Encode
//   connects         false if there is no server behind it
//   nestedArrays     parameters that are arrays of arrays are written as groups of VALUES, arrays as lists of IN
//   check            refuses a scheme that the options of the connection make impossible
const drivers = [
  require('./mysql2.js'),
  require('./mariadb.js'),
  require('./mysql.js'),
  require('./promise-mysql.js'),
  require('./null.js'),
];

for (const driver of drivers) driver.versions ??= versionsOf(driver.name);

function versionsOf(name) {
  const others = Object.keys(dependencies).filter((alias) => dependencies[alias].startsWith(`npm:${name}@`));
  return [dependencies[name], ...others.map((alias) => alias.slice(name.length + 1))];
}

function named(name) {
  return drivers.find((candidate) => candidate.name === name);
}

// packageOf returns the name under which a version of a driver is installed.
function packageOf({ name, versions }, version) {
  return version === versions[0] ? name : `${name}-${version}`;
}

// installedVersion reads what the package itself says; pinned and installed might differ.
function installedVersion(driver, version) {
  if (!driver.connects) return version;
  let folder = path.dirname(require.resolve(packageOf(driver, version)));
  while (!fs.existsSync(path.join(folder, 'package.json'))) folder = path.dirname(folder);
  const installed = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')).version;
  if (installed !== version) throw new Error(`${driver.name} ${version} is pinned, but ${installed} is installed`);
  return installed;
}

module.exports = { installedVersion, list: () => drivers, named, packageOf };

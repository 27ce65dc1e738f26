<?php
declare(strict_types=1);

namespace Assay;

const NO_POOL = 'PHP has no pool of connections: a persistent connection is kept for the next request to the same process, and within a script there is nothing to acquire or to give back';
const NO_CONCURRENCY = 'PHP has no threads in this build, and while a driver waits, the whole process does';
const NO_ENCODE = 'it has no public function that writes a row of parameters into a statement';

/** @return list<Driver> in the order of documents; a driver is a file beside this, and its class here */
function drivers(): array
{
    $drivers = [];
    foreach ([
        'mysqli' => 'MysqliDriver',
        'pdo_mysql' => 'PdoDriver',
        'null' => 'NullDriver',
    ] as $file => $class) {
        require_once __DIR__ . "/$file.php";
        $drivers[] = new (__NAMESPACE__ . "\\$class")();
    }
    return $drivers;
}

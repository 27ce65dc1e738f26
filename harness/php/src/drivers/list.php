<?php
declare(strict_types=1);

namespace Assay;

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

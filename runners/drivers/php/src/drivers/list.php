<?php
declare(strict_types=1);

namespace Assay;

require __DIR__ . '/mysqli.php';
require __DIR__ . '/pdo_mysql.php';
require __DIR__ . '/null.php';

/** @return list<Driver> in the order of documents */
function drivers(): array
{
    return [
        new MysqliDriver(),
        new PdoDriver(),
        new NullDriver(),
    ];
}

<?php
// SELECT 1 as a user would write it, without the harness: what the harness is compared with.
// Usage: ASSAY_USERNAME=... ASSAY_PASSWORD=... php loop.php mysqli|pdo_mysql HOST PORT SECONDS DATABASE
declare(strict_types=1);

if ($argc !== 6) {
    fwrite(STDERR, "usage: php loop.php mysqli|pdo_mysql HOST PORT SECONDS DATABASE\n");
    exit(2);
}
[, $driver, $host, $port, $seconds, $database] = $argv;
$user = getenv('ASSAY_USERNAME');
$password = getenv('ASSAY_PASSWORD');
$operations = 0;

if ($driver === 'mysqli') {
    $db = new mysqli($host, $user, $password, $database, (int) $port);
    $begin = hrtime(true);
    $until = $begin + (int) ($seconds * 1e9);
    do {
        $rows = $db->query('SELECT 1')->fetch_all(MYSQLI_NUM);
        ++$operations;
    } while (($end = hrtime(true)) < $until);
} elseif ($driver === 'pdo_mysql') {
    $db = new PDO("mysql:host=$host;port=$port;dbname=$database;charset=utf8mb4", $user, $password);
    $begin = hrtime(true);
    $until = $begin + (int) ($seconds * 1e9);
    do {
        $rows = $db->query('SELECT 1')->fetchAll(PDO::FETCH_NUM);
        ++$operations;
    } while (($end = hrtime(true)) < $until);
} else {
    fwrite(STDERR, "there is no driver $driver; known are mysqli, pdo_mysql\n");
    exit(2);
}
echo json_encode(['operations' => $operations, 'nanoseconds' => $end - $begin]), "\n";

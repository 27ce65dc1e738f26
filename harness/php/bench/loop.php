<?php
// SELECT 1 as a user would write it, without the harness: what the harness is compared with.
// Usage: ASSAY_USERNAME=... ASSAY_PASSWORD=... php loop.php mysqli|pdo_mysql HOST PORT DATABASE
// Each line of standard input is the seconds of a run, and is answered by {"operations":N,"nanoseconds":N}.
declare(strict_types=1);

if ($argc !== 5 || !in_array($argv[1], ['mysqli', 'pdo_mysql'], true)) {
    fwrite(STDERR, "usage: php loop.php mysqli|pdo_mysql HOST PORT DATABASE\n");
    exit(2);
}
[, $driver, $host, $port, $database] = $argv;
$user = getenv('ASSAY_USERNAME');
$password = getenv('ASSAY_PASSWORD');
$db = $driver === 'mysqli'
    ? new mysqli($host, $user, $password, $database, (int) $port)
    : new PDO("mysql:host=$host;port=$port;dbname=$database;charset=utf8mb4", $user, $password);

while (($seconds = fgets(STDIN)) !== false) {
    $operations = 0;
    $begin = hrtime(true);
    $until = $begin + (int) ((float) $seconds * 1e9);
    if ($driver === 'mysqli') {
        do {
            $rows = $db->query('SELECT 1')->fetch_all(MYSQLI_NUM);
            ++$operations;
        } while (($end = hrtime(true)) < $until);
    } else {
        do {
            $rows = $db->query('SELECT 1')->fetchAll(PDO::FETCH_NUM);
            ++$operations;
        } while (($end = hrtime(true)) < $until);
    }
    echo json_encode(['operations' => $operations, 'nanoseconds' => $end - $begin]), "\n";
}

<?php
// Tests without a server: php tests/run.php. Prints what failed, and exits with 1 if anything did.
declare(strict_types=1);

namespace Assay;

require __DIR__ . '/../src/load.php';

final class Tests
{
    public int $failed = 0;
    public int $checked = 0;

    public function same(string $claim, mixed $want, mixed $got): void
    {
        ++$this->checked;
        if ($want !== $got) {
            ++$this->failed;
            echo "FAILED: $claim\n  want ", json_encode($want), "\n  got  ", json_encode($got), "\n";
        }
    }

    public function throws(string $claim, string $class, \Closure $call): void
    {
        try {
            $call();
            $this->same($claim, $class, 'nothing was thrown');
        } catch (\Throwable $error) {
            $this->same($claim, $class, $error::class);
        }
    }
}

/** The greatest number with 11 leading bits that is not above a value, by the words of the protocol. */
function bucketOf(int $value): int
{
    $bits = strlen(decbin($value));
    return $value < 2048 ? $value : ($value >> ($bits - 11)) << ($bits - 11);
}

function histogram(Tests $t): void
{
    foreach ([0, 1, 2047, 2048, 2049, 2050, 4095, 4096, 4097, 65535, 65536, 270532609, 812345678, 1 << 40, PHP_INT_MAX] as $value) {
        $histogram = new Histogram();
        $histogram->record($value);
        $t->same("the bucket of $value ns", [[bucketOf($value), 1]], $histogram->buckets());
    }
    $histogram = new Histogram();
    array_map($histogram->record(...), [5000, 7, 5001, 7, 5004]);
    $t->same('buckets ascend and count', [[7, 2], [5000, 2], [5004, 1]], $histogram->buckets());
}

function checksum(Tests $t): void
{
    $t->same('no rows', 0, Checksum::of([]));
    $t->same(
        'four values count, nulls and booleans have their texts, answers follow each other',
        crc32("1\tä\t\\N\t1\n2\t-5\n"),
        Checksum::of([[[1, 'ä', null, true, 'not this']], [['2', -5]]]),
    );
}

function templates(Tests $t): void
{
    $insert = (new Template('INSERT INTO t (a, b) VALUES (?, COALESCE(?, 1)) ON DUPLICATE KEY UPDATE a = 1'))->multiRow();
    $t->same(
        'MultiRow repeats the group behind VALUES',
        'INSERT INTO t (a, b) VALUES (?, COALESCE(?, 1)), (?, COALESCE(?, 1)) ON DUPLICATE KEY UPDATE a = 1',
        $insert->text(2),
    );
    $t->same('InList repeats the question mark', 'DELETE FROM t WHERE id IN (?, ?, ?)', (new Template('DELETE FROM t WHERE id IN (?)'))->inList()->text(3));
    $t->same('MultiStatement joins', 'DO ?;DO ?', (new Template('DO ?'))->joined()->text(2));
    $t->same('a number inline', 'SELECT 7 + ?', (new Template('SELECT ? + ?'))->inlined(7));
    foreach (['UPDATE t SET a = ?', 'INSERT INTO t VALUES (1), (?) WHERE b = ?', 'INSERT INTO t VALUES (?'] as $statement) {
        $t->throws("MultiRow of $statement", Unsupported::class, (new Template($statement))->multiRow(...));
    }
    foreach (['DELETE FROM t WHERE id = ?', 'SELECT ? FROM t WHERE id IN (?)', 'SELECT 1 FROM t WHERE id IN (?) LIMIT 1'] as $statement) {
        $t->throws("InList of $statement", Unsupported::class, (new Template($statement))->inList(...));
    }
}

function rows(Tests $t): void
{
    $work = new Work('DO ?', [[1], [2], [3]], 2, 2, false, false);
    $t->same('operations go on where the last one ended, and from the first again', [[1], [2], [3], [1]], [$work->next(), $work->next(), $work->next(), $work->next()]);
    $t->same('flat rows', [2, 3, 1], $work->flat(3));
    $sizes = [];
    (new Work('DO ?', [[1]], 5, 2, false, false))->inChunks(static function (int $n) use (&$sizes): void {
        $sizes[] = $n;
    })();
    $t->same('the last chunk has what is left', [2, 2, 1], $sizes);
}

/** Speaks with the null driver as the agent does. */
function conversation(Tests $t): void
{
    $talk = new Conversation(drivers());
    $hello = $talk->answer(['id' => 1, 'do' => 'hello', 'protocol' => PROTOCOL]);
    $t->same('hello', ['ok', 'PHP', ['mysqli', 'pdo_mysql', 'null']], [$hello['state'], $hello['language'], array_column($hello['drivers'], 'name')]);
    $t->same('another protocol', 'unsupported', $talk->answer(['id' => 2, 'do' => 'hello', 'protocol' => 'x'])['state']);
    $t->same('an unknown request', 'unsupported', $talk->answer(['id' => 3, 'do' => 'dance'])['state']);
    $t->same('data', ['id' => 4, 'state' => 'ok', 'rows' => 3], $talk->answer(['id' => 4, 'do' => 'data', 'name' => 'd', 'rows' => [[1], [2], [3]]]));
    $t->same(
        'prepare of null',
        ['id' => 5, 'state' => 'ok', 'version' => '1', 'library' => '', 'cipher' => ''],
        $talk->answer(['id' => 5, 'do' => 'prepare', 'connection' => 'c', 'driver' => 'null', 'tls' => 'Required']),
    );
    $t->same('a driver that is not there', 'unsupported', $talk->answer(['id' => 6, 'do' => 'prepare', 'connection' => 'x', 'driver' => 'y'])['state']);
    $t->same('a version that is not there', 'unsupported', $talk->answer(['id' => 6, 'do' => 'prepare', 'connection' => 'x', 'driver' => 'mysqli', 'version' => '1'])['state']);
    $t->same('an option that is not known', 'unsupported', $talk->answer(['id' => 6, 'do' => 'prepare', 'connection' => 'x', 'driver' => 'mysqli', 'options' => ['a' => 'b']])['state']);
    $run = ['id' => 7, 'do' => 'run', 'connection' => 'c', 'kind' => 'Execute', 'scheme' => 'SingleRow', 'statement' => 'DELETE FROM t WHERE id IN (?)', 'data' => 'd', 'rowsPerOperation' => 2, 'chunk' => 2, 'operations' => 3];
    foreach (['SingleRow', 'Prepared', 'ExecuteMany', 'Pipelined', 'MultiStatement', 'InList', 'Batch'] as $scheme) {
        foreach (['Dedicated', 'Pool', 'New'] as $session) {
            foreach (['Autocommit', 'One'] as $transaction) {
                $answer = $talk->answer(['scheme' => $scheme, 'session' => $session, 'transaction' => $transaction] + $run);
                $t->same("null by $scheme, $session, $transaction", [3, 0, 0, 3], [
                    $answer['operations'] ?? $answer, $answer['rows'] ?? null, $answer['checksum'] ?? null,
                    array_sum(array_column($answer['histogram'] ?? [], 1)),
                ]);
            }
        }
    }
    $t->same('MultiRow by null', 'ok', $talk->answer(['scheme' => 'MultiRow', 'statement' => 'INSERT INTO t VALUES (?)'] + $run)['state']);
    $t->same('Connect by null', 'ok', $talk->answer(['kind' => 'Connect'] + $run)['state']);
    $t->same('Encode by null', 'ok', $talk->answer(['kind' => 'Encode'] + $run)['state']);
    $t->same('inline', 'ok', $talk->answer(['inline' => true] + $run)['state']);
    $wrong = [
        ['unsupported', ['scheme' => 'Telepathy']], ['unsupported', ['session' => 'Old']], ['unsupported', ['transaction' => 'Two']],
        ['unsupported', ['kind' => 'Sing']], ['unsupported', ['scheme' => 'InList', 'inline' => true]], ['failed', ['data' => 'none']],
        ['failed', ['connection' => 'none']], ['failed', ['operations' => 0]], ['failed', ['seconds' => 1]], ['failed', ['chunk' => 0, 'scheme' => 'InList']],
        ['failed', ['rowsPerOperation' => 0]], ['failed', ['statement' => 'DO ?, ?']],
    ];
    foreach ($wrong as [$state, $change]) {
        $answer = $talk->answer($change + $run);
        $t->same('a run with ' . json_encode($change), [$state, true], [$answer['state'], ($answer['reason'] ?? '') !== '']);
    }
    $timed = $talk->answer(['operations' => 0, 'seconds' => 0.01] + $run);
    $t->same('as many operations as begin in a time', true, $timed['operations'] > 10 && $timed['nanoseconds'] >= 10_000_000 && $timed['nanoseconds'] < 1_000_000_000);
    $t->same('close', ['id' => 8, 'state' => 'ok'], $talk->answer(['id' => 8, 'do' => 'close', 'connection' => 'c']));
    $t->same('close again', 'failed', $talk->answer(['id' => 9, 'do' => 'close', 'connection' => 'c'])['state']);
}

$t = new Tests();
histogram($t);
checksum($t);
templates($t);
rows($t);
conversation($t);
echo "$t->checked checks, $t->failed failed\n";
exit($t->failed > 0 ? 1 : 0);

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
}

/** The bucket of a value, by the words of the protocol. */
function bucketOf(int $value): int
{
    $shift = max(strlen(decbin($value)) - 11, 0);
    return $shift * 1024 + ($value >> $shift);
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
    $t->same('buckets ascend and count', [[7, 2], [bucketOf(5000), 2], [bucketOf(5004), 1]], $histogram->buckets());
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

function cpuTime(Tests $t): void
{
    $t->same('CPU time in nanoseconds', ['cpuNanoseconds' => 10_000], CpuTime::between(5, 15));
    $t->same('too few microseconds', [], CpuTime::between(5, 14));
    $t->same('an unknown CPU time', [[], []], [CpuTime::between(null, 15), CpuTime::between(5, null)]);
    $before = CpuTime::now();
    while (CpuTime::now() === $before) {
        hash('sha256', 'work');
    }
    $t->same('it grows', true, CpuTime::now() > $before);
}

/** @param list<list<mixed>> $rows */
function work(array $rows, array $more = []): Work
{
    return new Work($more + [
        'statement' => 'DO ?', 'head' => '', 'group' => '', 'separator' => '', 'tail' => '', 'rowsPerOperation' => 2, 'chunk' => 2, 'kind' => 'Execute',
        'inline' => false,
    ], $rows);
}

function rows(Tests $t): void
{
    $work = work([[1], [2], [3]]);
    $t->same('operations go on where the last one ended, and from the first again', [[1], [2], [3], [1]], [$work->next(), $work->next(), $work->next(), $work->next()]);
    $t->same('flat rows', [2, 3, 1], $work->flat(3));
    $sizes = [];
    work([[1]], ['rowsPerOperation' => 5])->inChunks(static function (int $n) use (&$sizes): void {
        $sizes[] = $n;
    })();
    $t->same('the last chunk has what is left', [2, 2, 1], $sizes);
}

function texts(Tests $t): void
{
    $work = work([], ['statement' => 'SELECT ? + ?', 'head' => 'INSERT INTO t VALUES ', 'group' => '(?)', 'separator' => ', ', 'tail' => '!']);
    $t->same('a number inline', 'SELECT 7 + ?', $work->inlined(7));
    $t->same('the group repeats', 'INSERT INTO t VALUES (?), (?), (?)!', $work->repeated(3));
    $t->same('groups are joined', 'INSERT INTO t VALUES a, b!', $work->joined(['a', 'b']));
    $t->same('parts', [['SELECT ', ' + ', ''], ['(', ')']], [$work->parts, $work->group]);
}

$t = new Tests();
histogram($t);
checksum($t);
cpuTime($t);
rows($t);
texts($t);
echo "$t->checked checks, $t->failed failed\n";
exit($t->failed > 0 ? 1 : 0);

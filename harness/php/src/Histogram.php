<?php
declare(strict_types=1);

namespace Assay;

/**
 * Counts durations in the buckets of HdrHistogram with three significant digits: a value below 2048 ns is a bucket of
 * its own, of a greater one the 11 leading bits stay. All counters are there from the beginning, so that recording
 * allocates nothing.
 */
final class Histogram
{
    private const SHIFTS = 52; // of the greatest integer that PHP has

    /** @var list<int> */
    private array $counts;

    public function __construct()
    {
        $this->counts = array_fill(0, (self::SHIFTS + 2) * 1024, 0);
    }

    public function record(int $nanoseconds): void
    {
        if ($nanoseconds < 2048) {
            ++$this->counts[$nanoseconds];
            return;
        }
        $leading = $nanoseconds >> 1;
        $shift = 1;
        // PHP has no function for the length of a number in bits. Most durations need few of these steps.
        while ($leading > 2047) {
            $leading >>= 1;
            ++$shift;
        }
        ++$this->counts[($shift << 10) + $leading];
    }

    /** @return list<array{int, int}> index and count of each bucket that is not empty */
    public function buckets(): array
    {
        $buckets = [];
        foreach ($this->counts as $index => $count) {
            if ($count > 0) {
                $buckets[] = [$index, $count];
            }
        }
        return $buckets;
    }
}

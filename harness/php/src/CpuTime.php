<?php
declare(strict_types=1);

namespace Assay;

/** The CPU time of the process: in its own code and in the kernel. PHP reports it in whole microseconds. */
final class CpuTime
{
    /** With fewer microseconds than these it is no measurement. */
    private const LEAST = 10;

    /** Microseconds since the process began; null where PHP does not report them. */
    public static function now(): ?int
    {
        $used = getrusage();
        return $used === false ? null
            : ($used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec']) * 1_000_000 + $used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec'];
    }

    /**
     * The field of the answer with what was used between two readings, or none.
     *
     * @return array<string, int>
     */
    public static function between(?int $begin, ?int $end): array
    {
        return $begin === null || $end === null || $end - $begin < self::LEAST ? [] : ['cpuNanoseconds' => ($end - $begin) * 1000];
    }
}

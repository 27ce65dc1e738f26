<?php
declare(strict_types=1);

namespace Assay;

/** A request run: what it repeats, and how often. */
final class Run
{
    /** @param array<string, mixed> $request */
    public function __construct(private readonly array $request, private readonly Connection $connection)
    {
    }

    /** @param list<list<int|float|string>> $rows */
    public function answer(array $rows): array
    {
        $work = new Work($this->request, $rows);
        return match (true) {
            $this->request['kind'] === 'Connect' => $this->measure($this->connecting(), $work),
            $this->request['session'] === 'New' => $this->measure($this->anew($work), $work),
            default => $this->dedicated($work), // also what null does for Encode and a pool; the others have neither
        };
    }

    private function dedicated(Work $work): array
    {
        $session = $this->connection->session();
        $execute = $session->operation($this->request['scheme'], $work);
        if (!$this->request['commit']) {
            return $this->measure($execute, $work);
        }
        $session->autocommit(false);
        $answer = $this->measure(static function () use ($execute, $session): void {
            $execute();
            $session->commit();
        }, $work);
        $session->autocommit(true);
        return $answer;
    }

    private function anew(Work $work): \Closure
    {
        ['driver' => $driver, 'target' => $target] = get_object_vars($this->connection);
        ['commit' => $commit, 'scheme' => $scheme] = $this->request;
        return static function () use ($driver, $target, $commit, $scheme, $work): void {
            $session = $driver->open($target);
            if ($commit) {
                $session->autocommit(false);
            }
            $execute = $session->operation($scheme, $work);
            $execute();
            if ($commit) {
                $session->commit();
            }
            unset($execute); // it holds the connection, which is closed when nothing does
            $session->close();
        };
    }

    private function connecting(): \Closure
    {
        ['driver' => $driver, 'target' => $target] = get_object_vars($this->connection);
        return static function () use ($driver, $target): void {
            $driver->open($target)->close();
        };
    }

    /** Repeats an operation, and times each. */
    private function measure(\Closure $operation, Work $work): array
    {
        $operations = $this->request['operations'];
        $nanoseconds = (int) ($this->request['seconds'] * 1e9);
        $histogram = new Histogram();
        // Cycles of garbage are all that PHP collects; the rest it frees at once.
        $before = hrtime(true);
        gc_collect_cycles();
        $before = hrtime(true) - $before;
        $garbage = gc_status();

        $done = 0;
        $used = CpuTime::now();
        $begin = $end = hrtime(true);
        do {
            $start = hrtime(true);
            $work->answers = [];
            $operation();
            $end = hrtime(true);
            $histogram->record($end - $start);
            ++$done;
        } while ($operations > 0 ? $done < $operations : $end - $begin < $nanoseconds);

        $cpu = CpuTime::between($used, CpuTime::now());
        $after = gc_status();
        return [
            'operations' => $done,
            'nanoseconds' => max(1, $end - $begin),
            ...$cpu,
            'rows' => $work->fetched,
            'checksum' => Checksum::of($work->answers),
            'histogram' => $histogram->buckets(),
            'collection' => [
                'before' => $before,
                'count' => $after['runs'] - $garbage['runs'],
                'nanoseconds' => (int) round(($after['collector_time'] - $garbage['collector_time']) * 1e9),
            ],
        ];
    }
}

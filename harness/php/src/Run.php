<?php
declare(strict_types=1);

namespace Assay;

/** A request run: what it repeats, and how often. */
final class Run
{
    private readonly bool $one;
    private readonly string $scheme;
    private readonly string $session;

    /** @param array<string, mixed> $request */
    public function __construct(private readonly array $request, private readonly Connection $connection)
    {
        $this->one = $this->choice('transaction', ['Autocommit', 'One']) === 'One';
        $this->session = $this->choice('session', ['Dedicated', 'Pool', 'New']);
        $this->scheme = $request['scheme'] ?? '';
    }

    /** @param array<string, list<list<mixed>>> $data rows by the names that requests gave them */
    public function answer(array $data): array
    {
        $kind = $this->request['kind'] ?? '';
        switch ($kind) {
            case 'Connect':
                return $this->measure($this->connecting(), null);
            case 'Encode':
                if (!$this->isNull()) {
                    throw new Unsupported("{$this->connection->driver->name()} has no public function that writes a row of parameters into a statement");
                }
                return $this->measure($this->connection->session()->operation('SingleRow', $this->work($data, false)), null);
            case 'Execute':
            case 'Query':
                $this->checkScheme();
                $work = $this->work($data, $kind === 'Query');
                return match ($this->session) {
                    'Dedicated' => $this->dedicated($work),
                    'New' => $this->measure($this->anew($work), $work),
                    'Pool' => $this->isNull() ? $this->dedicated($work) : throw new Unsupported(
                        'PHP has no pool of connections: a persistent connection is kept for the next request to the same process, and within a script there is nothing to acquire or to give back'
                    ),
                };
            default:
                throw new Unsupported("kind $kind is not known; known are Execute, Query, Connect, Encode");
        }
    }

    private function checkScheme(): void
    {
        if (!isset($this->connection->driver->schemes()[$this->scheme])) {
            throw new Unsupported("{$this->connection->driver->name()} has no scheme {$this->scheme}; it has: "
                . implode(', ', array_keys($this->connection->driver->schemes())));
        }
        if (($this->request['inline'] ?? false) && !in_array($this->scheme, ['SingleRow', 'Prepared'], true)) {
            throw new Unsupported("inline is known with SingleRow and Prepared, not with {$this->scheme}");
        }
    }

    /** @param array<string, list<list<mixed>>> $data */
    private function work(array $data, bool $query): Work
    {
        $statement = $this->request['statement'] ?? '';
        if ($statement === '') {
            throw new Malformed('the request has no statement');
        }
        $name = $this->request['data'] ?? null;
        if ($name !== null && !isset($data[$name])) {
            throw new Malformed("there is no data of the name $name");
        }
        $rows = $name === null ? [] : $data[$name];
        if ($name !== null && $rows === []) {
            throw new Malformed("the data $name has no rows");
        }
        $work = new Work(
            $statement,
            $rows,
            $this->request['rowsPerOperation'] ?? 1,
            $this->request['chunk'] ?? 0,
            $query,
            $this->request['inline'] ?? false,
        );
        $this->fits($work);
        return $work;
    }

    private function fits(Work $work): void
    {
        $width = $work->template->parameters();
        foreach ($work->rows as $i => $row) {
            if (count($row) !== $width) {
                throw new Malformed("the statement has $width parameters, row $i has " . count($row));
            }
            if ($work->inline && !is_int($row[0] ?? null)) {
                throw new Malformed("inline needs an integer as the first parameter; row $i has none");
            }
        }
        if ($work->rows === [] && $width > 0) {
            throw new Malformed("the statement has $width parameters, the request has no data");
        }
        if ($work->rows === [] && $work->inline) {
            throw new Malformed('inline needs data');
        }
        if ($work->rows !== [] && $work->rowsPerOperation < 1) {
            throw new Malformed('rowsPerOperation has to be at least 1');
        }
        if ($work->chunk < 1 && in_array($this->scheme, ['MultiRow', 'MultiStatement', 'InList'], true)) {
            throw new Malformed("chunk has to be at least 1 for the scheme {$this->scheme}");
        }
    }

    private function dedicated(Work $work): array
    {
        $session = $this->connection->session();
        $execute = $session->operation($this->scheme, $work);
        if (!$this->one) {
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
        $one = $this->one;
        $scheme = $this->scheme;
        return static function () use ($driver, $target, $one, $scheme, $work): void {
            $session = $driver->open($target);
            if ($one) {
                $session->autocommit(false);
            }
            $execute = $session->operation($scheme, $work);
            $execute();
            if ($one) {
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
    private function measure(\Closure $operation, ?Work $work): array
    {
        [$operations, $nanoseconds] = $this->extent();
        $histogram = new Histogram();
        // Cycles of garbage are all that PHP collects; the rest it frees at once.
        $before = hrtime(true);
        gc_collect_cycles();
        $before = hrtime(true) - $before;
        $garbage = gc_status();

        $done = 0;
        $begin = $end = hrtime(true);
        do {
            $start = hrtime(true);
            if ($work !== null) {
                $work->answers = [];
            }
            $operation();
            $end = hrtime(true);
            $histogram->record($end - $start);
            ++$done;
        } while ($operations > 0 ? $done < $operations : $end - $begin < $nanoseconds);

        $after = gc_status();
        return [
            'operations' => $done,
            'nanoseconds' => max(1, $end - $begin),
            'rows' => $work?->fetched ?? 0,
            'checksum' => Checksum::of($work?->answers ?? []),
            'histogram' => $histogram->buckets(),
            'collection' => [
                'before' => $before,
                'count' => $after['runs'] - $garbage['runs'],
                'nanoseconds' => (int) round(($after['collector_time'] - $garbage['collector_time']) * 1e9),
            ],
        ];
    }

    /** @return array{int, int} how many operations, or how many nanoseconds; the other one is 0 */
    private function extent(): array
    {
        $operations = $this->request['operations'] ?? 0;
        $seconds = $this->request['seconds'] ?? 0;
        if (($operations > 0) === ($seconds > 0)) {
            throw new Malformed('either operations or seconds has to be greater than 0');
        }
        return [$operations, (int) ($seconds * 1e9)];
    }

    private function isNull(): bool
    {
        return $this->connection->driver instanceof NullDriver;
    }

    /** @param list<string> $known the first one is the default */
    private function choice(string $field, array $known): string
    {
        $value = $this->request[$field] ?? '';
        if ($value === '') {
            return $known[0];
        }
        return in_array($value, $known, true) ? $value : throw new Unsupported("$field $value is not known; known are " . implode(', ', $known));
    }
}

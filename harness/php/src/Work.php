<?php
declare(strict_types=1);

namespace Assay;

/** What the operations of a run do: the statement, its rows of parameters, and what was fetched. */
final class Work
{
    public readonly Template $template;

    /** How many rows all operations fetched. */
    public int $fetched = 0;

    /** @var list<list<list<mixed>>> the rows of each answer in the operation that runs, or ran last */
    public array $answers = [];

    private int $at = 0;

    /** @param list<list<int|float|string|null>> $rows without rows the statement is executed once per operation */
    public function __construct(
        string $statement,
        public readonly array $rows,
        public readonly int $rowsPerOperation,
        public readonly int $chunk,
        public readonly bool $query,
        public readonly bool $inline,
    ) {
        $this->template = new Template($statement);
    }

    /** How many executions one operation consists of. */
    public function executions(): int
    {
        return $this->rows === [] ? 1 : $this->rowsPerOperation;
    }

    /**
     * The next row of parameters; behind the last one comes the first again.
     *
     * @return list<int|float|string|null>
     */
    public function next(): array
    {
        if ($this->rows === []) {
            return [];
        }
        $row = $this->rows[$this->at];
        if (++$this->at === count($this->rows)) {
            $this->at = 0;
        }
        return $row;
    }

    /**
     * The next rows, one behind the other in one list.
     *
     * @return list<int|float|string|null>
     */
    public function flat(int $count): array
    {
        $values = [];
        for ($i = 0; $i < $count; $i++) {
            foreach ($this->next() as $value) {
                $values[] = $value;
            }
        }
        return $values;
    }

    /** Keeps rows that a driver handed over. @param list<list<mixed>> $rows */
    public function take(array $rows): void
    {
        $this->fetched += count($rows);
        $this->answers[] = $rows;
    }

    /**
     * What one operation does whose rows go into statements or texts of at most a chunk of them.
     *
     * @param \Closure(int): void $execute takes how many rows the statement has
     */
    public function inChunks(\Closure $execute): \Closure
    {
        $all = $this->executions();
        $chunk = $this->chunk;
        return static function () use ($execute, $all, $chunk): void {
            for ($left = $all; $left > 0; $left -= $chunk) {
                $execute(min($left, $chunk));
            }
        };
    }

    /** The same for each row by itself. @param \Closure(): void $execute */
    public function eachRow(\Closure $execute): \Closure
    {
        $all = $this->executions();
        if ($all === 1) {
            return $execute;
        }
        return static function () use ($execute, $all): void {
            for ($i = 0; $i < $all; $i++) {
                $execute();
            }
        };
    }
}

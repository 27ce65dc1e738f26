<?php
declare(strict_types=1);

namespace Assay;

/**
 * What the operations of a run do: the texts, the rows of parameters, and what was fetched. A statement is taken apart
 * once, so that an operation only puts texts together.
 */
final class Work
{
    public readonly string $text;
    public readonly bool $query;
    public readonly bool $inline;

    /** @var list<string> what stands between the question marks of the statement, and of the group */
    public readonly array $parts;
    public readonly array $group;

    /** How many rows all operations fetched. */
    public int $fetched = 0;

    /** @var list<list<list<mixed>>> the rows of each answer in the operation that runs, or ran last */
    public array $answers = [];

    private int $at = 0;

    /**
     * @param array<string, mixed> $request
     * @param list<list<int|float|string>> $rows without rows the statement is executed once per operation
     */
    public function __construct(private readonly array $request, public readonly array $rows)
    {
        $this->text = $request['statement'];
        $this->query = $request['kind'] === 'Query';
        $this->inline = $request['inline'];
        $this->parts = explode('?', $this->text);
        $this->group = explode('?', $request['group']);
    }

    /** The text with a number in place of the first question mark. */
    public function inlined(int $number): string
    {
        return $this->parts[0] . $number . substr($this->text, strlen($this->parts[0]) + 1);
    }

    /** The text of a statement whose group stands there several times, with question marks. */
    public function repeated(int $times): string
    {
        ['head' => $head, 'group' => $group, 'separator' => $separator, 'tail' => $tail] = $this->request;
        return $head . $group . str_repeat($separator . $group, $times - 1) . $tail;
    }

    /** The same around groups that are written already. @param list<string> $groups */
    public function joined(array $groups): string
    {
        return $this->request['head'] . implode($this->request['separator'], $groups) . $this->request['tail'];
    }

    /**
     * The next row of parameters; behind the last one comes the first again.
     *
     * @return list<int|float|string>
     */
    public function next(): array
    {
        $row = $this->rows[$this->at];
        if (++$this->at === count($this->rows)) {
            $this->at = 0;
        }
        return $row;
    }

    /**
     * The next rows, one behind the other in one list.
     *
     * @return list<int|float|string>
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
        $all = $this->request['rowsPerOperation'];
        $chunk = $this->request['chunk'];
        return static function () use ($execute, $all, $chunk): void {
            for ($left = $all; $left > 0; $left -= $chunk) {
                $execute(min($left, $chunk));
            }
        };
    }

    /** The same for each row by itself. @param \Closure(): void $execute */
    public function eachRow(\Closure $execute): \Closure
    {
        $all = $this->request['rowsPerOperation'];
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

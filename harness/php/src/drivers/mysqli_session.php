<?php
declare(strict_types=1);

namespace Assay;

/** One connection of mysqli. */
final class MysqliSession implements Session
{
    public function __construct(private readonly \mysqli $db)
    {
    }

    public function operation(string $scheme, Work $work): \Closure
    {
        return match ($scheme) {
            'SingleRow' => $work->eachRow($this->text($work)),
            'Prepared' => $work->eachRow($work->inline ? $this->preparedEachTime($work) : $this->prepared($work)),
            'MultiRow' => $this->repeated($work, $work->template->multiRow()),
            'InList' => $this->repeated($work, $work->template->inList()),
            'MultiStatement' => $this->several($work),
            default => throw new Unsupported("mysqli has no scheme $scheme"),
        };
    }

    /** One row by one text. A number that is to be written inline is written like every other. */
    private function text(Work $work): \Closure
    {
        $send = $this->send($work);
        if ($work->rows === []) {
            $text = $work->template->text;
            return static function () use ($send, $text): void {
                $send($text);
            };
        }
        $parts = $work->template->parts;
        return function () use ($work, $send, $parts): void {
            $send($this->filled($parts, $work->next()));
        };
    }

    /** Rows of a chunk in one text. */
    private function repeated(Work $work, Repeated $repeated): \Closure
    {
        $send = $this->send($work);
        return $work->inChunks(function (int $count) use ($work, $repeated, $send): void {
            $send($this->chunk($work, $repeated, $count));
        });
    }

    /** Statements of a chunk in one text; their answers come one after another. */
    private function several(Work $work): \Closure
    {
        $repeated = $work->template->joined();
        return $work->inChunks(function (int $count) use ($work, $repeated): void {
            $this->db->multi_query($this->chunk($work, $repeated, $count));
            do {
                $result = $this->db->store_result();
                if ($result !== false) {
                    $work->take($result->fetch_all(MYSQLI_NUM));
                }
            } while ($this->db->next_result());
        });
    }

    private function chunk(Work $work, Repeated $repeated, int $count): string
    {
        $groups = [];
        for ($i = 0; $i < $count; $i++) {
            $groups[] = $this->filled($repeated->parts, $work->next());
        }
        return $repeated->before . implode($repeated->separator, $groups) . $repeated->after;
    }

    private function send(Work $work): \Closure
    {
        $db = $this->db;
        if (!$work->query) {
            return static function (string $text) use ($db): void {
                $db->query($text);
            };
        }
        return static function (string $text) use ($db, $work): void {
            $work->take($db->query($text)->fetch_all(MYSQLI_NUM));
        };
    }

    /**
     * The parts of a text with the values between them, as mysqli wants them written.
     *
     * @param list<string> $parts
     * @param list<int|float|string|null> $row
     */
    private function filled(array $parts, array $row): string
    {
        $text = $parts[0];
        foreach ($row as $i => $value) {
            if (is_string($value)) {
                $text .= "'" . $this->db->real_escape_string($value) . "'" . $parts[$i + 1];
            } else {
                $text .= ($value ?? 'NULL') . $parts[$i + 1];
            }
        }
        return $text;
    }

    private function prepared(Work $work): \Closure
    {
        $statement = $this->db->prepare($work->template->text);
        $finish = $this->execute($statement, $work);
        if ($work->rows === []) {
            return $finish;
        }
        // The variables are bound once, as references; a row is copied into them.
        $bound = array_fill(0, $work->template->parameters(), null);
        $statement->bind_param(self::types($work->rows, 0), ...$bound);
        return static function () use ($work, &$bound, $finish): void {
            foreach ($work->next() as $i => $value) {
                $bound[$i] = $value;
            }
            $finish();
        };
    }

    /** With a number in the text, each text is another, and so each is prepared by itself. */
    private function preparedEachTime(Work $work): \Closure
    {
        $types = self::types($work->rows, 1);
        return function () use ($work, $types): void {
            $row = $work->next();
            $statement = $this->db->prepare($work->template->inlined(array_shift($row)));
            if ($row !== []) {
                $statement->bind_param($types, ...$row);
            }
            $this->execute($statement, $work)();
            $statement->close();
        };
    }

    private function execute(\mysqli_stmt $statement, Work $work): \Closure
    {
        if (!$work->query) {
            return static function () use ($statement): void {
                $statement->execute();
            };
        }
        return static function () use ($statement, $work): void {
            $statement->execute();
            $work->take($statement->get_result()->fetch_all(MYSQLI_NUM));
        };
    }

    /**
     * The letters of bind_param for each column: the narrowest that holds all of its values.
     *
     * @param list<list<int|float|string|null>> $rows
     */
    private static function types(array $rows, int $from): string
    {
        $types = '';
        for ($column = $from; $column < count($rows[0] ?? []); $column++) {
            $values = array_column($rows, $column);
            $types .= match (true) {
                array_filter($values, is_string(...)) !== [] => 's',
                array_filter($values, is_float(...)) !== [] => 'd',
                default => 'i',
            };
        }
        return $types;
    }

    public function autocommit(bool $on): void
    {
        $this->db->autocommit($on);
    }

    public function commit(): void
    {
        $this->db->commit();
    }

    public function cipher(): string
    {
        return $this->db->query("SHOW SESSION STATUS LIKE 'Ssl_cipher'")->fetch_row()[1] ?? '';
    }

    public function close(): void
    {
        $this->db->close();
    }
}

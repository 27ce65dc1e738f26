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
            'Prepared' => $work->eachRow($this->prepared($work)),
            'MultiStatement' => $this->several($work),
            default => $this->repeated($work),
        };
    }

    /** One row by one text. A number that is to be written inline is written like every other. */
    private function text(Work $work): \Closure
    {
        $send = $this->send($work);
        if ($work->rows === []) {
            $text = $work->text;
            return static function () use ($send, $text): void {
                $send($text);
            };
        }
        $parts = $work->parts;
        return function () use ($work, $send, $parts): void {
            $send($this->filled($parts, $work->next()));
        };
    }

    /** Rows of a chunk in one text. */
    private function repeated(Work $work): \Closure
    {
        return $work->inChunks(function (int $count) use ($work): void {
            $this->db->query($this->chunk($work, $count));
        });
    }

    /** Statements of a chunk in one text; their answers come one after another. */
    private function several(Work $work): \Closure
    {
        return $work->inChunks(function (int $count) use ($work): void {
            $this->db->multi_query($this->chunk($work, $count));
            do {
                $this->db->store_result();
            } while ($this->db->next_result());
        });
    }

    private function chunk(Work $work, int $count): string
    {
        $groups = [];
        for ($i = 0; $i < $count; $i++) {
            $groups[] = $this->filled($work->group, $work->next());
        }
        return $work->joined($groups);
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
     * @param list<int|float|string> $row
     */
    private function filled(array $parts, array $row): string
    {
        $text = $parts[0];
        foreach ($row as $i => $value) {
            if (is_string($value)) {
                $text .= "'" . $this->db->real_escape_string($value) . "'" . $parts[$i + 1];
            } else {
                $text .= $value . $parts[$i + 1];
            }
        }
        return $text;
    }

    private function prepared(Work $work): \Closure
    {
        $statement = $this->db->prepare($work->text);
        $finish = $this->execute($statement, $work);
        if ($work->rows === []) {
            return $finish;
        }
        // The variables are bound once, as references; a row is copied into them.
        $bound = array_fill(0, count($work->parts) - 1, null);
        $statement->bind_param(self::types($work->rows[0]), ...$bound);
        return static function () use ($work, &$bound, $finish): void {
            foreach ($work->next() as $i => $value) {
                $bound[$i] = $value;
            }
            $finish();
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

    /** The letters of bind_param for each column. @param list<int|float|string> $row any, since a column has one type */
    private static function types(array $row): string
    {
        return implode('', array_map(static fn (mixed $value): string => match (true) {
            is_string($value) => 's',
            is_float($value) => 'd',
            default => 'i',
        }, $row));
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

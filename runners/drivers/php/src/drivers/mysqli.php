<?php
declare(strict_types=1);

namespace Assay;

/** The extension mysqli, on mysqlnd. */
final class MysqliDriver implements Driver
{
    /** Options with a number as their value. */
    private const NUMBERS = [
        'MYSQLI_OPT_CONNECT_TIMEOUT' => MYSQLI_OPT_CONNECT_TIMEOUT,
        'MYSQLI_OPT_READ_TIMEOUT' => MYSQLI_OPT_READ_TIMEOUT,
        'MYSQLI_OPT_NET_CMD_BUFFER_SIZE' => MYSQLI_OPT_NET_CMD_BUFFER_SIZE,
        'MYSQLI_OPT_NET_READ_BUFFER_SIZE' => MYSQLI_OPT_NET_READ_BUFFER_SIZE,
        'MYSQLI_OPT_INT_AND_FLOAT_NATIVE' => MYSQLI_OPT_INT_AND_FLOAT_NATIVE,
    ];

    /** Flags of the login: true or false. */
    private const FLAGS = [
        'MYSQLI_CLIENT_COMPRESS' => MYSQLI_CLIENT_COMPRESS,
        'MYSQLI_CLIENT_FOUND_ROWS' => MYSQLI_CLIENT_FOUND_ROWS,
    ];

    public function name(): string
    {
        return 'mysqli';
    }

    public function versions(): array
    {
        return [(string) phpversion('mysqli')];
    }

    public function library(): string
    {
        return mysqli_get_client_info();
    }

    public function schemes(): array
    {
        return [
            'SingleRow' => 'query() of a text into which real_escape_string() wrote the parameters: COM_QUERY',
            'Prepared' => 'prepare() once, bind_param() once, execute() for each row: COM_STMT_EXECUTE',
            'MultiRow' => 'query() of one INSERT with the escaped rows of a chunk: COM_QUERY',
            'MultiStatement' => 'multi_query() of the statements of a chunk, next_result() for all answers: one COM_QUERY',
            'InList' => 'query() of one text with the keys of a chunk: COM_QUERY',
        ];
    }

    public function check(Target $target): void
    {
        foreach ($target->options as $name => $value) {
            if (isset(self::NUMBERS[$name])) {
                if (!ctype_digit($value)) {
                    throw new Unsupported("option $name has to be a number; it is: $value");
                }
            } elseif (isset(self::FLAGS[$name])) {
                if ($value !== 'true' && $value !== 'false') {
                    throw new Unsupported("option $name has to be true or false; it is: $value");
                }
            } else {
                $known = implode(', ', array_keys(self::NUMBERS + self::FLAGS));
                throw new Unsupported("mysqli has no option $name here; known are: $known");
            }
        }
    }

    public function open(Target $target): Session
    {
        $db = new \mysqli();
        // In the login itself: set_charset afterwards would be one more round trip.
        $db->options(MYSQLI_SET_CHARSET_NAME, 'utf8mb4');
        $flags = 0;
        if ($target->tls) {
            $flags = MYSQLI_CLIENT_SSL;
            $db->options(MYSQLI_OPT_SSL_VERIFY_SERVER_CERT, 1);
            $db->ssl_set(null, null, $target->authority, null, null);
        }
        foreach ($target->options as $name => $value) {
            if (isset(self::NUMBERS[$name])) {
                $db->options(self::NUMBERS[$name], (int) $value);
            } elseif ($value === 'true') {
                $flags |= self::FLAGS[$name];
            }
        }
        $db->real_connect($target->address(), $target->user, $target->password, $target->database, $target->port, null, $flags);
        return new MysqliSession($db);
    }

    public function cannotLogIn(\Throwable $error): bool
    {
        // 2054: mysqlnd does not know the plugin. 1251: the server says that the client is too old for it.
        return in_array($error->getCode(), [2054, 1251], true);
    }
}

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

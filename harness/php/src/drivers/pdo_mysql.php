<?php
declare(strict_types=1);

namespace Assay;

/** The extension PDO with its driver for MySQL, on mysqlnd. */
final class PdoDriver implements Driver
{
    private const OPTIONS = [
        'PDO::ATTR_STRINGIFY_FETCHES' => \PDO::ATTR_STRINGIFY_FETCHES,
        'PDO::ATTR_TIMEOUT' => \PDO::ATTR_TIMEOUT,
        'PDO::MYSQL_ATTR_COMPRESS' => \PDO::MYSQL_ATTR_COMPRESS,
        'PDO::MYSQL_ATTR_FOUND_ROWS' => \PDO::MYSQL_ATTR_FOUND_ROWS,
        'PDO::MYSQL_ATTR_USE_BUFFERED_QUERY' => \PDO::MYSQL_ATTR_USE_BUFFERED_QUERY,
    ];

    public function name(): string
    {
        return 'pdo_mysql';
    }

    public function versions(): array
    {
        return [(string) phpversion('pdo_mysql')];
    }

    public function library(): string
    {
        return mysqli_get_client_info(); // both extensions stand on the same mysqlnd
    }

    public function schemes(): array
    {
        return [
            'SingleRow' => 'ATTR_EMULATE_PREPARES on; prepare(), bindValue(), execute() for each row: PDO writes the parameters into the text, COM_QUERY',
            'Prepared' => 'ATTR_EMULATE_PREPARES off; prepare() once, bindValue() and execute() for each row: COM_STMT_EXECUTE',
            'MultiRow' => 'as SingleRow, with the rows of a chunk in one INSERT: COM_QUERY',
            'MultiStatement' => 'as SingleRow, with the statements of a chunk in one text, nextRowset() for all answers: one COM_QUERY',
            'InList' => 'as SingleRow, with the keys of a chunk: COM_QUERY',
        ];
    }

    public function check(Target $target): void
    {
        foreach ($target->options as $name => $value) {
            if (!isset(self::OPTIONS[$name])) {
                throw new Unsupported("pdo_mysql has no option $name here; known are: " . implode(', ', array_keys(self::OPTIONS)));
            }
            if ($name === 'PDO::ATTR_TIMEOUT' ? !ctype_digit($value) : !in_array($value, ['true', 'false'], true)) {
                throw new Unsupported("option $name cannot be: $value");
            }
        }
    }

    public function open(Target $target): Session
    {
        $options = [\PDO::ATTR_ERRMODE => \PDO::ERRMODE_EXCEPTION];
        if ($target->tls) {
            $options[\PDO::MYSQL_ATTR_SSL_CA] = $target->authority;
            $options[\PDO::MYSQL_ATTR_SSL_VERIFY_SERVER_CERT] = true;
        }
        foreach ($target->options as $name => $value) {
            $options[self::OPTIONS[$name]] = ctype_digit($value) ? (int) $value : $value === 'true';
        }
        $where = "mysql:host={$target->address()};port=$target->port;dbname=$target->database;charset=utf8mb4";
        return new PdoSession(new \PDO($where, $target->user, $target->password, $options));
    }

    public function cannotLogIn(\Throwable $error): bool
    {
        return in_array($error->getCode(), [2054, 1251], true);
    }
}

final class PdoSession implements Session
{
    public function __construct(private ?\PDO $db)
    {
    }

    public function operation(string $scheme, Work $work): \Closure
    {
        $this->db->setAttribute(\PDO::ATTR_EMULATE_PREPARES, $scheme !== 'Prepared');
        return match ($scheme) {
            'SingleRow' => $work->eachRow($this->eachTime($work)),
            'Prepared' => $work->eachRow($work->inline ? $this->eachTime($work) : $this->prepared($work)),
            'MultiRow' => $this->repeated($work, $work->template->multiRow()),
            'InList' => $this->repeated($work, $work->template->inList()),
            'MultiStatement' => $this->repeated($work, $work->template->joined()),
            default => throw new Unsupported("pdo_mysql has no scheme $scheme"),
        };
    }

    /** A text and a row of parameters, for PDO to put together, or to prepare where the text is another each time. */
    private function eachTime(Work $work): \Closure
    {
        $db = $this->db;
        $text = $work->template->text;
        if ($work->rows === []) {
            return $work->query
                ? static function () use ($db, $text, $work): void {
                    $work->take($db->query($text)->fetchAll(\PDO::FETCH_NUM));
                }
                : static function () use ($db, $text): void {
                    $db->exec($text);
                };
        }
        return static function () use ($db, $text, $work): void {
            $row = $work->next();
            if ($work->inline) {
                $text = $work->template->inlined(array_shift($row));
            }
            self::execute($db->prepare($text), $row, $work);
        };
    }

    private function prepared(Work $work): \Closure
    {
        $statement = $this->db->prepare($work->template->text);
        return static function () use ($statement, $work): void {
            self::execute($statement, $work->next(), $work);
        };
    }

    private function repeated(Work $work, Repeated $repeated): \Closure
    {
        $db = $this->db;
        return $work->inChunks(static function (int $count) use ($db, $repeated, $work): void {
            self::execute($db->prepare($repeated->text($count)), $work->flat($count), $work);
        });
    }

    /**
     * One execution, up to the end of its answers.
     *
     * @param list<int|float|string|null> $row
     */
    private static function execute(\PDOStatement $statement, array $row, Work $work): void
    {
        foreach ($row as $i => $value) {
            // Without a type, execute() would make a text of a number.
            $statement->bindValue($i + 1, $value, match (true) {
                is_int($value) => \PDO::PARAM_INT,
                $value === null => \PDO::PARAM_NULL,
                default => \PDO::PARAM_STR,
            });
        }
        $statement->execute();
        do {
            if ($work->query) {
                $work->take($statement->fetchAll(\PDO::FETCH_NUM));
            }
        } while ($statement->nextRowset());
    }

    public function autocommit(bool $on): void
    {
        $this->db->setAttribute(\PDO::ATTR_AUTOCOMMIT, $on);
    }

    public function commit(): void
    {
        // PDO's own commit() refuses where nothing was written yet, such as after SELECT 1.
        $this->db->exec('COMMIT');
    }

    public function cipher(): string
    {
        return $this->db->query("SHOW SESSION STATUS LIKE 'Ssl_cipher'")->fetch(\PDO::FETCH_NUM)[1] ?? '';
    }

    public function close(): void
    {
        $this->db = null;
    }
}

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

    public function version(): string
    {
        return (string) phpversion('pdo_mysql');
    }

    public function library(): string
    {
        return mysqli_get_client_info(); // both extensions stand on the same mysqlnd
    }

    public function can(): array
    {
        return [
            'SingleRow' => 'ATTR_EMULATE_PREPARES on; prepare(), bindValue(), execute() for each row: PDO writes the parameters into the text, COM_QUERY',
            'Prepared' => 'ATTR_EMULATE_PREPARES off; prepare() once, bindValue() and execute() for each row: COM_STMT_EXECUTE',
            'MultiRow' => 'as SingleRow, with the rows of a chunk in one INSERT: COM_QUERY',
            'MultiStatement' => 'as SingleRow, with the statements of a chunk in one text, nextRowset() for all answers: one COM_QUERY',
            'InList' => 'as SingleRow, with the keys of a chunk: COM_QUERY',
        ];
    }

    public function cannot(): array
    {
        return ['Pool' => NO_POOL, 'Encode' => NO_ENCODE, 'Concurrency' => NO_CONCURRENCY];
    }

    public function options(): array
    {
        return ['PDO::ATTR_TIMEOUT' => 'integer'] + array_fill_keys(array_keys(self::OPTIONS), 'boolean');
    }

    public function open(array $target): Session
    {
        $options = [\PDO::ATTR_ERRMODE => \PDO::ERRMODE_EXCEPTION];
        if ($target['tls']) {
            $options[\PDO::MYSQL_ATTR_SSL_CA] = getenv('ASSAY_CA');
            $options[\PDO::MYSQL_ATTR_SSL_VERIFY_SERVER_CERT] = true;
        }
        foreach ($target['options'] as $name => $value) {
            $options[self::OPTIONS[$name]] = ctype_digit($value) ? (int) $value : $value === 'true';
        }
        $host = address($target['host']);
        $where = "mysql:host=$host;port={$target['port']};dbname={$target['database']};charset=utf8mb4";
        return new PdoSession(new \PDO($where, getenv('ASSAY_USERNAME'), getenv('ASSAY_PASSWORD'), $options));
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
            'Prepared' => $work->eachRow($this->prepared($work)),
            default => $this->repeated($work),
        };
    }

    /** A text and a row of parameters, for PDO to put together. */
    private function eachTime(Work $work): \Closure
    {
        $db = $this->db;
        $text = $work->text;
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
                $text = $work->inlined(array_shift($row));
            }
            self::execute($db->prepare($text), $row, $work);
        };
    }

    private function prepared(Work $work): \Closure
    {
        $statement = $this->db->prepare($work->text);
        return static function () use ($statement, $work): void {
            self::execute($statement, $work->rows === [] ? [] : $work->next(), $work);
        };
    }

    private function repeated(Work $work): \Closure
    {
        $db = $this->db;
        return $work->inChunks(static function (int $count) use ($db, $work): void {
            self::execute($db->prepare($work->repeated($count)), $work->flat($count), $work);
        });
    }

    /**
     * One execution, up to the end of its answers.
     *
     * @param list<int|float|string> $row
     */
    private static function execute(\PDOStatement $statement, array $row, Work $work): void
    {
        foreach ($row as $i => $value) {
            // Without a type, execute() would make a text of a number.
            $statement->bindValue($i + 1, $value, is_int($value) ? \PDO::PARAM_INT : \PDO::PARAM_STR);
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

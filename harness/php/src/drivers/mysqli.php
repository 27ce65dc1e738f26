<?php
declare(strict_types=1);

namespace Assay;

require __DIR__ . '/mysqli_session.php';

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

    public function version(): string
    {
        return (string) phpversion('mysqli');
    }

    public function library(): string
    {
        return mysqli_get_client_info();
    }

    public function can(): array
    {
        return [
            'SingleRow' => 'query() of a text into which real_escape_string() wrote the parameters: COM_QUERY',
            'Prepared' => 'prepare() once, bind_param() once, execute() for each row: COM_STMT_EXECUTE',
            'MultiRow' => 'query() of one INSERT with the escaped rows of a chunk: COM_QUERY',
            'MultiStatement' => 'multi_query() of the statements of a chunk, next_result() for all answers: one COM_QUERY',
            'InList' => 'query() of one text with the keys of a chunk: COM_QUERY',
        ];
    }

    public function cannot(): array
    {
        return ['Pool' => NO_POOL, 'Encode' => NO_ENCODE, 'Concurrency' => NO_CONCURRENCY];
    }

    public function options(): array
    {
        return array_fill_keys(array_keys(self::NUMBERS), 'integer') + array_fill_keys(array_keys(self::FLAGS), 'boolean');
    }

    public function open(array $target): Session
    {
        $db = new \mysqli();
        // In the login itself: set_charset afterwards would be one more round trip.
        $db->options(MYSQLI_SET_CHARSET_NAME, 'utf8mb4');
        $flags = 0;
        if ($target['tls']) {
            $flags = MYSQLI_CLIENT_SSL;
            $db->options(MYSQLI_OPT_SSL_VERIFY_SERVER_CERT, 1);
            $db->ssl_set(null, null, getenv('ASSAY_CA'), null, null);
        }
        foreach ($target['options'] as $name => $value) {
            if (isset(self::NUMBERS[$name])) {
                $db->options(self::NUMBERS[$name], (int) $value);
            } elseif ($value === 'true') {
                $flags |= self::FLAGS[$name];
            }
        }
        $db->real_connect(address($target['host']), getenv('ASSAY_USERNAME'), getenv('ASSAY_PASSWORD'), $target['database'], $target['port'], null, $flags);
        return new MysqliSession($db);
    }
}

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

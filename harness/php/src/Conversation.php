<?php
declare(strict_types=1);

namespace Assay;

const PROTOCOL = 'assay.dev/driver/v1';

/**
 * Answers line by line until the input ends.
 *
 * @param resource $in
 * @param resource $out
 * @return int the exit code
 */
function serve($in, $out, Conversation $conversation): int
{
    while (($line = fgets($in)) !== false) {
        try {
            $request = json_decode($line, true, 512, JSON_THROW_ON_ERROR);
        } catch (\JsonException $error) {
            $request = null;
        }
        if (!is_array($request) || !is_int($request['id'] ?? null)) {
            // There is no id to answer to, and a guess would be taken for the answer to something else.
            fwrite(STDERR, "harness: a line is no request in JSON with an id: $line\n");
            return 1;
        }
        // A checksum of bytes may be asked for, but texts of drivers and servers may be cut inside a character.
        $answer = json_encode($conversation->answer($request), JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE);
        if (fwrite($out, $answer . "\n") === false) {
            return 1;
        }
        fflush($out);
    }
    $conversation->close();
    return 0;
}

/** The requests of one agent and their answers. */
final class Conversation
{
    /** @var array<string, Connection> */
    private array $connections = [];

    /** @var array<string, list<list<mixed>>> */
    private array $data = [];

    /** @param list<Driver> $drivers */
    public function __construct(private readonly array $drivers)
    {
    }

    /** @param array<string, mixed> $request */
    public function answer(array $request): array
    {
        $id = ['id' => $request['id']];
        try {
            return $id + ['state' => 'ok'] + match ($request['do'] ?? '') {
                'hello' => $this->hello($request),
                'data' => $this->keep($request),
                'prepare' => $this->prepare($request),
                'run' => $this->run($request),
                'close' => $this->forget($request),
                default => throw new Unsupported('the request ' . json_encode($request['do'] ?? null) . ' is not known'),
            };
        } catch (Unsupported $error) {
            return $id + ['state' => 'unsupported', 'reason' => $error->getMessage()];
        } catch (\Throwable $error) {
            return $id + ['state' => 'failed', 'reason' => self::words($error)];
        }
    }

    public function close(): void
    {
        foreach ($this->connections as $connection) {
            $connection->drop();
        }
        $this->connections = [];
    }

    /** @param array<string, mixed> $request */
    private function hello(array $request): array
    {
        if (($request['protocol'] ?? '') !== PROTOCOL) {
            throw new Unsupported('this harness speaks ' . PROTOCOL . ', not ' . json_encode($request['protocol'] ?? null));
        }
        return [
            'protocol' => PROTOCOL,
            'language' => 'PHP',
            'runtime' => PHP_VERSION,
            'clock' => 'hrtime(true)',
            'drivers' => array_map(static fn (Driver $driver): array => [
                'name' => $driver->name(),
                'versions' => $driver->versions(),
                'schemes' => $driver->schemes(),
            ], $this->drivers),
        ];
    }

    /** @param array<string, mixed> $request */
    private function keep(array $request): array
    {
        foreach ($request['rows'] as $i => $row) {
            foreach ($row as $value) {
                if (is_bool($value) || is_array($value)) {
                    throw new Unsupported("row $i: a value is neither a number nor a text nor null");
                }
            }
        }
        $this->data[$request['name']] = $request['rows'];
        return ['rows' => count($request['rows'])];
    }

    /** @param array<string, mixed> $request */
    private function prepare(array $request): array
    {
        $driver = $this->driver($request['driver']);
        $version = $request['version'] ?? '';
        if ($version !== '' && !in_array($version, $driver->versions(), true)) {
            throw new Unsupported("{$driver->name()} is here in version " . implode(', ', $driver->versions()) . ", not $version");
        }
        $connection = new Connection($driver, self::target($request, $driver instanceof NullDriver));
        $driver->check($connection->target);
        ($this->connections[$request['connection']] ?? null)?->drop();
        unset($this->connections[$request['connection']]);
        try {
            $cipher = $connection->session()->cipher();
        } catch (\Throwable $error) {
            throw $driver->cannotLogIn($error) ? new Unsupported(self::words($error)) : $error;
        }
        if (!$driver instanceof NullDriver && ($cipher !== '') !== $connection->target->tls) {
            $connection->drop();
            throw new Malformed('tls is to be ' . ($request['tls'] ?? 'Disabled') . ", but the cipher of the connection is '$cipher'");
        }
        $this->connections[$request['connection']] = $connection;
        return ['version' => $version ?: $driver->versions()[0], 'library' => $driver->library(), 'cipher' => $cipher];
    }

    /** @param array<string, mixed> $request */
    private static function target(array $request, bool $null): Target
    {
        $tls = $request['tls'] ?? 'Disabled';
        if (!in_array($tls, ['Disabled', 'Required'], true)) {
            throw new Unsupported("tls $tls is not known; known are Disabled, Required");
        }
        $authority = (string) getenv('ASSAY_CA');
        if ($tls === 'Required' && !$null && !is_readable($authority)) {
            throw new Malformed("tls Required needs a readable file with the certificate authority; ASSAY_CA names '$authority'");
        }
        return new Target(
            $request['host'] ?? '',
            $request['port'] ?? 3306,
            $request['database'] ?? '',
            $tls === 'Required',
            $request['options'] ?? [],
            (string) getenv('ASSAY_USERNAME'),
            (string) getenv('ASSAY_PASSWORD'),
            $authority,
        );
    }

    /** @param array<string, mixed> $request */
    private function run(array $request): array
    {
        $connection = $this->connections[$request['connection']]
            ?? throw new Malformed("there is no connection of the name {$request['connection']}");
        $run = new Run($request, $connection);
        try {
            return $run->answer($this->data);
        } catch (Unsupported | Malformed $error) {
            throw $error; // before anything was sent
        } catch (\Throwable $error) {
            $connection->drop();
            throw $error;
        }
    }

    /** @param array<string, mixed> $request */
    private function forget(array $request): array
    {
        $connection = $this->connections[$request['connection']]
            ?? throw new Malformed("there is no connection of the name {$request['connection']}");
        $connection->drop();
        unset($this->connections[$request['connection']]);
        return [];
    }

    private function driver(string $name): Driver
    {
        foreach ($this->drivers as $driver) {
            if ($driver->name() === $name) {
                return $driver;
            }
        }
        throw new Unsupported("there is no driver $name in PHP here");
    }

    /** What the driver or the server said, with the number where the text lacks it, and with the causes. */
    private static function words(\Throwable $error): string
    {
        $words = [];
        for (; $error !== null; $error = $error->getPrevious()) {
            $number = is_int($error->getCode()) && $error->getCode() !== 0 ? "{$error->getCode()}: " : '';
            $words[] = ($error instanceof \PDOException ? '' : $number) . ($error->getMessage() ?: $error::class);
        }
        return implode('; before that: ', $words);
    }
}

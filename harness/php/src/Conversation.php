<?php
declare(strict_types=1);

namespace Assay;

/**
 * Answers line by line until the input ends.
 *
 * @param resource $in
 * @param resource $out
 */
function serve($in, $out, Conversation $conversation): void
{
    while (($line = fgets($in)) !== false) {
        $answer = $conversation->answer(json_decode($line, true, 512, JSON_THROW_ON_ERROR));
        // Texts of drivers and servers may be cut inside a character.
        fwrite($out, json_encode($answer, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE) . "\n");
        fflush($out);
    }
    $conversation->close();
}

/** A connection of prepare. Its session is null after something went wrong on it. */
final class Connection
{
    public ?Session $session = null;

    /** @param array<string, mixed> $target the request prepare */
    public function __construct(public readonly Driver $driver, public readonly array $target)
    {
    }

    /** The session that stays, with autocommit on; opened again after one that failed. */
    public function session(): Session
    {
        if ($this->session === null) {
            $this->session = $this->driver->open($this->target);
            $this->session->autocommit(true);
        }
        return $this->session;
    }

    /** After an error nobody knows what state the connection is in: it is closed, which also rolls back. */
    public function drop(): void
    {
        $session = $this->session;
        $this->session = null;
        try {
            $session?->close();
        } catch (\Throwable $error) {
            fwrite(STDERR, 'harness: closing a connection: ' . $error->getMessage() . "\n");
        }
    }
}

/** The requests of one agent and their answers. Requests are as the protocol says, so nothing in them is checked. */
final class Conversation
{
    /** @var array<string, Connection> */
    private array $connections = [];

    /** @var array<string, list<list<mixed>>> */
    private array $data = ['' => []];

    /** @param list<Driver> $drivers */
    public function __construct(private readonly array $drivers)
    {
    }

    /** @param array<string, mixed> $request */
    public function answer(array $request): array
    {
        try {
            return ['id' => $request['id'], 'state' => 'ok'] + match ($request['do']) {
                'hello' => $this->hello(),
                'data' => $this->keep($request),
                'prepare' => $this->prepare($request),
                'run' => $this->run($request),
                'close' => $this->forget($request),
            };
        } catch (\Throwable $error) {
            return ['id' => $request['id'], 'state' => 'failed', 'code' => (string) $error->getCode(), 'reason' => self::words($error)];
        }
    }

    public function close(): void
    {
        foreach ($this->connections as $connection) {
            $connection->drop();
        }
    }

    private function hello(): array
    {
        return [
            'protocol' => 'assay.dev/driver/v2',
            'language' => 'PHP',
            'runtime' => PHP_VERSION,
            'clock' => 'hrtime(true)',
            'drivers' => array_map(static fn (Driver $driver): array => [
                'name' => $driver->name(),
                'versions' => [$driver->version()],
                'can' => $driver->can(),
                'cannot' => (object) $driver->cannot(),
                'options' => (object) $driver->options(),
            ], $this->drivers),
        ];
    }

    /** @param array<string, mixed> $request */
    private function keep(array $request): array
    {
        $this->data[$request['name']] = $request['rows'];
        return [];
    }

    /** @param array<string, mixed> $request */
    private function prepare(array $request): array
    {
        $driver = array_find($this->drivers, static fn (Driver $driver): bool => $driver->name() === $request['driver']);
        $connection = $this->connections[$request['connection']] = new Connection($driver, $request);
        return ['version' => $driver->version(), 'library' => $driver->library(), 'cipher' => $connection->session()->cipher()];
    }

    /** @param array<string, mixed> $request */
    private function run(array $request): array
    {
        $connection = $this->connections[$request['connection']];
        try {
            return (new Run($request, $connection))->answer($this->data[$request['data']]);
        } catch (\Throwable $error) {
            $connection->drop();
            throw $error;
        }
    }

    /** @param array<string, mixed> $request */
    private function forget(array $request): array
    {
        $this->connections[$request['connection']]->drop();
        unset($this->connections[$request['connection']]);
        return [];
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

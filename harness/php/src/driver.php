<?php
declare(strict_types=1);

namespace Assay;

/** Where a connection goes, and how. */
final class Target
{
    /** @param array<string, string> $options of the driver's connection, by the driver's own names */
    public function __construct(
        public readonly string $host,
        public readonly int $port,
        public readonly string $database,
        public readonly bool $tls,
        public readonly array $options,
        public readonly string $user,
        #[\SensitiveParameter] public readonly string $password,
        public readonly string $authority,
    ) {
    }

    /** mysqlnd takes the name localhost for a Unix socket; the protocol speaks of hosts and ports. */
    public function address(): string
    {
        return $this->host === 'localhost' ? '127.0.0.1' : $this->host;
    }
}

/** One driver. A new one is a file, and a line in drivers/list.php. */
interface Driver
{
    public function name(): string;

    /** @return list<string> the first one is the default */
    public function versions(): array;

    /** Name and version of the C library below, or nothing. */
    public function library(): string;

    /** @return array<string, string> how each scheme is done that the driver can do */
    public function schemes(): array;

    /** Throws Unsupported for an option that is not known, or has a value that is none. */
    public function check(Target $target): void;

    /** Opens a connection. */
    public function open(Target $target): Session;

    /** Whether an error of open says that the driver does not know how to log in. */
    public function cannotLogIn(\Throwable $error): bool;
}

/** One connection of a driver. It is closed by close, or when nothing refers to it. */
interface Session
{
    /** Makes what executes the rows of one operation. What a scheme prepares, this prepares. */
    public function operation(string $scheme, Work $work): \Closure;

    /** Switches autocommit. */
    public function autocommit(bool $on): void;

    public function commit(): void;

    /** What the connection is encrypted with, or nothing. */
    public function cipher(): string;

    public function close(): void;
}

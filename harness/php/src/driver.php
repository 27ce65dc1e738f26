<?php
declare(strict_types=1);

namespace Assay;

/** mysqlnd takes the name localhost for a Unix socket; the protocol speaks of hosts and ports. */
function address(string $host): string
{
    return $host === 'localhost' ? '127.0.0.1' : $host;
}

/** One driver. A new one is a file, and a line in drivers/list.php. */
interface Driver
{
    public function name(): string;

    public function version(): string;

    /** Name and version of the C library below, or nothing. */
    public function library(): string;

    /** @return array<string, string> how each scheme is done that the driver can do; Pool and Encode are others */
    public function can(): array;

    /** @return array<string, string> why it cannot do others */
    public function cannot(): array;

    /** @return array<string, string> the type of each option */
    public function options(): array;

    /** Opens a connection. @param array<string, mixed> $target the request prepare */
    public function open(array $target): Session;
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

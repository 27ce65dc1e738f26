<?php
declare(strict_types=1);

namespace Assay;

/** A connection of prepare: opened at once, and again by the next run after one that failed. */
final class Connection
{
    private ?Session $session = null;

    public function __construct(public readonly Driver $driver, public readonly Target $target)
    {
    }

    /** The session that stays, with autocommit on. */
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

<?php
declare(strict_types=1);

namespace Assay;

/** Does everything but call a driver, and so measures the harness. */
final class NullDriver implements Driver
{
    private const ALL = ['SingleRow', 'Prepared', 'ExecuteMany', 'Pipelined', 'MultiRow', 'MultiStatement', 'InList', 'Batch', 'Pool', 'Encode'];

    public function name(): string
    {
        return 'null';
    }

    public function version(): string
    {
        return '1';
    }

    public function library(): string
    {
        return '';
    }

    public function can(): array
    {
        return array_fill_keys(self::ALL, 'nothing is sent; texts are built where the scheme builds them');
    }

    public function cannot(): array
    {
        return ['Concurrency' => NO_CONCURRENCY];
    }

    public function options(): array
    {
        return [];
    }

    public function open(array $target): Session
    {
        return new NullSession();
    }
}

final class NullSession implements Session
{
    public function operation(string $scheme, Work $work): \Closure
    {
        return match (true) {
            in_array($scheme, ['MultiRow', 'MultiStatement', 'InList'], true) => $work->inChunks(static function (int $count) use ($work): void {
                $work->repeated($count);
                $work->flat($count);
            }),
            $work->rows === [] => static function (): void {
            },
            default => $work->eachRow(static function () use ($work): void {
                $work->next();
            }),
        };
    }

    public function autocommit(bool $on): void
    {
    }

    public function commit(): void
    {
    }

    public function cipher(): string
    {
        return '';
    }

    public function close(): void
    {
    }
}

<?php
declare(strict_types=1);

namespace Assay;

/** Does everything but call a driver, and so measures the harness. */
final class NullDriver implements Driver
{
    public const ALL = ['SingleRow', 'Prepared', 'ExecuteMany', 'Pipelined', 'MultiRow', 'MultiStatement', 'InList', 'Batch'];

    public function name(): string
    {
        return 'null';
    }

    public function versions(): array
    {
        return ['1'];
    }

    public function library(): string
    {
        return '';
    }

    public function schemes(): array
    {
        return array_fill_keys(self::ALL, 'nothing is sent; texts are built where the scheme builds them');
    }

    public function check(Target $target): void
    {
        if ($target->options !== []) {
            throw new Unsupported('the driver null has no options; the request has ' . implode(', ', array_keys($target->options)));
        }
    }

    public function open(Target $target): Session
    {
        return new NullSession();
    }

    public function cannotLogIn(\Throwable $error): bool
    {
        return false;
    }
}

final class NullSession implements Session
{
    public function operation(string $scheme, Work $work): \Closure
    {
        return match ($scheme) {
            'MultiRow' => $this->repeated($work, $work->template->multiRow()),
            'InList' => $this->repeated($work, $work->template->inList()),
            'MultiStatement' => $this->repeated($work, $work->template->joined()),
            'ExecuteMany', 'Batch', 'Pipelined', 'Prepared' => $work->eachRow(static function () use ($work): void {
                $work->next();
            }),
            default => $work->eachRow($work->inline ? $this->inlined($work) : static function () use ($work): void {
                $work->next();
            }),
        };
    }

    private function repeated(Work $work, Repeated $repeated): \Closure
    {
        return $work->inChunks(static function (int $count) use ($work, $repeated): void {
            $repeated->text($count);
            $work->flat($count);
        });
    }

    private function inlined(Work $work): \Closure
    {
        return static function () use ($work): void {
            $work->template->inlined($work->next()[0]);
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

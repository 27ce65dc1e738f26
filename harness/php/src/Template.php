<?php
declare(strict_types=1);

namespace Assay;

/** A statement taken apart once, so that an operation only puts texts together. */
final class Template
{
    /** @var list<string> what stands between the question marks */
    public readonly array $parts;

    public function __construct(public readonly string $text)
    {
        $this->parts = explode('?', $text);
    }

    public function parameters(): int
    {
        return count($this->parts) - 1;
    }

    /** The text with a number in place of the first question mark. */
    public function inlined(int $number): string
    {
        return $this->parts[0] . $number . substr($this->text, strlen($this->parts[0]) + 1);
    }

    /** The parentheses behind the last VALUES, with all question marks, stand there once for each row. */
    public function multiRow(): Repeated
    {
        if (!preg_match('/^.*\bVALUES\s*(?=\()/is', $this->text, $found)) {
            throw new Unsupported("MultiRow needs INSERT ... VALUES (?, ...); the statement is: $this->text");
        }
        $start = strlen($found[0]);
        $end = $this->closing($start);
        $group = substr($this->text, $start, $end - $start);
        if (substr_count($group, '?') !== $this->parameters() || $this->parameters() === 0) {
            throw new Unsupported("MultiRow needs all parameters in the group behind VALUES; the statement is: $this->text");
        }
        return new Repeated(substr($this->text, 0, $start), $group, ', ', substr($this->text, $end));
    }

    /** The only question mark of a statement that ends in IN (?) stands there once for each key. */
    public function inList(): Repeated
    {
        if ($this->parameters() !== 1 || !preg_match('/\bIN\s*\(\?\)\s*$/i', $this->text)) {
            throw new Unsupported("InList needs one parameter, and IN (?) at the end; the statement is: $this->text");
        }
        return new Repeated($this->parts[0], '?', ', ', $this->parts[1]);
    }

    public function joined(): Repeated
    {
        return new Repeated('', $this->text, ';', '');
    }

    /** Where the parenthesis that opens at a place is closed: the place behind it. */
    private function closing(int $start): int
    {
        $depth = 0;
        for ($i = $start; $i < strlen($this->text); $i++) {
            $depth += match ($this->text[$i]) {
                '(' => 1,
                ')' => -1,
                default => 0,
            };
            if ($depth === 0) {
                return $i + 1;
            }
        }
        throw new Unsupported("the parenthesis behind VALUES is never closed: $this->text");
    }
}

/** A statement of which one group stands there several times. */
final class Repeated
{
    /** @var list<string> what stands between the question marks of the group */
    public readonly array $parts;

    public function __construct(
        public readonly string $before,
        public readonly string $group,
        public readonly string $separator,
        public readonly string $after,
    ) {
        $this->parts = explode('?', $group);
    }

    public function text(int $times): string
    {
        return $this->before . $this->group . str_repeat($this->separator . $this->group, $times - 1) . $this->after;
    }
}

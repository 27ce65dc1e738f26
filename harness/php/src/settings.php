<?php
declare(strict_types=1);

// The same as php.ini, so that the harness is the same where another php.ini is read.
ini_set('display_errors', 'stderr');
ini_set('html_errors', '0');
ini_set('precision', '-1');
ini_set('memory_limit', '-1');
error_reporting(E_ALL);

// A warning is a failure of the operation, in the words of PHP, unless it is silenced on purpose with @.
set_error_handler(static function (int $level, string $message, string $file, int $line): bool {
    if ((error_reporting() & $level) === 0) {
        return true;
    }
    throw new ErrorException($message, 0, $level, $file, $line);
});

#!/usr/bin/php
<?php
// The harness of the drivers of PHP: it answers the requests of docs/contributing/driver-protocol.md, which come in JSON lines on
// standard input, and measures what drivers do with them. One request at a time, until the input ends.
declare(strict_types=1);

require __DIR__ . '/src/load.php';

Assay\serve(STDIN, STDOUT, new Assay\Conversation(Assay\drivers()));

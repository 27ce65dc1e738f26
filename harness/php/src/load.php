<?php
// What belongs to the harness, in the order in which it builds on itself.
declare(strict_types=1);

require __DIR__ . '/settings.php';
require __DIR__ . '/Histogram.php';
require __DIR__ . '/CpuTime.php';
require __DIR__ . '/Checksum.php';
require __DIR__ . '/Work.php';
require __DIR__ . '/driver.php';
require __DIR__ . '/Run.php';
require __DIR__ . '/Conversation.php';
require __DIR__ . '/drivers/list.php';

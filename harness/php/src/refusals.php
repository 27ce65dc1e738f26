<?php
declare(strict_types=1);

namespace Assay;

/** The driver, or this harness, cannot do it. Everything else that is thrown is a failure. */
final class Unsupported extends \RuntimeException
{
}

/** The request cannot be carried out as it is: something in it is missing or contradicts something else. */
final class Malformed extends \RuntimeException
{
}

<?php
declare(strict_types=1);

namespace Assay;

/** CRC-32 of the first four values of each row: joined by tabs, ended by a newline. */
final class Checksum
{
    /** @param list<list<list<mixed>>> $answers rows of each answer, in the order of arrival */
    public static function of(array $answers): int
    {
        $hash = hash_init('crc32b');
        foreach ($answers as $rows) {
            foreach ($rows as $row) {
                hash_update($hash, self::line($row));
            }
        }
        return (int) hexdec(hash_final($hash));
    }

    /** @param list<mixed> $row */
    private static function line(array $row): string
    {
        $texts = [];
        foreach (array_slice($row, 0, 4) as $value) {
            $texts[] = match (true) {
                $value === null => '\N',
                is_bool($value) => $value ? '1' : '0',
                default => (string) $value,
            };
        }
        return implode("\t", $texts) . "\n";
    }
}

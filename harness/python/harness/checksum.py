"""The checksum of fetched rows: CRC-32 of the first four values of each."""

import zlib

from .refusal import Failed


def text_of(value):
    if value is None:
        return b"\\N"
    if value is True or value is False:
        return b"1" if value else b"0"
    if isinstance(value, int):
        return str(value).encode()
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, (bytes, bytearray)):
        # Some drivers hand texts over as bytes: those of the connection, which are UTF-8.
        return bytes(value)
    raise Failed(f"the first four values of a row must be integers, texts or null, this is {type(value).__name__}: {value!r}")


def checksum(answers):
    """Of all rows of all answers, in the order in which they came."""
    crc = 0
    for rows in answers:
        for row in rows:
            crc = zlib.crc32(b"\t".join(map(text_of, row[:4])) + b"\n", crc)
    return crc

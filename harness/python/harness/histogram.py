"""Durations, counted in the buckets of HdrHistogram with three significant digits.

A value below 2048 is a bucket of its own; of a greater one the 11 leading bits stay. The counters are one flat array:
below 2048 the index is the value; above, every shift s has the 1024 indices from (s + 1) * 1024 on. The loops of
measure.py compute the index inline, because a call for each operation would be measured too.
"""

from array import array

# Up to 64 bits, so that no duration is too long. An array, not a list: the collector of garbage does not look into it.
SIZE = 55 * 1024


def new_counters():
    return array("Q", bytes(8 * SIZE))


def buckets(counters):
    """Index and count of those that are not empty."""
    return [[index, count] for index, count in enumerate(counters) if count]

"""The timed loops: one for drivers that block, and the same one for drivers that are awaited."""

import time
from itertools import cycle

from .garbage import Garbage
from .histogram import buckets, new_counters

FOREVER = 1 << 63


def feed(rows, size):
    """Rows of parameters, so many for each operation, endlessly from the first again. Without any it is one of no row."""
    if not rows:
        rows = [None]
    return cycle([rows[at : at + size] for at in range(0, len(rows), size)])


class Meter:
    """What one run measures. operations or nanoseconds is 0: not a limit."""

    def __init__(self, feed, operations, nanoseconds):
        self.feed = feed
        self.operations = operations
        self.limit = nanoseconds
        self.counters = new_counters()
        self.done = self.nanoseconds = self.cpu = self.rows = 0
        self.last = None  # the answers of the last operation: a list of lists of rows, or nothing

    def repeat(self, operate):
        """Call operate(rows) again and again. The same as repeat_awaiting, but for its await."""
        clock, cpu_time, counters, operations = time.perf_counter_ns, time.process_time_ns, self.counters, self.operations
        feed = self.feed
        done = fetched = 0
        with Garbage() as self.garbage:
            cpu = cpu_time()
            begin = stop = clock()
            deadline = begin + self.limit if self.limit else FOREVER
            while True:
                rows = next(feed)
                answers = None  # freed out here: not a part of the next operation
                start = clock()
                answers = operate(rows)
                stop = clock()
                took = stop - start
                if took < 2048:
                    counters[took] += 1
                else:
                    shift = took.bit_length() - 11
                    counters[shift * 1024 + (took >> shift)] += 1
                done += 1
                if answers:
                    for answer in answers:
                        fetched += len(answer)
                if done == operations or stop >= deadline:
                    break
            self.cpu = cpu_time() - cpu
        self.done, self.nanoseconds, self.rows, self.last = done, stop - begin, fetched, answers

    async def repeat_awaiting(self, operate):
        """Await operate(rows) again and again. The same as repeat, but for its await."""
        clock, cpu_time, counters, operations = time.perf_counter_ns, time.process_time_ns, self.counters, self.operations
        feed = self.feed
        done = fetched = 0
        with Garbage() as self.garbage:
            cpu = cpu_time()
            begin = stop = clock()
            deadline = begin + self.limit if self.limit else FOREVER
            while True:
                rows = next(feed)
                answers = None
                start = clock()
                answers = await operate(rows)
                stop = clock()
                took = stop - start
                if took < 2048:
                    counters[took] += 1
                else:
                    shift = took.bit_length() - 11
                    counters[shift * 1024 + (took >> shift)] += 1
                done += 1
                if answers:
                    for answer in answers:
                        fetched += len(answer)
                if done == operations or stop >= deadline:
                    break
            self.cpu = cpu_time() - cpu
        self.done, self.nanoseconds, self.rows, self.last = done, stop - begin, fetched, answers

    def answer(self, checksum):
        # A clock that stood still does not report the CPU time.
        cpu = {"cpuNanoseconds": self.cpu} if self.cpu > 0 else {}
        return {
            "operations": self.done,
            "nanoseconds": self.nanoseconds,
            **cpu,
            "rows": self.rows,
            "checksum": checksum(self.last) if self.last else 0,
            "histogram": buckets(self.counters),
            "collection": self.garbage.answer(),
        }

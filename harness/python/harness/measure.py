"""The timed loops: one for drivers that block, and the same one for drivers that are awaited. Each worker runs one of them."""

import asyncio
import threading
import time
from collections import defaultdict
from itertools import chain, count, cycle

from .garbage import Garbage
from .histogram import buckets, new_counters

FOREVER = 1 << 63


class Worker:
    """Does one operation after the other. What it measures is its own.

    numbers are those of its operations. Without them it is alone, and there is nothing to share.
    """

    def __init__(self, meter, counters, numbers=None):
        self.meter, self.counters = meter, counters
        self.feed = self.shared(numbers) if numbers else cycle(meter.parts)
        self.done = self.rows = self.number = self.end = self.cpu = 0
        self.last = None  # the answers of its last operation: a list of lists of rows, or nothing

    def shared(self, numbers):
        """The rows of its operations, each taken right before the operation begins."""
        failures, parts, size = self.meter.failures, self.meter.parts, len(self.meter.parts)
        for self.number in numbers:
            if failures:
                break
            yield parts[self.number % size]

    def repeat(self, operate):
        """Call operate(rows) again and again. The same as repeat_awaiting, but for its await."""
        clock, counters, operations = time.perf_counter_ns, self.counters, self.meter.operations
        done = fetched = stop = 0
        answers = None
        deadline = self.meter.begin(clock())
        for rows in self.feed:
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
        self.cpu = time.process_time_ns()
        self.done, self.rows, self.end, self.last = done, fetched, stop, answers

    async def repeat_awaiting(self, operate):
        """Await operate(rows) again and again. The same as repeat, but for its await."""
        clock, counters, operations = time.perf_counter_ns, self.counters, self.meter.operations
        done = fetched = stop = 0
        answers = None
        deadline = self.meter.begin(clock())
        for rows in self.feed:
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
        self.cpu = time.process_time_ns()
        self.done, self.rows, self.end, self.last = done, fetched, stop, answers


class Meter:
    """What one run measures. operations or nanoseconds is 0: not a limit."""

    def __init__(self, rows, size, operations, nanoseconds):
        if not rows:
            rows = [None]
        self.parts = [rows[at : at + size] for at in range(0, len(rows), size)]  # one for each operation, and from the first again
        self.operations = operations
        self.limit = nanoseconds or FOREVER
        self.counters = new_counters()
        self.begins = []  # of the workers, in the order in which they came
        self.failures = []  # what went wrong in workers; after the first no operation begins

    def repeat(self, operates):
        """A worker for each of operates: several in threads."""
        workers = self.hire(len(operates))
        if len(workers) == 1:
            with Garbage() as self.garbage:
                self.open()
                workers[0].repeat(operates[0])
        else:
            self.in_threads(list(zip(workers, operates)))
        self.sum(workers)

    async def repeat_awaiting(self, operates):
        """A worker for each of operates: several in tasks."""
        workers = self.hire(len(operates))
        if len(workers) == 1:
            with Garbage() as self.garbage:
                self.open()
                await workers[0].repeat_awaiting(operates[0])
        else:
            await self.in_tasks(list(zip(workers, operates)))
        self.sum(workers)

    def hire(self, number):
        if number == 1:
            return [Worker(self, self.counters)]
        # Both are iterators of C, whose next() is one step for the threads of CPython: no number is taken twice.
        following = iter(range(number, self.operations)) if self.operations else count(number)
        # All counters of many workers would fill the memory; these have what is counted alone.
        return [Worker(self, defaultdict(int), chain([own], following)) for own in range(number)]

    def open(self):
        """Right before the first operation."""
        self.cpu = time.process_time_ns()

    def begin(self, now):
        """A worker begins, and is told when the time is over. It counts from the first one."""
        self.begins.append(now)
        return self.begins[0] + self.limit

    def in_threads(self, jobs):
        barrier = threading.Barrier(len(jobs) + 1, self.open)

        def run(worker, operate):
            try:
                barrier.wait()
                worker.repeat(operate)
            except BaseException as error:
                self.failures.append(error)

        threads = []
        try:
            for job in jobs:
                thread = threading.Thread(target=run, args=job)
                thread.start()
                threads.append(thread)
            with Garbage() as self.garbage:
                barrier.wait()
                for thread in threads:
                    thread.join()
        except BaseException:
            barrier.abort()  # not all could be started, and the others wait for them
            raise
        finally:
            for thread in threads:
                thread.join()

    async def in_tasks(self, jobs):
        async def run(worker, operate):
            try:
                await worker.repeat_awaiting(operate)
            except BaseException as error:
                self.failures.append(error)

        # None of them begins before this coroutine waits, so they need no barrier.
        tasks = [asyncio.create_task(run(*job)) for job in jobs]
        with Garbage() as self.garbage:
            self.open()
            await asyncio.wait(tasks)

    def sum(self, workers):
        if self.failures:
            raise self.failures[0]
        for worker in workers:
            if worker.counters is not self.counters:
                for index, times in worker.counters.items():
                    self.counters[index] += times
        self.done = sum(worker.done for worker in workers)
        self.fetched = sum(worker.rows for worker in workers)
        self.nanoseconds = max(worker.end for worker in workers) - self.begins[0]
        self.cpu = max(worker.cpu for worker in workers) - self.cpu
        self.last = max(workers, key=lambda worker: worker.number).last

    def answer(self, checksum):
        # A clock that stood still does not report the CPU time.
        cpu = {"cpuNanoseconds": self.cpu} if self.cpu > 0 else {}
        return {
            "operations": self.done,
            "nanoseconds": self.nanoseconds,
            **cpu,
            "rows": self.fetched,
            "checksum": checksum(self.last) if self.last else 0,
            "histogram": buckets(self.counters),
            "collection": self.garbage.answer(),
        }

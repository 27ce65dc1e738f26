"""Several operations at once, without a server and a driver."""

import asyncio
import contextlib
import io
import sys
import threading
import unittest
import zlib
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).parent.parent))

from harness.checksum import checksum
from harness.drivers import DRIVERS
from harness.drivers.null import Null
from harness.measure import Meter
from harness.plan import Plan
from harness.protocol import Conversation, Held
from harness.refusal import Failed, Unsupported


def in_threads(meter, operates):
    meter.repeat(operates)


def in_tasks(meter, operates):
    def awaiting(operate):
        async def run(rows):
            await asyncio.sleep(0)
            return operate(rows)

        return run

    asyncio.run(meter.repeat_awaiting([awaiting(operate) for operate in operates]))


WAYS = (in_threads, in_tasks)
MANY = list(range(1 << 16))  # each its number; nobody does so many operations in the time that they have here
MINUTE = 60_000_000_000


class Workers(unittest.TestCase):
    def test_numbers_have_no_gap_and_each_worker_has_its_own(self):
        for way in WAYS:
            for operations, nanoseconds in ((4, 0), (403, 0), (0, 1), (0, 5_000_000)):
                with self.subTest(way=way.__name__, operations=operations, nanoseconds=nanoseconds):
                    seen = [[] for _ in range(4)]
                    meter = Meter(MANY, 1, operations, nanoseconds)
                    way(meter, [mine.extend for mine in seen])
                    self.assertEqual([mine[0] for mine in seen], [0, 1, 2, 3])
                    self.assertEqual(sorted(sum(seen, [])), MANY[: meter.done])
                    self.assertTrue(meter.done == operations if operations else meter.done >= 4)

    def test_rows_are_those_of_the_number(self):
        first, second = [0, 1, 2, 3, 4], [5, 6, 7, 8, 9]
        for way in WAYS:
            with self.subTest(way=way.__name__):
                seen = [[] for _ in range(3)]
                way(Meter(first + second, 5, 9, 0), [mine.append for mine in seen])
                self.assertEqual([mine[0] for mine in seen], [first, second, first])
                self.assertEqual(sorted(sum(seen, [])), [first] * 5 + [second] * 4)

    def test_checksum_is_that_of_the_greatest_number(self):
        for way in WAYS:
            with self.subTest(way=way.__name__):
                meter = Meter(MANY[:50], 1, 50, 0)
                way(meter, [lambda rows: [[(rows[0],)]]] * 7)
                answer = meter.answer(checksum)
                self.assertEqual((answer["operations"], answer["rows"], answer["checksum"]), (50, 50, zlib.crc32(b"49\n")))
                self.assertEqual(sum(count for _, count in answer["histogram"]), 50)

    def test_operations_are_under_way_at_once(self):
        meeting = threading.Barrier(5)
        meter = Meter([], 1, 5, 0)
        meter.repeat([lambda _: meeting.wait(60) and None] * 5)
        self.assertEqual(meter.done, 5)

    def test_a_failure_ends_all(self):
        def operate(rows):
            begun.append(rows[0])
            if len(begun) > 20:
                raise Failed("as wanted")

        for way in WAYS:
            for workers in (1, 4):
                begun, threads = [], threading.active_count()
                with self.subTest(way=way.__name__, workers=workers):
                    with self.assertRaisesRegex(Failed, "as wanted"):
                        way(Meter(MANY, 1, 0, MINUTE), [operate] * workers)
                    self.assertLessEqual(len(begun), 20 + workers)
                    self.assertEqual(threading.active_count(), threads)

    def test_the_first_failure_is_told(self):
        failed = threading.Event()

        def first(_):
            failed.set()
            raise Failed("the first")

        def second(_):
            failed.wait(60)
            while not meter.failures:
                pass
            raise Failed("the second")

        meter = Meter([], 1, 2, 0)
        with self.assertRaisesRegex(Failed, "the first"):
            meter.repeat([second, first])

    def test_a_thread_that_cannot_be_started_leaves_none_waiting(self):
        before, start = threading.active_count(), threading.Thread.start

        def refuse(thread):
            if threading.active_count() == before + 2:
                raise RuntimeError("can't start new thread")
            start(thread)

        with mock.patch("threading.Thread.start", refuse), self.assertRaisesRegex(RuntimeError, "can't start"):
            Meter([], 1, 4, 0).repeat([lambda _: None] * 4)
        self.assertEqual(threading.active_count(), before)


def request(**fields):
    """A request run, by the connection c."""
    texts = {"data": "", "statement": "DO ?", "head": "", "group": "?", "separator": ";", "tail": ""}
    how = {"kind": "Execute", "scheme": "SingleRow", "session": "Dedicated", "commit": False, "inline": False}
    size = {"rowsPerOperation": 1, "chunk": 1, "concurrency": 1, "operations": 0, "seconds": 0}
    return {"id": 1, "do": "run", "connection": "c"} | texts | how | size | fields


class Faulty(Null):
    """Writes down its connections, and fails where a statement is wrong."""

    def __init__(self):
        self.made, self.closed = [], []

    def connect(self, arguments):
        self.made.append(super().connect(arguments))
        return self.made[-1]

    def close(self, connection):
        self.closed.append(connection)

    def operation(self, connection, plan):
        def operate(_):
            if plan.text == "wrong":
                raise Failed("it is wrong")

        return operate, lambda: None


class Sessions(unittest.TestCase):
    def test_every_way_of_null(self):
        talk = Conversation()
        held = talk.held["c"] = Held(Null(), None, [])
        talk.data["d"] = [(at,) for at in range(40)]
        for scheme in Null.schemes:
            for session in ("Dedicated", "Pool", "New"):
                with self.subTest(scheme=scheme, session=session):
                    way = {"scheme": scheme, "session": session, "commit": True, "data": "d", "rowsPerOperation": 2, "chunk": 2}
                    answer = talk.answer(request(operations=9, concurrency=3, **way))
                    self.assertEqual((answer["state"], answer.get("operations")), ("ok", 9))
        self.assertEqual(talk.answer(request(kind="Connect", operations=4, concurrency=4))["operations"], 4)
        self.assertEqual(len(held.connections), 3)

    def test_connections_stay_until_something_goes_wrong(self):
        talk, driver = Conversation(), Faulty()
        held = talk.held["c"] = Held(driver, None, [])
        runs = ((2, "", "ok", 2), (4, "", "ok", 4), (1, "", "ok", 4), (3, "wrong", "failed", 0), (2, "", "ok", 2))
        for concurrency, statement, state, stay in runs:
            with contextlib.redirect_stderr(io.StringIO()):
                answer = talk.answer(request(concurrency=concurrency, operations=4, statement=statement))
            self.assertEqual((answer["state"], len(held.connections)), (state, stay))
        self.assertEqual((len(driver.made), driver.closed), (6, driver.made[:4]))

    def test_pools_with_a_limit_refuse_more(self):
        for driver in DRIVERS:
            most = driver.largest_pool
            if most:
                with self.subTest(driver=driver.name):
                    driver.check(Plan(request(session="Pool", concurrency=most), driver.mark), mock.Mock(options={}))
                    with self.assertRaisesRegex(Unsupported, f"at most {most} connections"):
                        driver.check(Plan(request(session="Pool", concurrency=most + 1), driver.mark), mock.Mock(options={}))


if __name__ == "__main__":
    unittest.main()

"""Everything that needs no server and no driver; what is said is the matter of the conformance suite."""

import asyncio
import gc
import sys
import unittest
import zlib
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).parent.parent))

from harness.checksum import checksum
from harness.driver import Target
from harness.drivers.aio_mysql import insist_on_tls
from harness.measure import Meter
from harness.options import boolean, integer, number, text
from harness.plan import Plan
from harness.refusal import Failed


class InsistingOnTLS(unittest.TestCase):
    def test_password_stays_here_without_an_offer(self):
        for encrypted, capabilities, logs_in in ((True, 0, False), (True, 2048, True), (False, 0, True)):

            class Connection:
                _ssl_context = object() if encrypted else None
                server_capabilities = capabilities
                sent = False

                async def _request_authentication(self):
                    self.sent = True

            insist_on_tls(Connection, 2048)
            connection = Connection()
            try:
                asyncio.run(connection._request_authentication())
            except ConnectionError:
                pass
            self.assertEqual(connection.sent, logs_in, (encrypted, capabilities))


class Checksum(unittest.TestCase):
    def test_text_of_rows(self):
        answers = [[(1, "ä", None, True, 2.5)], [], [(2, b"x", False, -3)]]
        self.assertEqual(checksum(answers), zlib.crc32("1\tä\t\\N\t1\n2\tx\t0\t-3\n".encode()))

    def test_no_rows(self):
        self.assertEqual(checksum([]), 0)

    def test_value_that_drivers_write_differently(self):
        with self.assertRaises(Failed):
            checksum([[(1.5,)]])


def plan(mark, **fields):
    request = dict.fromkeys(("kind", "scheme", "session", "data", "statement", "head", "group", "separator", "tail"), "")
    return Plan(request | {"commit": False, "inline": False, "rowsPerOperation": 1, "chunk": 1, "concurrency": 1} | fields, mark)


class Texts(unittest.TestCase):
    def test_marks(self):
        self.assertEqual(plan("%s", statement="DO ?, ?").text, "DO %s, %s")
        self.assertEqual(plan("?", statement="DO ?, ?").text, "DO ?, ?")

    def test_rows_in_one_text(self):
        write = plan("%s", head="INSERT INTO t VALUES ", group="(?, ?)", separator=", ", tail="!").writer()
        self.assertEqual(write([(1, 2), (3, 4)]), ("INSERT INTO t VALUES (%s, %s), (%s, %s)!", [1, 2, 3, 4]))

    def test_inline(self):
        self.assertEqual(plan("%s", statement="SELECT ?, ?").inlined(), ("SELECT ", ", %s"))


class Measuring(unittest.TestCase):
    def test_rows_go_on_and_begin_again(self):
        for size, length in ((1, 1), (1, 3), (2, 4), (3, 3)):
            with self.subTest(size=size, length=length):
                seen = []
                Meter(list(range(length)), size, 5, 0).repeat([lambda rows: seen.extend(rows)])
                self.assertEqual(seen, [at % length for at in range(5 * size)])

    def test_counts_operations_and_rows(self):
        meter = Meter([], 1, 3, 0)
        meter.repeat([lambda _: [[(1,), (2,)], [(3,)]]])
        answer = meter.answer(checksum)
        self.assertEqual((answer["operations"], answer["rows"]), (3, 9))
        self.assertEqual(answer["checksum"], zlib.crc32(b"1\n2\n3\n"))
        self.assertEqual(sum(count for _, count in answer["histogram"]), 3)

    def test_time_ends_it_after_at_least_one(self):
        meter = Meter([], 1, 0, 1)
        meter.repeat([lambda _: None])
        self.assertEqual(meter.done, 1)
        meter = Meter([], 1, 0, 20_000_000)
        meter.repeat([lambda _: None])
        self.assertGreaterEqual(meter.nanoseconds, 20_000_000)

    def test_buckets_keep_eleven_bits(self):
        for took in (0, 1, 2047, 2048, 2049, 4095, 4096, 270532608, 270532609, 1 << 40):
            clock = mock.Mock(perf_counter_ns=mock.Mock(side_effect=[0, 100, 100 + took]), process_time_ns=mock.Mock(return_value=0))
            with self.subTest(took=took), mock.patch("harness.measure.time", clock):
                meter = Meter([], 1, 1, 0)
                meter.repeat([lambda _: None])
                [[index, count]] = meter.answer(checksum)["histogram"]
                shift = max(took.bit_length() - 11, 0)
                self.assertEqual((index, count), (shift * 1024 + (took >> shift), 1))
                self.assertEqual(meter.nanoseconds, 100 + took)

    def test_cpu_time_is_read_outside_of_the_time(self):
        async def awaited(_):
            return None

        ways = {
            "at once": lambda meter: meter.repeat([lambda _: None]),
            "awaited": lambda meter: asyncio.run(meter.repeat_awaiting([awaited])),
        }
        for way, repeat in ways.items():
            for end, want in ((47, 42), (5, None)):  # a clock that stood still is absent
                order, clock = [], mock.Mock()
                clock.perf_counter_ns.side_effect = lambda order=order: order.append("time") or len(order)
                clock.process_time_ns.side_effect = lambda order=order, end=end: order.append("cpu") or (end if "time" in order else 5)
                with self.subTest(way=way, end=end), mock.patch("harness.measure.time", clock):
                    meter = Meter([], 1, 2, 0)
                    repeat(meter)
                    self.assertEqual(meter.answer(checksum).get("cpuNanoseconds"), want)
                    self.assertEqual(order, ["cpu", *["time"] * 5, "cpu"])

    def test_collections_are_counted(self):
        meter = Meter([], 1, 2, 0)
        meter.repeat([lambda _: gc.collect() and None])
        collection = meter.answer(checksum)["collection"]
        self.assertEqual(collection["count"], 2)
        self.assertGreater(collection["nanoseconds"], 0)
        self.assertGreater(collection["before"], 0)


class Options(unittest.TestCase):
    def test_types(self):
        request = {"host": "h", "port": 1, "database": "d", "tls": False, "options": {"a": "3", "b": "true", "c": "x", "d": "0.5"}}
        types = {"a": integer, "b": boolean, "c": text, "d": number}
        self.assertEqual(Target.of(request, types).options, {"a": 3, "b": True, "c": "x", "d": 0.5})


if __name__ == "__main__":
    unittest.main()

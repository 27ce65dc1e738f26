"""Everything that needs no server and no driver."""

import sys
import unittest
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from harness import histogram, options
from harness.checksum import checksum
from harness.measure import Feed, Meter
from harness.refusal import Failed, Unsupported
from harness.statement import Statement


class Histogram(unittest.TestCase):
    def test_lowest_value_of_a_bucket(self):
        for value, lowest in {
            0: 0,
            1: 1,
            2047: 2047,
            2048: 2048,
            2049: 2048,
            2050: 2050,
            4095: 4094,
            4097: 4096,
            270532610: 270532608,
            (1 << 64) - 1: 0b11111111111 << 53,
        }.items():
            with self.subTest(value=value):
                self.assertEqual(histogram.lowest_of(histogram.index_of(value)), lowest)

    def test_rule_of_the_protocol(self):
        for value in [*range(1500, 9000), *(3**power for power in range(40))]:
            leading = value if value < 2048 else value >> (value.bit_length() - 11) << (value.bit_length() - 11)
            self.assertEqual(histogram.lowest_of(histogram.index_of(value)), leading)

    def test_indices_are_contiguous(self):
        lowest = [histogram.lowest_of(index) for index in range(histogram.SIZE)]
        self.assertEqual(lowest, sorted(set(lowest)))
        self.assertEqual([histogram.index_of(value) for value in lowest], list(range(histogram.SIZE)))

    def test_buckets_that_are_not_empty(self):
        counters = histogram.new_counters()
        for value in (5, 5, 3000, 3001):
            counters[histogram.index_of(value)] += 1
        self.assertEqual(histogram.buckets(counters), [[5, 2], [3000, 2]])


class Checksum(unittest.TestCase):
    def test_text_of_rows(self):
        answers = [[(1, "ä", None, True, 2.5)], [], [(2, b"x", False, -3)]]
        self.assertEqual(checksum(answers), zlib.crc32("1\tä\t\\N\t1\n2\tx\t0\t-3\n".encode()))

    def test_no_rows(self):
        self.assertEqual(checksum([]), 0)

    def test_value_that_drivers_write_differently(self):
        with self.assertRaises(Failed):
            checksum([[(1.5,)]])


class Statements(unittest.TestCase):
    def test_marks(self):
        self.assertEqual(Statement("DO ?, ?", "%s").text, "DO %s, %s")
        self.assertEqual(Statement("DO ?, ?", "?").text, "DO ?, ?")

    def test_multi_row(self):
        write = Statement("INSERT INTO t (a, b) VALUES (?, ROUND(?)) ON DUPLICATE KEY UPDATE a = 1", "%s").writer("MultiRow")
        self.assertEqual(
            write([(1, 2), (3, 4)]),
            ("INSERT INTO t (a, b) VALUES (%s, ROUND(%s)), (%s, ROUND(%s)) ON DUPLICATE KEY UPDATE a = 1", [1, 2, 3, 4]),
        )

    def test_in_list(self):
        write = Statement("DELETE FROM t WHERE id IN (?)", "%s").writer("InList")
        self.assertEqual(write([(1,), (2,), (3,)]), ("DELETE FROM t WHERE id IN (%s, %s, %s)", [1, 2, 3]))

    def test_multi_statement(self):
        write = Statement("UPDATE t SET a = ? WHERE id = ?", "%s").writer("MultiStatement")
        self.assertEqual(
            write([(1, 2), (3, 4)]),
            ("UPDATE t SET a = %s WHERE id = %s; UPDATE t SET a = %s WHERE id = %s", [1, 2, 3, 4]),
        )

    def test_inline(self):
        self.assertEqual(Statement("SELECT ?, ?", "%s").inlined(), ("SELECT ", ", %s"))

    def test_statements_that_do_not_fit(self):
        for text, scheme in (("DELETE FROM t WHERE id = ?", "MultiRow"), ("DELETE FROM t WHERE id = ?", "InList")):
            with self.subTest(scheme=scheme), self.assertRaises(Unsupported):
                Statement(text, "%s").writer(scheme)
        with self.assertRaises(Unsupported):
            Statement("SELECT 1", "%s").inlined()


class Feeding(unittest.TestCase):
    def test_rows_go_on_and_begin_again(self):
        for size, length in ((1, 1), (1, 3), (2, 3), (3, 3), (5, 3), (7, 2)):
            with self.subTest(size=size, length=length):
                seen = []
                Meter(Feed(list(range(length)), size), 5, 0).repeat(lambda rows: seen.extend(rows))
                self.assertEqual(seen, [at % length for at in range(5 * size)])


class Measuring(unittest.TestCase):
    def test_counts_operations_and_rows(self):
        meter = Meter(Feed([None], 1), 3, 0)
        meter.repeat(lambda _: [[(1,), (2,)], [(3,)]])
        answer = meter.answer(checksum)
        self.assertEqual((answer["operations"], answer["rows"]), (3, 9))
        self.assertEqual(answer["checksum"], zlib.crc32(b"1\n2\n3\n"))
        self.assertEqual(sum(count for _, count in answer["histogram"]), 3)

    def test_time_ends_it_after_at_least_one(self):
        meter = Meter(Feed([None], 1), 0, 1)
        meter.repeat(lambda _: None)
        self.assertEqual(meter.done, 1)
        meter = Meter(Feed([None], 1), 0, 20_000_000)
        meter.repeat(lambda _: None)
        self.assertGreaterEqual(meter.nanoseconds, 20_000_000)

    def test_collections_are_counted(self):
        import gc

        meter = Meter(Feed([None], 1), 2, 0)
        meter.repeat(lambda _: gc.collect() and None)
        collection = meter.answer(checksum)["collection"]
        self.assertEqual(collection["count"], 2)
        self.assertGreater(collection["nanoseconds"], 0)
        self.assertGreater(collection["before"], 0)


class Options(unittest.TestCase):
    def test_types(self):
        known = {"a": options.integer, "b": options.boolean, "c": options.text, "d": options.number}
        self.assertEqual(
            options.parse({"a": "3", "b": "true", "c": "x", "d": "0.5"}, known, "driver"),
            {"a": 3, "b": True, "c": "x", "d": 0.5},
        )

    def test_refusals(self):
        with self.assertRaises(Unsupported):
            options.parse({"x": "1"}, {}, "driver")
        with self.assertRaises(Failed):
            options.parse({"a": "many"}, {"a": options.integer}, "driver")
        with self.assertRaises(Failed):
            options.parse({"b": "perhaps"}, {"b": options.boolean}, "driver")


if __name__ == "__main__":
    unittest.main()

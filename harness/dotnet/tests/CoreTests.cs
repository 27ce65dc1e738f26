using System.Collections.Generic;
using System.IO;
using System.Text;

namespace Assay
{
    internal static class CoreTests
    {
        public static void All(Tests t)
        {
            Buckets(t);
            Checksums(t);
            Templates(t);
            RowsOfOperations(t);
            Lines(t);
        }

        private static void Buckets(Tests t)
        {
            foreach (var value in new[] { 0L, 1, 2047, 2048, 2049, 2050, 4095, 4096, 4097, 65535, 65536, 270532609, 812345678, 1L << 40, long.MaxValue })
            {
                var histogram = new Histogram();
                histogram.Record(value);
                t.Same("the bucket of " + value + " ns", new[] { Bucket(BucketOf(value), 1) }, histogram.Buckets());
            }
            var several = new Histogram();
            foreach (var value in new[] { 5000, 7, 5001, 7, 5004 }) several.Record(value);
            t.Same("buckets ascend and count", new[] { Bucket(7, 2), Bucket(5000, 2), Bucket(5004, 1) }, several.Buckets());
        }

        private static KeyValuePair<long, long> Bucket(long lowest, long count)
        {
            return new KeyValuePair<long, long>(lowest, count);
        }

        /// <summary>The greatest number with 11 leading bits that is not above a value, by the words of the protocol.</summary>
        private static long BucketOf(long value)
        {
            if (value < 2048) return value;
            var zeros = 0;
            while (value >> zeros >= 2048) zeros++;
            return value >> zeros << zeros;
        }

        private static void Checksums(Tests t)
        {
            t.Same("no rows", 0, Checksum.Of(new List<object[]>()));
            t.Same("the check value that CRC-32 is known by", 0xCBF43926u, Slow("123456789"));
            var rows = new List<object[]> { new object[] { 1L, "\u00e4", System.DBNull.Value, true, "not this" }, new object[] { "2", -5 } };
            t.Same("four values count, nulls and booleans have their texts", Slow("1\t\u00e4\t\\N\t1\n2\t-5\n"), Checksum.Of(rows));
        }

        /// <summary>CRC-32 bit by bit, as its definition has it.</summary>
        private static uint Slow(string text)
        {
            var sum = 0xFFFFFFFFu;
            foreach (var b in Encoding.UTF8.GetBytes(text))
            {
                sum ^= b;
                for (var i = 0; i < 8; i++) sum = (sum & 1) != 0 ? (sum >> 1) ^ 0xEDB88320u : sum >> 1;
            }
            return ~sum;
        }

        private static void Templates(Tests t)
        {
            t.Same("parameters get names", "UPDATE t SET a = @p0 WHERE b = @p1", new Template("UPDATE t SET a = ? WHERE b = ?").Named());
            t.Same("a number inline", "SELECT 7 + @p0", new Template("SELECT ? + ?").Inlined(7));
            t.Same("a number inline alone", "SELECT 7", new Template("SELECT ?").Inlined(7));
            t.Same(
                "MultiRow repeats the group behind VALUES",
                "INSERT INTO t (a, b) VALUES (@p0, COALESCE(@p1, 1)), (@p2, COALESCE(@p3, 1)) ON DUPLICATE KEY UPDATE a = 1",
                new Template("INSERT INTO t (a, b) VALUES (?, COALESCE(?, 1)) ON DUPLICATE KEY UPDATE a = 1").MultiRow().Text(2));
            t.Same("InList repeats the question mark", "DELETE FROM t WHERE id IN (@p0, @p1, @p2)", new Template("DELETE FROM t WHERE id IN (?)").InList().Text(3));
            t.Same("MultiStatement joins", "DO @p0;DO @p1", new Template("DO ?").Joined().Text(2));
            foreach (var statement in new[] { "UPDATE t SET a = ?", "INSERT INTO t VALUES (1), (?) WHERE b = ?", "INSERT INTO t VALUES (?" })
            {
                t.Throws<UnsupportedException>("MultiRow of " + statement, () => new Template(statement).MultiRow());
            }
            foreach (var statement in new[] { "DELETE FROM t WHERE id = ?", "SELECT ? FROM t WHERE id IN (?)", "SELECT 1 FROM t WHERE id IN (?) LIMIT 1" })
            {
                t.Throws<UnsupportedException>("InList of " + statement, () => new Template(statement).InList());
            }
        }

        private static void RowsOfOperations(Tests t)
        {
            var three = new[] { new object[] { 1L, "a" }, new object[] { 2L, "b" }, new object[] { 3L, "c" } };
            var work = new Work("DO ?, ?", three, 2, 0, false, false);
            t.Same("operations go on where the last one ended, and from the first again", "[1 | a][2 | b][3 | c][1 | a]", Next(work) + Next(work) + Next(work) + Next(work));
            t.Same(
                "columns of each operation, until they come again",
                new[]
                {
                    new[] { new object[] { 1, 2 }, new object[] { "a", "b" } },
                    new[] { new object[] { 3, 1 }, new object[] { "c", "a" } },
                    new[] { new object[] { 2, 3 }, new object[] { "b", "c" } },
                },
                Windows.Columns(new Work("DO ?, ?", three, 2, 0, false, false)));
            t.Same("dictionaries of an operation", "[[[p0, 1] | [p1, a]] | [[p0, 2] | [p1, b]] | [[p0, 3] | [p1, c]]]", Windows.Dictionaries(new Work("DO ?, ?", three, 3, 0, false, false))[0]);
            t.Throws<UnsupportedException>("too many combinations", () => Windows.Columns(new Work("DO ?, ?", three, 999998, 0, false, false)));
        }

        private static string Next(Work work)
        {
            return "[" + string.Join(" | ", work.Next()) + "]";
        }

        private static void Lines(Tests t)
        {
            t.Same("no JSON", true, Request.Read("hello") == null);
            t.Same("no id", true, Request.Read("{}") == null);
            var output = new MemoryStream();
            var input = new MemoryStream(Encoding.UTF8.GetBytes("{\"id\":7,\"do\":\"dance\"}\n"));
            t.Same("the end of the input is an orderly end", 0, new Conversation(new IDriver[] { new NullDriver() }).Serve(input, output));
            t.Same("an answer is one line", "{\"id\":7,\"state\":\"unsupported\",\"reason\":\"the request dance is not known\"}\n", Encoding.UTF8.GetString(output.ToArray()));
            var wrong = new MemoryStream(Encoding.UTF8.GetBytes("nonsense\n"));
            t.Same("a line that is no request ends the harness", 1, new Conversation(new IDriver[] { new NullDriver() }).Serve(wrong, new MemoryStream()));
        }
    }
}

using System.Collections.Generic;
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
            t.Same("buckets ascend and count", new[] { Bucket(7, 2), Bucket(BucketOf(5000), 2), Bucket(BucketOf(5004), 1) }, several.Buckets());
        }

        private static KeyValuePair<long, long> Bucket(long index, long count)
        {
            return new KeyValuePair<long, long>(index, count);
        }

        /// <summary>The bucket of a value, by the words of the protocol.</summary>
        private static long BucketOf(long value)
        {
            var shift = 0;
            while (value >> shift >= 2048) shift++;
            return shift * 1024 + (value >> shift);
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
            t.Same("parameters get names", "UPDATE t SET a = @p0 WHERE b = @p1", new Repeated("", "UPDATE t SET a = ? WHERE b = ?", "", "").Text(1));
            t.Same("the group repeats", "INSERT INTO t VALUES (@p0, @p1), (@p2, @p3)!", new Repeated("INSERT INTO t VALUES ", "(?, ?)", ", ", "!").Text(2));
            t.Same("a number inline", "SELECT 7 + @p0", WorkOf("'statement': 'SELECT ? + ?'").Inlined(7));
            t.Same("a number inline alone", "SELECT 7", WorkOf("'statement': 'SELECT ?'").Inlined(7));
        }

        private static Work WorkOf(string given, params object[][] rows)
        {
            return new Work(new Request(("{" + Talk.Run(given) + "}").Replace('\'', '"')), new List<object[]>(rows));
        }

        private static void RowsOfOperations(Tests t)
        {
            var four = new[] { new object[] { 1L, "a" }, new object[] { 2L, "b" }, new object[] { 3L, "c" }, new object[] { 4L, "d" } };
            const string Two = "'statement': 'DO ?, ?', 'rowsPerOperation': 2";
            var work = WorkOf(Two, four);
            t.Same("operations go on where the last one ended, and from the first again", "[1 | a][2 | b][3 | c][4 | d][1 | a]", Next(work) + Next(work) + Next(work) + Next(work) + Next(work));
            t.Same(
                "columns of each operation",
                new[]
                {
                    new[] { new object[] { 1, 2 }, new object[] { "a", "b" } },
                    new[] { new object[] { 3, 4 }, new object[] { "c", "d" } },
                },
                Windows.Columns(WorkOf(Two, four)));
            t.Same("dictionaries of an operation", "[[[p0, 1] | [p1, a]] | [[p0, 2] | [p1, b]]]", Windows.Dictionaries(WorkOf(Two, four))[0]);
        }

        private static string Next(Work work)
        {
            return "[" + string.Join(" | ", work.Next()) + "]";
        }
    }
}

using System.Collections.Generic;

namespace Assay
{
    /// <summary>
    /// The rows of each operation in the shape that a call for many rows takes. They are made before the first operation:
    /// operations come again after the least common multiple of both numbers.
    /// </summary>
    public static class Windows
    {
        private const long Most = 1000000;

        /// <summary>Of each operation: an array of values for each parameter.</summary>
        public static List<object[][]> Columns(Work work)
        {
            var windows = new List<object[][]>();
            for (var left = Count(work); left > 0; left--)
            {
                var columns = new object[work.Template.Parameters][];
                for (var c = 0; c < columns.Length; c++) columns[c] = new object[work.RowsPerOperation];
                for (var r = 0; r < work.RowsPerOperation; r++)
                {
                    var row = work.Next();
                    for (var c = 0; c < columns.Length; c++) columns[c][r] = row[c];
                }
                windows.Add(columns);
            }
            return windows;
        }

        /// <summary>Of each operation: a dictionary for each row.</summary>
        public static List<List<IDictionary<string, object>>> Dictionaries(Work work)
        {
            var windows = new List<List<IDictionary<string, object>>>();
            for (var left = Count(work); left > 0; left--)
            {
                var rows = new List<IDictionary<string, object>>(work.RowsPerOperation);
                for (var r = 0; r < work.RowsPerOperation; r++)
                {
                    var row = work.Next();
                    var named = new Dictionary<string, object>(row.Length);
                    for (var c = 0; c < row.Length; c++) named.Add("p" + c, row[c]);
                    rows.Add(named);
                }
                windows.Add(rows);
            }
            return windows;
        }

        private static long Count(Work work)
        {
            if (work.Rows.Count == 0) throw new UnsupportedException("a call for many rows needs rows");
            long a = work.Rows.Count, b = work.RowsPerOperation;
            while (b != 0) (a, b) = (b, a % b);
            var all = work.Rows.Count / a * work.RowsPerOperation;
            if (all <= Most) return all / work.RowsPerOperation;
            throw new UnsupportedException(work.RowsPerOperation + " rows of " + work.Rows.Count + " come in too many combinations: "
                + "let one number divide the other");
        }
    }
}

using System.Collections.Generic;

namespace Assay
{
    /// <summary>
    /// The rows of each operation in the shape that a call for many rows takes. They are made before the first operation:
    /// the rows are a multiple of those of an operation.
    /// </summary>
    public static class Windows
    {
        /// <summary>Of each operation: an array of values for each parameter.</summary>
        public static List<object[][]> Columns(Work work)
        {
            var windows = new List<object[][]>();
            for (var left = work.Rows.Count; left > 0; left -= work.Executions)
            {
                var columns = new object[work.Statement.Parameters][];
                for (var c = 0; c < columns.Length; c++) columns[c] = new object[work.Executions];
                for (var r = 0; r < work.Executions; r++)
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
            for (var left = work.Rows.Count; left > 0; left -= work.Executions)
            {
                var rows = new List<IDictionary<string, object>>(work.Executions);
                for (var r = 0; r < work.Executions; r++)
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
    }
}

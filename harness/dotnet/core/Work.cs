using System.Collections.Generic;

namespace Assay
{
    /// <summary>What the operations of a run do: the statement, its rows of parameters, and what was fetched.</summary>
    public sealed class Work
    {
        private int at;

        public Work(string statement, IReadOnlyList<object[]> rows, int rowsPerOperation, int chunk, bool query, bool inline)
        {
            Template = new Template(statement);
            Rows = rows;
            RowsPerOperation = rowsPerOperation;
            Chunk = chunk;
            Query = query;
            Inline = inline;
        }

        public Template Template { get; }

        /// <summary>Without rows the statement is executed once per operation.</summary>
        public IReadOnlyList<object[]> Rows { get; }

        public int RowsPerOperation { get; }

        public int Chunk { get; }

        public bool Query { get; }

        public bool Inline { get; }

        /// <summary>How many rows all operations fetched.</summary>
        public long Fetched { get; private set; }

        /// <summary>The rows that the operation fetched that runs, or ran last.</summary>
        public List<object[]> Answer { get; } = new List<object[]>();

        /// <summary>How many executions one operation consists of.</summary>
        public int Executions
        {
            get { return Rows.Count == 0 ? 1 : RowsPerOperation; }
        }

        /// <summary>The next row of parameters; behind the last one comes the first again.</summary>
        public object[] Next()
        {
            if (Rows.Count == 0) return System.Array.Empty<object>();
            var row = Rows[at];
            if (++at == Rows.Count) at = 0;
            return row;
        }

        /// <summary>Forgets the rows of the operation before.</summary>
        public void BeginOperation()
        {
            Answer.Clear();
        }

        /// <summary>Keeps a row that a driver handed over.</summary>
        public void Take(object[] row)
        {
            Fetched++;
            Answer.Add(row);
        }
    }
}

using System.Collections.Generic;

namespace Assay
{
    /// <summary>What the operations of a run do: the statement, its rows of parameters, and what was fetched.</summary>
    public sealed class Work
    {
        private readonly string before;
        private readonly string after;
        private int at;

        public Work(Request request, List<object[]> rows)
        {
            var statement = request.Text("statement");
            var mark = statement.IndexOf('?');
            before = mark < 0 ? statement : statement.Substring(0, mark);
            after = mark < 0 ? "" : statement.Substring(mark + 1);
            Statement = new Repeated("", statement, "", "");
            Repeated = new Repeated(request.Text("head"), request.Text("group"), request.Text("separator"), request.Text("tail"));
            Rows = rows;
            Executions = (int)request.Integer("rowsPerOperation");
            Chunk = (int)request.Integer("chunk");
            Query = request.Text("kind") == "Query";
            Inline = request.Switch("inline");
        }

        public Repeated Statement { get; }

        /// <summary>The text of which the group stands there once for each row.</summary>
        public Repeated Repeated { get; }

        /// <summary>Without rows the statement is executed once per operation.</summary>
        public List<object[]> Rows { get; }

        /// <summary>How many rows, or executions, one operation has.</summary>
        public int Executions { get; }

        public int Chunk { get; }

        public bool Query { get; }

        public bool Inline { get; }

        /// <summary>How many rows all operations fetched.</summary>
        public long Fetched { get; private set; }

        /// <summary>The rows that the operation fetched that runs, or ran last.</summary>
        public List<object[]> Answer { get; } = new List<object[]>();

        /// <summary>The next row of parameters; behind the last one comes the first again.</summary>
        public object[] Next()
        {
            if (Rows.Count == 0) return System.Array.Empty<object>();
            var row = Rows[at];
            if (++at == Rows.Count) at = 0;
            return row;
        }

        /// <summary>The statement with a number in place of the first parameter; the second one is @p0 then.</summary>
        public string Inlined(long number)
        {
            return new Repeated("", before + number + after, "", "").Text(1);
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

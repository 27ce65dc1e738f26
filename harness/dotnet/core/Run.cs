using System;
using System.Collections.Generic;

namespace Assay
{
    /// <summary>A request run: what it repeats, and how often.</summary>
    public sealed class Run
    {
        private readonly Request request;
        private readonly Connection connection;
        private readonly IDriver driver;
        private readonly Dictionary<string, List<object[]>> data;
        private readonly bool one;
        private readonly string session;
        private readonly string scheme;
        private readonly long operations;
        private readonly double seconds;

        public Run(Request request, Connection connection, Dictionary<string, List<object[]>> data)
        {
            this.request = request;
            this.connection = connection;
            this.data = data;
            driver = connection.Driver;
            one = Choice("transaction", "Autocommit", "One") == "One";
            session = Choice("session", "Dedicated", "Pool", "New");
            scheme = request.Text("scheme");
            operations = request.Integer("operations", 0);
            seconds = request.Number("seconds");
            if ((operations > 0) == (seconds > 0)) throw new MalformedException("either operations or seconds has to be greater than 0");
        }

        /// <summary>What the operations did, for the answer; null where they have no rows.</summary>
        public Work Work { get; private set; }

        public Measurement Execute()
        {
            switch (request.Text("kind"))
            {
                case "Connect":
                    return Measure(new Connecting(driver, connection.Target));
                case "Encode":
                    return Encode();
                case "Execute":
                case "Query":
                    CheckScheme();
                    Work = ReadWork();
                    switch (session)
                    {
                        case "New": return Measure(new Anew(driver, connection.Target, scheme, one, Work));
                        case "Pool": return Pooled();
                        default: return Dedicated();
                    }
                default:
                    throw new UnsupportedException("kind " + request.Text("kind") + " is not known; known are Execute, Query, Connect, Encode");
            }
        }

        private Measurement Encode()
        {
            if (!(driver is NullDriver))
            {
                throw new UnsupportedException(driver.Name + " has no public function that writes a row of parameters into a statement");
            }
            using (var operation = connection.Session("").Operation("SingleRow", ReadWork())) return Measure(operation);
        }

        private void CheckScheme()
        {
            if (!driver.Schemes.ContainsKey(scheme))
            {
                throw new UnsupportedException(driver.Name + " has no scheme " + scheme + "; it has: " + string.Join(", ", driver.Schemes.Keys));
            }
            if (request.Switch("inline") && scheme != "SingleRow" && scheme != "Prepared")
            {
                throw new UnsupportedException("inline is known with SingleRow and Prepared, not with " + scheme);
            }
        }

        private Measurement Dedicated()
        {
            var kept = connection.Session(scheme);
            using (var operation = kept.Operation(scheme, Work))
            {
                if (!one) return Measure(operation);
                kept.Autocommit(false);
                var measured = Measure(new Committing(operation, kept));
                kept.Autocommit(true);
                return measured;
            }
        }

        private Measurement Pooled()
        {
            var pool = connection.Pool(scheme);
            pool.Acquire().Dispose(); // fills it
            var measured = Measure(new Acquiring(pool, scheme, one, Work));
            if (one)
            {
                using (var last = pool.Acquire()) last.Autocommit(true);
            }
            return measured;
        }

        private Measurement Measure(IOperation operation)
        {
            var measurement = new Measurement();
            measurement.Repeat(operation, Work, operations, seconds);
            return measurement;
        }

        private Work ReadWork()
        {
            var statement = request.Name("statement");
            IReadOnlyList<object[]> rows = Array.Empty<object[]>();
            if (request.Has("data"))
            {
                var name = request.Name("data");
                if (!data.TryGetValue(name, out var kept)) throw new MalformedException("there is no data of the name " + name);
                if (kept.Count == 0) throw new MalformedException("the data " + name + " has no rows");
                rows = kept;
            }
            var work = new Work(
                statement,
                rows,
                (int)request.Integer("rowsPerOperation", 1),
                (int)request.Integer("chunk", 0),
                request.Text("kind") == "Query",
                request.Switch("inline"));
            CheckRows(work);
            CheckSizes(work);
            return work;
        }

        private static void CheckRows(Work work)
        {
            var width = work.Template.Parameters;
            for (var i = 0; i < work.Rows.Count; i++)
            {
                var row = work.Rows[i];
                if (row.Length != width) throw new MalformedException("the statement has " + width + " parameters, row " + i + " has " + row.Length);
                if (work.Inline && !(width > 0 && row[0] is long))
                {
                    throw new MalformedException("inline needs an integer as the first parameter; row " + i + " has none");
                }
            }
            if (work.Rows.Count > 0) return;
            if (width > 0) throw new MalformedException("the statement has " + width + " parameters, the request has no data");
            if (work.Inline) throw new MalformedException("inline needs data");
        }

        private void CheckSizes(Work work)
        {
            if (work.Rows.Count > 0 && work.RowsPerOperation < 1) throw new MalformedException("rowsPerOperation has to be at least 1");
            if (work.Chunk < 1 && (scheme == "MultiRow" || scheme == "MultiStatement" || scheme == "InList"))
            {
                throw new MalformedException("chunk has to be at least 1 for the scheme " + scheme);
            }
        }

        /// <summary>The first known value is the default.</summary>
        private string Choice(string field, params string[] known)
        {
            var value = request.Text(field);
            if (value == "") return known[0];
            if (Array.IndexOf(known, value) >= 0) return value;
            throw new UnsupportedException(field + " " + value + " is not known; known are " + string.Join(", ", known));
        }
    }
}

using System;
using System.Collections.Generic;
using System.Data.Common;

namespace Assay
{
    /// <summary>What the harness asks of a provider of ADO.NET, for each scheme, session and transaction.</summary>
    internal static class AdoTests
    {
        private const string Insert = "'statement': 'INSERT INTO t (a, b) VALUES (?, ?)', ";
        private const string Select = "'statement': 'SELECT a FROM t WHERE id IN (?)', ";
        private const string Login = "Server=db;Port=1;User ID=;Password=;Database=d";

        public static void All(Tests t)
        {
            Schemes(t);
            Rows(t);
            Transactions(t);
            Pools(t);
            Refusals(t);
            Failures(t);
            Many(t);
        }

        private static Provider Row(FakeServer server)
        {
            return new Provider
            {
                Name = "fake",
                Version = "3.2.1",
                Factory = new FakeFactory(server),
                Plain = new Dictionary<string, string> { { "Tls", "off" } },
                Unpooled = new Dictionary<string, string> { { "Pooling", "false" } },
                Pooled = new Dictionary<string, string> { { "Pooling", "true" } },
                Demands = new Dictionary<string, Dictionary<string, string>>
                {
                    { "Pipelined", new Dictionary<string, string> { { "Pipeline", "true" } } },
                },
                Many = new FakeMany(),
                Schemes = new Dictionary<string, string>
                {
                    { "SingleRow", "x" }, { "Prepared", "x" }, { "MultiRow", "x" }, { "MultiStatement", "x" }, { "InList", "x" },
                    { "Batch", "x" }, { "ExecuteMany", "x" }, { "Pipelined", "x" },
                },
            };
        }

        /// <summary>A conversation with a prepared connection; what that asked is forgotten.</summary>
        private static Talk Prepared(FakeServer server, Provider row)
        {
            var talk = new Talk(new AdoDriver(row));
            talk.Ask("'do': 'data', 'name': 'pairs', 'rows': [[1, 'a'], [2, null], [3, 'c']]");
            talk.Ask("'do': 'data', 'name': 'keys', 'rows': [[1], [2], [3]]");
            talk.Ask("'do': 'prepare', 'connection': 'c', 'driver': 'fake', 'host': 'db', 'port': 1, 'database': 'd'");
            server.Take();
            return talk;
        }

        private static string Run(string scheme, string more)
        {
            return "'do': 'run', 'connection': 'c', 'kind': 'Execute', 'scheme': '" + scheme + "', 'operations': 1, 'rowsPerOperation': 3, 'chunk': 2, " + more;
        }

        private static void Schemes(Tests t)
        {
            var server = new FakeServer();
            var talk = Prepared(server, Row(server));
            var pairs = Insert + "'data': 'pairs'";
            const string Text = "INSERT INTO t (a, b) VALUES (@p0, @p1)";
            var wanted = new Dictionary<string, string>
            {
                { Run("SingleRow", pairs), "text " + Text + " @p0=1 @p1=a; text " + Text + " @p0=2 @p1=; text " + Text + " @p0=3 @p1=c" },
                { Run("Prepared", pairs), "prepare " + Text + "; execute " + Text + " @p0=1 @p1=a; execute " + Text + " @p0=2 @p1=; execute " + Text + " @p0=3 @p1=c" },
                { Run("MultiRow", pairs), "text " + Text + ", (@p2, @p3) @p0=1 @p1=a @p2=2 @p3=; text " + Text + " @p0=3 @p1=c" },
                { Run("MultiStatement", pairs), "text " + Text + ";INSERT INTO t (a, b) VALUES (@p2, @p3) @p0=1 @p1=a @p2=2 @p3=; text " + Text + " @p0=3 @p1=c" },
                { Run("SingleRow", pairs + ", 'inline': true"), "text INSERT INTO t (a, b) VALUES (1, @p0) @p0=a; text INSERT INTO t (a, b) VALUES (2, @p0) @p0=; text INSERT INTO t (a, b) VALUES (3, @p0) @p0=c" },
                { Run("Prepared", "'data': 'keys', 'inline': true, 'statement': 'DO ?'"), "prepare DO 1; execute DO 1; prepare DO 2; execute DO 2; prepare DO 3; execute DO 3" },
                { Run("SingleRow", "'statement': 'DO 1'"), "text DO 1" },
                { Run("SingleRow", "'session': 'New', 'data': 'keys', 'rowsPerOperation': 1, 'statement': 'DO ?'").Replace("'rowsPerOperation': 3, ", ""), "open " + Login + ";Tls=off;Pooling=false; text DO @p0 @p0=1; close" },
                { Run("", "").Replace("Execute", "Connect").TrimEnd(',', ' '), "open " + Login + ";Tls=off;Pooling=false; close" },
            };
            foreach (var way in wanted)
            {
                t.Same(way.Key, "ok", talk.State(way.Key));
                t.Same("what is asked by " + way.Key, way.Value, server.Take());
            }
            t.Same("Encode has no public function", "unsupported", talk.State(Run("SingleRow", pairs).Replace("Execute", "Encode")).Split(':')[0]);
        }

        private static void Rows(Tests t)
        {
            var server = new FakeServer();
            server.Answers.Add(new List<object[]> { new object[] { 1, "a" }, new object[] { 2, DBNull.Value } });
            server.Answers.Add(new List<object[]> { new object[] { 3, "c" } });
            var talk = Prepared(server, Row(server));
            var answer = talk.Ask(Run("InList", Select + "'data': 'keys'").Replace("'Execute'", "'Query'").Replace("'operations': 1", "'operations': 2"));
            t.Same("rows of all result sets of two statements in two operations", 12, answer.GetProperty("rows").GetInt64());
            var once = new List<object[]> { new object[] { 1, "a" }, new object[] { 2, null }, new object[] { 3, "c" } };
            var twice = new List<object[]>(once);
            twice.AddRange(once);
            t.Same("the checksum is of the last operation", Checksum.Of(twice), answer.GetProperty("checksum").GetUInt32());
            t.Same(
                "the keys of two operations",
                "text SELECT a FROM t WHERE id IN (@p0, @p1) @p0=1 @p1=2; text SELECT a FROM t WHERE id IN (@p0) @p0=3; "
                    + "text SELECT a FROM t WHERE id IN (@p0, @p1) @p0=1 @p1=2; text SELECT a FROM t WHERE id IN (@p0) @p0=3",
                server.Take());
        }

        private static void Transactions(Tests t)
        {
            var server = new FakeServer();
            var talk = Prepared(server, Row(server));
            const string One = "'transaction': 'One', 'data': 'keys', 'statement': 'DO ?'";
            talk.Ask(Run("SingleRow", One).Replace("'rowsPerOperation': 3", "'rowsPerOperation': 1").Replace("'operations': 1", "'operations': 2"));
            t.Same(
                "One: autocommit off, a commit for each operation, autocommit on",
                "text SET autocommit=0; text DO @p0 @p0=1; text COMMIT; text DO @p0 @p0=2; text COMMIT; text SET autocommit=1",
                server.Take());
            talk.Ask(Run("SingleRow", One + ", 'session': 'New'").Replace("'rowsPerOperation': 3", "'rowsPerOperation': 1"));
            t.Same(
                "One on a new connection",
                "open " + Login + ";Tls=off;Pooling=false; text SET autocommit=0; text DO @p0 @p0=1; text COMMIT; close",
                server.Take());
        }

        private static void Pools(Tests t)
        {
            var server = new FakeServer();
            var cleared = 0;
            var row = Row(server);
            row.ClearPool = connection => cleared++;
            row.AfterOpen = "SET NAMES x";
            var talk = Prepared(server, row);
            t.Same("Pool", "ok", talk.State(Run("SingleRow", "'session': 'Pool', 'statement': 'DO 1', 'transaction': 'One'")));
            const string Open = "open " + Login + ";Tls=off;Pooling=true";
            t.Same(
                "the pool is filled, then each operation opens and closes",
                Open + "; text SET NAMES x; close; " + Open + "; close; "
                    + Open + "; text SET autocommit=0; text DO 1; text COMMIT; close; " + Open + "; text SET autocommit=1; close",
                server.Take());
            talk.Ask("'do': 'close', 'connection': 'c'");
            t.Same("close empties the pool", 1, cleared);
        }

        private static void Refusals(Tests t)
        {
            var server = new FakeServer();
            var talk = Prepared(server, Row(server));
            const string Prepare = "'do': 'prepare', 'connection': 'x', 'driver': 'fake', ";
            Environment.SetEnvironmentVariable("ASSAY_CA", typeof(Tests).Assembly.Location); // some file
            t.Same("TLS that cannot verify", "unsupported: fake accepts any certificate, so it cannot verify the server's", talk.State(Prepare + "'tls': 'Required'"));
            t.Same("an option that the driver does not know", "unsupported: option Magic=1: Option 'magic' not supported.", talk.State(Prepare + "'options': {'Magic': '1'}"));
            t.Same("an option that the harness decides", "unsupported: option SSL Mode is decided by the request or the scheme", talk.State(Prepare + "'options': {'SSL Mode': 'None'}"));
            t.Same("a known option", "ok", talk.State(Prepare + "'options': {'Timeout': '5'}"));
            t.Same("options are in the connection string", true, server.Take().Contains(";Timeout=5"));
            server.Cipher = "AES";
            t.Same("encrypted without being asked", "failed: tls is to be Disabled, but the cipher of the connection is 'AES'", talk.State(Prepare + "'tls': 'Disabled'"));
            t.Same("MultiRow of an UPDATE", "unsupported", talk.State(Run("MultiRow", "'statement': 'UPDATE t SET a = ?', 'data': 'keys'")).Split(':')[0]);
            t.Same("DbBatch where the factory has none", "unsupported", talk.State(Run("Batch", "'statement': 'DO 1'")).Split(':')[0]);
        }

        private static void Failures(Tests t)
        {
            var server = new FakeServer();
            var talk = Prepared(server, Row(server));
            server.Failure = "the server has gone away";
            t.Same("an error of the server", "failed: the server has gone away", talk.State(Run("SingleRow", "'statement': 'DO 1'")));
            t.Same("the connection is closed then", "text DO 1; close", server.Take());
            t.Same("the next run", "ok", talk.State(Run("SingleRow", "'statement': 'DO 1'")));
            t.Same("makes it again", "open " + Login + ";Tls=off;Pooling=false; text SET autocommit=1; text DO 1", server.Take());
            var driver = new AdoDriver(Row(server));
            t.Same("a login that the driver does not know", true, driver.CannotLogIn(new Exception("x", new NotSupportedException("Authentication method 'y' is not supported."))));
            t.Same("another driver's words for it", true, driver.CannotLogIn(new FakeException("Authentication method 'y' not supported by any of the available plugins.")));
            t.Same("a wrong password is something else", false, driver.CannotLogIn(new FakeException("Access denied")));
        }

        private static void Many(Tests t)
        {
            var server = new FakeServer();
            var talk = Prepared(server, Row(server));
            t.Same("ExecuteMany", "ok", talk.State(Run("ExecuteMany", Insert + "'data': 'pairs'")));
            t.Same("takes the kept connection", "text many [1 2 3] [a  c]", server.Take());
            t.Same("Pipelined", "ok", talk.State(Run("Pipelined", Insert + "'data': 'pairs'")));
            t.Same(
                "makes a connection that is pipelined",
                "close; open " + Login + ";Tls=off;Pooling=false;Pipeline=true; text SET autocommit=1; text many [1 2 3] [a  c]",
                server.Take());
        }

        /// <summary>A call for many rows that says what it was given.</summary>
        private sealed class FakeMany : IMany
        {
            public string[] Options
            {
                get { return Array.Empty<string>(); }
            }

            public void Check(Target target) { }

            public IOperation Operation(DbConnection connection, Work work, Target target)
            {
                return new Call(connection, Windows.Columns(work)[0]);
            }

            private sealed class Call : IOperation
            {
                private readonly DbCommand command;

                public Call(DbConnection connection, object[][] columns)
                {
                    command = connection.CreateCommand();
                    command.CommandText = "many";
                    foreach (var column in columns) command.CommandText += " [" + string.Join(" ", column) + "]";
                }

                public void Run()
                {
                    command.ExecuteNonQuery();
                }

                public void Dispose()
                {
                    command.Dispose();
                }
            }
        }
    }
}

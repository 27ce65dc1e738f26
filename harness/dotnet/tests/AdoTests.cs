using System;
using System.Collections.Generic;
using System.Data.Common;

namespace Assay
{
    /// <summary>What the harness asks of a provider of ADO.NET, for each scheme, session and transaction.</summary>
    internal static class AdoTests
    {
        private const string Insert = "'statement': 'INSERT INTO t (a, b) VALUES (?, ?)', 'data': 'pairs'";
        private const string Rows3 = "'rowsPerOperation': 3, ";
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
            talk.Ask("'do': 'data', 'name': 'pairs', 'rows': [[1, 'a'], [2, ''], [3, 'c']]");
            talk.Ask("'do': 'data', 'name': 'keys', 'rows': [[1], [2], [3]]");
            talk.Ask(Talk.Prepare("fake", ""));
            server.Take();
            return talk;
        }

        private static string Run(string scheme, string more)
        {
            return Talk.Run("'scheme': '" + scheme + "', " + more);
        }

        private static void Schemes(Tests t)
        {
            var server = new FakeServer();
            var talk = Prepared(server, Row(server));
            const string Text = "INSERT INTO t (a, b) VALUES (@p0, @p1)";
            const string MultiRow = ", 'head': 'INSERT INTO t (a, b) VALUES ', 'group': '(?, ?)', 'separator': ', '";
            const string MultiStatement = ", 'group': 'INSERT INTO t (a, b) VALUES (?, ?)', 'separator': ';'";
            const string InList = "'statement': 'DELETE FROM t WHERE id IN (?)', 'head': 'DELETE FROM t WHERE id IN (', 'group': '?', 'separator': ', ', 'tail': ')', 'data': 'keys'";
            var wanted = new Dictionary<string, string>
            {
                { Run("SingleRow", Rows3 + Insert), "text " + Text + " @p0=1 @p1=a; text " + Text + " @p0=2 @p1=; text " + Text + " @p0=3 @p1=c" },
                { Run("Prepared", Rows3 + Insert), "prepare " + Text + "; execute " + Text + " @p0=1 @p1=a; execute " + Text + " @p0=2 @p1=; execute " + Text + " @p0=3 @p1=c" },
                { Run("MultiRow", Rows3 + Insert + MultiRow), "text " + Text + ", (@p2, @p3) @p0=1 @p1=a @p2=2 @p3=; text " + Text + " @p0=3 @p1=c" },
                { Run("MultiStatement", Rows3 + Insert + MultiStatement), "text " + Text + ";INSERT INTO t (a, b) VALUES (@p2, @p3) @p0=1 @p1=a @p2=2 @p3=; text " + Text + " @p0=3 @p1=c" },
                { Run("InList", Rows3 + InList), "text DELETE FROM t WHERE id IN (@p0, @p1) @p0=1 @p1=2; text DELETE FROM t WHERE id IN (@p0) @p0=3" },
                { Run("SingleRow", Rows3 + Insert + ", 'inline': true"), "text INSERT INTO t (a, b) VALUES (1, @p0) @p0=a; text INSERT INTO t (a, b) VALUES (2, @p0) @p0=; text INSERT INTO t (a, b) VALUES (3, @p0) @p0=c" },
                { Run("SingleRow", "'statement': 'DO 1'"), "text DO 1" },
                { Run("SingleRow", "'session': 'New', 'data': 'keys'"), "open " + Login + ";Tls=off;Pooling=false; text DO @p0 @p0=1; close" },
                { Run("SingleRow", "'kind': 'Connect', 'statement': ''"), "open " + Login + ";Tls=off;Pooling=false; close" },
            };
            foreach (var way in wanted)
            {
                t.Same(way.Key, "ok", talk.State(way.Key));
                t.Same("what is asked by " + way.Key, way.Value, server.Take());
            }
        }

        private static void Rows(Tests t)
        {
            var server = new FakeServer();
            server.Answers.Add(new List<object[]> { new object[] { 1, "a" }, new object[] { 2, DBNull.Value } });
            server.Answers.Add(new List<object[]> { new object[] { 3, "c" } });
            var talk = Prepared(server, Row(server));
            var answer = talk.Ask(Run("SingleRow", "'kind': 'Query', 'statement': 'SELECT a FROM t', 'operations': 2"));
            t.Same("rows of all result sets in two operations", 6, answer.GetProperty("rows").GetInt64());
            var once = new List<object[]> { new object[] { 1, "a" }, new object[] { 2, null }, new object[] { 3, "c" } };
            t.Same("the checksum is of the last operation", Checksum.Of(once), answer.GetProperty("checksum").GetUInt32());
        }

        private static void Transactions(Tests t)
        {
            var server = new FakeServer();
            var talk = Prepared(server, Row(server));
            const string One = "'commit': true, 'data': 'keys'";
            talk.Ask(Run("SingleRow", One + ", 'operations': 2"));
            t.Same(
                "One: autocommit off, a commit for each operation, autocommit on",
                "text SET autocommit=0; text DO @p0 @p0=1; text COMMIT; text DO @p0 @p0=2; text COMMIT; text SET autocommit=1",
                server.Take());
            talk.Ask(Run("SingleRow", One + ", 'session': 'New'"));
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
            t.Same("Pool", "ok", talk.State(Run("SingleRow", "'session': 'Pool', 'statement': 'DO 1', 'commit': true")));
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
            t.Same("TLS that cannot verify", "unsupported: fake accepts any certificate, so it cannot verify the server's", talk.State(Talk.Prepare("fake", "", "true")));
            t.Same("an option that the driver does not know", "unsupported: option Magic=1: Option 'magic' not supported.", talk.State(Talk.Prepare("fake", "'Magic': '1'")));
            t.Same("an option that the harness decides", "unsupported: option SSL Mode is decided by the request or the scheme", talk.State(Talk.Prepare("fake", "'SSL Mode': 'None'")));
            t.Same("a known option", "ok", talk.State(Talk.Prepare("fake", "'Timeout': '5'")));
            t.Same("options are in the connection string", true, server.Take().Contains(";Timeout=5"));
            var hello = talk.Ask("'do': 'hello', 'protocol': 'assay.dev/driver/v2'").GetProperty("drivers")[0].GetProperty("can");
            t.Same("DbBatch where the factory has none", false, hello.TryGetProperty("Batch", out _));
            t.Same("Encode has no public function", false, hello.TryGetProperty("Encode", out _));
            var row = Row(server);
            row.Refusal = error => error is InvalidCastException ? "fake cannot log in to such a server" : null;
            talk = new Talk(new AdoDriver(row));
            server.Door = new InvalidCastException("Object cannot be cast from DBNull to other types.");
            t.Same("a server that the driver cannot work with", "unsupported: fake cannot log in to such a server", talk.State(Talk.Prepare("fake", "")));
            server.Door = new FakeException("nobody is at home");
            t.Same("another failure of the login", "failed: nobody is at home", talk.State(Talk.Prepare("fake", "")));
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
        }

        private static void Many(Tests t)
        {
            var server = new FakeServer();
            var talk = Prepared(server, Row(server));
            t.Same("ExecuteMany", "ok", talk.State(Run("ExecuteMany", Rows3 + Insert)));
            t.Same("takes the kept connection", "text many [1 2 3] [a  c]", server.Take());
            t.Same("Pipelined", "ok", talk.State(Run("Pipelined", Rows3 + Insert)));
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

using System.Text.Json;

namespace Assay
{
    /// <summary>What the harness answers with the driver null.</summary>
    internal static class ConversationTests
    {
        private const string Run = "'do': 'run', 'connection': 'c', 'data': 'd', ";
        private const string Delete = "'statement': 'DELETE FROM t WHERE id IN (?)', ";
        private const string Sizes = "'rowsPerOperation': 2, 'chunk': 2, ";

        public static void All(Tests t)
        {
            var talk = new Talk(new NullDriver());
            Beginnings(t, talk);
            EveryWay(t, talk);
            Refusals(t, talk);
            Timed(t, talk);
            t.Same("close", "ok", talk.State("'do': 'close', 'connection': 'c'"));
            t.Same("close again", "failed: there is no connection of the name c", talk.State("'do': 'close', 'connection': 'c'"));
        }

        private static void Beginnings(Tests t, Talk talk)
        {
            var hello = talk.Ask("'do': 'hello', 'protocol': 'assay.dev/driver/v1'");
            t.Same("hello names the language", ".NET", hello.GetProperty("language").GetString());
            t.Same("hello names all schemes of null", 8, Length(hello.GetProperty("drivers")[0].GetProperty("schemes")));
            t.Same("another protocol", "unsupported: this harness speaks assay.dev/driver/v1, not x", talk.State("'do': 'hello', 'protocol': 'x'"));
            t.Same("data", 3, talk.Ask("'do': 'data', 'name': 'd', 'rows': [[1], [2], [3]]").GetProperty("rows").GetInt32());
            t.Same("data of lists", "unsupported: row 0: a value is neither a number nor a text nor null", talk.State("'do': 'data', 'name': 'e', 'rows': [[[]]]"));
            var prepared = talk.Ask("'do': 'prepare', 'connection': 'c', 'driver': 'null', 'tls': 'Required'");
            t.Same("prepare of null", "{\"id\":5,\"state\":\"ok\",\"version\":\"1\",\"library\":\"\",\"cipher\":\"\"}", prepared.GetRawText());
            t.Same("a driver that is not there", "unsupported: there is no driver y in .NET here", talk.State("'do': 'prepare', 'connection': 'x', 'driver': 'y'"));
            t.Same("a version that is not there", "unsupported: null is here in version 1, not 2", talk.State("'do': 'prepare', 'connection': 'x', 'driver': 'null', 'version': '2'"));
            t.Same("an option of null", "unsupported: the driver null has no options; the request has a", talk.State("'do': 'prepare', 'connection': 'x', 'driver': 'null', 'options': {'a': 'b'}"));
        }

        private static int Length(JsonElement json)
        {
            var n = 0;
            foreach (var unused in json.EnumerateObject()) n++;
            return n;
        }

        private static void EveryWay(Tests t, Talk talk)
        {
            foreach (var scheme in NullDriver.All)
            {
                foreach (var session in new[] { "Dedicated", "Pool", "New" })
                {
                    foreach (var transaction in new[] { "Autocommit", "One" })
                    {
                        var way = "'scheme': '" + scheme + "', 'session': '" + session + "', 'transaction': '" + transaction + "', ";
                        var statement = scheme == "MultiRow" ? "'statement': 'INSERT INTO t VALUES (?)', " : Delete;
                        var answer = talk.Ask(Run + way + statement + Sizes + "'kind': 'Query', 'operations': 3");
                        t.Same("null by " + way, "ok 3 0 0 3", Summary(answer));
                    }
                }
            }
            t.Same("Connect", "ok", talk.State(Run + "'kind': 'Connect', 'operations': 1"));
            t.Same("Encode", "ok", talk.State(Run + Delete + "'kind': 'Encode', 'operations': 1"));
            t.Same("inline", "ok", talk.State(Run + Delete + "'kind': 'Execute', 'scheme': 'SingleRow', 'inline': true, 'operations': 4"));
        }

        private static string Summary(JsonElement answer)
        {
            if (answer.GetProperty("state").GetString() != "ok") return answer.GetRawText();
            var counted = 0L;
            foreach (var bucket in answer.GetProperty("histogram").EnumerateArray()) counted += bucket[1].GetInt64();
            return "ok " + answer.GetProperty("operations") + " " + answer.GetProperty("rows") + " " + answer.GetProperty("checksum") + " " + counted;
        }

        private static void Refusals(Tests t, Talk talk)
        {
            var good = Run + Delete + Sizes + "'kind': 'Execute', ";
            t.Same("an unknown scheme", "unsupported", Word(talk, good + "'scheme': 'Telepathy', 'operations': 1"));
            t.Same("an unknown session", "unsupported", Word(talk, good + "'scheme': 'SingleRow', 'session': 'Old', 'operations': 1"));
            t.Same("an unknown transaction", "unsupported", Word(talk, good + "'scheme': 'SingleRow', 'transaction': 'Two', 'operations': 1"));
            t.Same("an unknown kind", "unsupported", Word(talk, Run + "'kind': 'Sing', 'operations': 1"));
            t.Same("inline with InList", "unsupported", Word(talk, good + "'scheme': 'InList', 'inline': true, 'operations': 1"));
            t.Same("no extent", "failed", Word(talk, good + "'scheme': 'SingleRow'"));
            t.Same("both extents", "failed", Word(talk, good + "'scheme': 'SingleRow', 'operations': 1, 'seconds': 1"));
            t.Same("no data of that name", "failed", Word(talk, "'do': 'run', 'connection': 'c', 'data': 'none', 'kind': 'Execute', 'scheme': 'SingleRow', 'operations': 1, " + Delete.TrimEnd(',', ' ')));
            t.Same("a chunk of nothing", "failed", Word(talk, Run + Delete + "'kind': 'Execute', 'scheme': 'InList', 'operations': 1"));
            t.Same("another number of parameters", "failed", Word(talk, Run + "'statement': 'DO ?, ?', 'kind': 'Execute', 'scheme': 'SingleRow', 'operations': 1"));
            t.Same("no statement", "failed", Word(talk, Run + "'kind': 'Execute', 'scheme': 'SingleRow', 'operations': 1"));
            t.Same("no connection of that name", "failed", Word(talk, "'do': 'run', 'connection': 'none', 'kind': 'Connect', 'operations': 1"));
        }

        private static string Word(Talk talk, string request)
        {
            return talk.State(request).Split(':')[0];
        }

        private static void Timed(Tests t, Talk talk)
        {
            var answer = talk.Ask(Run + Delete + "'kind': 'Execute', 'scheme': 'SingleRow', 'seconds': 0.01");
            var nanoseconds = answer.GetProperty("nanoseconds").GetInt64();
            t.Same("as many operations as begin in a time", true, answer.GetProperty("operations").GetInt64() > 10 && nanoseconds >= 10000000 && nanoseconds < 1000000000);
        }
    }
}

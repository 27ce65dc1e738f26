using System.IO;
using System.Text;

namespace Assay
{
    /// <summary>What the harness answers with the driver null. The conformance suite has the rest of the conversation.</summary>
    internal static class ConversationTests
    {
        public static void All(Tests t)
        {
            var talk = new Talk(new NullDriver());
            t.Same("hello names the language", ".NET", talk.Ask("'do': 'hello', 'protocol': 'assay.dev/driver/v2'").GetProperty("language").GetString());
            t.Same("data", "ok", talk.State("'do': 'data', 'name': 'd', 'rows': [[1], [2], [3], [4]]"));
            var prepared = talk.Ask(Talk.Prepare("null", ""));
            t.Same("prepare of null", "{\"id\":3,\"state\":\"ok\",\"version\":\"1\",\"cipher\":\"\"}", prepared.GetRawText());
            foreach (var scheme in new[] { "SingleRow", "Prepared", "ExecuteMany", "Pipelined", "MultiRow", "MultiStatement", "InList", "Batch" })
            {
                foreach (var session in new[] { "Dedicated", "Pool", "New" })
                {
                    foreach (var commit in new[] { "true", "false" })
                    {
                        var way = "'scheme': '" + scheme + "', 'session': '" + session + "', 'commit': " + commit;
                        t.Same("null by " + way, "ok", talk.State(Talk.Run(way + ", 'data': 'd', 'rowsPerOperation': 2, 'operations': 3")));
                    }
                }
            }
            t.Same("Connect", "ok", talk.State(Talk.Run("'kind': 'Connect'")));
            t.Same("Encode", "ok", talk.State(Talk.Run("'kind': 'Encode', 'data': 'd'")));
            t.Same("inline", "ok", talk.State(Talk.Run("'inline': true, 'data': 'd', 'operations': 4")));
            t.Same("close", "ok", talk.State("'do': 'close', 'connection': 'c'"));
            var output = new MemoryStream();
            var input = new MemoryStream(Encoding.UTF8.GetBytes("{\"id\":7,\"do\":\"data\",\"name\":\"d\",\"rows\":[[1]]}\n"));
            new Conversation(new IDriver[] { new NullDriver() }).Serve(input, output);
            t.Same("an answer is one line", "{\"id\":7,\"state\":\"ok\"}\n", Encoding.UTF8.GetString(output.ToArray()));
        }
    }
}

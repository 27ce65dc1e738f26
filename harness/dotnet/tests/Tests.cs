using System;
using System.Collections.Generic;
using System.Text;
using System.Text.Json;

namespace Assay
{
    /// <summary>Counts what was checked, and prints what failed. Exits with 1 if anything did.</summary>
    public sealed class Tests
    {
        private int checks;
        private int failed;

        public static int Main()
        {
            var tests = new Tests();
            CoreTests.All(tests);
            ConversationTests.All(tests);
            AdoTests.All(tests);
            Console.WriteLine(tests.checks + " checks, " + tests.failed + " failed, on .NET " + Environment.Version);
            return tests.failed > 0 ? 1 : 0;
        }

        /// <summary>Compares values by what they look like.</summary>
        public void Same(string claim, object want, object got)
        {
            checks++;
            var wanted = Show(want);
            var found = Show(got);
            if (wanted == found) return;
            failed++;
            Console.WriteLine("FAILED: " + claim + "\n  want " + wanted + "\n  got  " + found);
        }

        private static string Show(object value)
        {
            if (value is string text) return text;
            if (!(value is System.Collections.IEnumerable many)) return Convert.ToString(value, System.Globalization.CultureInfo.InvariantCulture);
            var shown = new List<string>();
            foreach (var one in many) shown.Add(Show(one));
            return "[" + string.Join(" | ", shown) + "]";
        }
    }

    /// <summary>Speaks with a conversation as the agent does.</summary>
    internal sealed class Talk
    {
        private readonly Conversation conversation;
        private int id;

        public Talk(params IDriver[] drivers)
        {
            conversation = new Conversation(drivers);
        }

        /// <summary>Asks with single quotes for double ones, and without the id.</summary>
        public JsonElement Ask(string request)
        {
            var line = "{'id': " + ++id + ", " + request + "}";
            var answer = conversation.Answer(new Request(line.Replace('\'', '"')));
            return JsonDocument.Parse(Encoding.UTF8.GetString(answer)).RootElement;
        }

        public static string Prepare(string driver, string options, string tls = "false")
        {
            return "'do': 'prepare', 'connection': 'c', 'driver': '" + driver + "', 'version': '', 'host': 'db', 'port': 1, 'database': 'd', 'tls': "
                + tls + ", 'options': {" + options + "}";
        }

        /// <summary>A request run with the fields that are given, and what a statement without rows has as the others.</summary>
        public static string Run(string given)
        {
            var fields = new Dictionary<string, string>
            {
                { "kind", "'Execute'" }, { "scheme", "'SingleRow'" }, { "session", "'Dedicated'" }, { "commit", "false" }, { "inline", "false" },
                { "statement", "'DO ?'" }, { "head", "''" }, { "group", "''" }, { "separator", "''" }, { "tail", "''" }, { "data", "''" },
                { "rowsPerOperation", "1" }, { "chunk", "2" }, { "operations", "1" }, { "seconds", "0" },
            };
            var request = "'do': 'run', 'connection': 'c', " + given;
            foreach (var field in fields)
            {
                if (!request.Contains("'" + field.Key + "':")) request += ", '" + field.Key + "': " + field.Value;
            }
            return request;
        }

        /// <summary>The state, and the reason where there is one.</summary>
        public string State(string request)
        {
            var answer = Ask(request);
            return answer.GetProperty("state").GetString() + (answer.TryGetProperty("reason", out var reason) ? ": " + reason.GetString() : "");
        }
    }
}

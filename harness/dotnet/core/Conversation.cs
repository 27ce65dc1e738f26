using System;
using System.Collections.Generic;
using System.IO;
using System.Text;
using System.Text.Json;

namespace Assay
{
    /// <summary>The requests of one agent and their answers.</summary>
    public sealed class Conversation
    {
        private readonly IReadOnlyList<IDriver> drivers;
        private readonly Dictionary<string, Connection> connections = new Dictionary<string, Connection>();
        private readonly Dictionary<string, List<object[]>> data = new Dictionary<string, List<object[]>>();

        public Conversation(IReadOnlyList<IDriver> drivers)
        {
            this.drivers = drivers;
        }

        /// <summary>Answers line by line until the input ends.</summary>
        public void Serve(Stream input, Stream output)
        {
            using (var lines = new StreamReader(input, new UTF8Encoding(false)))
            {
                string line;
                while ((line = lines.ReadLine()) != null)
                {
                    var answer = Answer(new Request(line));
                    output.Write(answer, 0, answer.Length);
                    output.WriteByte((byte)'\n');
                    output.Flush();
                }
            }
            foreach (var connection in connections.Values) connection.Drop();
        }

        /// <summary>The answer in JSON. Requests are as the protocol says, so nothing in them is checked.</summary>
        public byte[] Answer(Request request)
        {
            try
            {
                return Answers.Ok(request.Integer("id"), Act(request));
            }
            catch (UnsupportedException error)
            {
                return Answers.Unsupported(request.Integer("id"), error);
            }
            catch (Exception error)
            {
                return Answers.Failed(request.Integer("id"), error);
            }
        }

        private Action<Utf8JsonWriter> Act(Request request)
        {
            switch (request.Text("do"))
            {
                case "hello":
                    return json => Answers.Hello(json, drivers);
                case "data":
                    data[request.Text("name")] = request.Rows();
                    return json => { };
                case "prepare":
                    return Prepare(request);
                case "run":
                    return RunOn(connections[request.Text("connection")], request);
                default:
                    connections.Remove(request.Text("connection"), out var closing);
                    closing.Drop();
                    return json => { };
            }
        }

        private Action<Utf8JsonWriter> Prepare(Request request)
        {
            var name = request.Text("driver");
            IDriver driver = null;
            foreach (var known in drivers)
            {
                if (known.Name == name) driver = known;
            }
            var connection = new Connection(driver, TargetOf(request));
            connections[request.Text("connection")] = connection;
            driver.Check(connection.Target);
            var cipher = connection.Session("").Cipher();
            return json =>
            {
                json.WriteString("version", driver.Version);
                json.WriteString("cipher", cipher);
            };
        }

        private static Target TargetOf(Request request)
        {
            return new Target
            {
                Host = request.Text("host"),
                Port = (int)request.Integer("port"),
                Database = request.Text("database"),
                Tls = request.Switch("tls"),
                Options = request.Options(),
                User = Environment.GetEnvironmentVariable("ASSAY_USERNAME") ?? "",
                Password = Environment.GetEnvironmentVariable("ASSAY_PASSWORD") ?? "",
                Authority = Environment.GetEnvironmentVariable("ASSAY_CA") ?? "",
            };
        }

        private Action<Utf8JsonWriter> RunOn(Connection connection, Request request)
        {
            if (!data.TryGetValue(request.Text("data"), out var rows)) rows = new List<object[]>();
            var run = new Run(request, connection, new Work(request, rows));
            try
            {
                var measurement = run.Execute();
                return json => Answers.Run(json, measurement, run.Work);
            }
            catch
            {
                connection.Drop();
                throw;
            }
        }
    }
}

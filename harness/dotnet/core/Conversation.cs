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
        public const string Protocol = "assay.dev/driver/v1";

        private readonly IReadOnlyList<IDriver> drivers;
        private readonly Dictionary<string, Connection> connections = new Dictionary<string, Connection>();
        private readonly Dictionary<string, List<object[]>> data = new Dictionary<string, List<object[]>>();

        public Conversation(IReadOnlyList<IDriver> drivers)
        {
            this.drivers = drivers;
        }

        /// <summary>Answers line by line until the input ends. Returns the exit code.</summary>
        public int Serve(Stream input, Stream output)
        {
            using (var lines = new StreamReader(input, new UTF8Encoding(false)))
            {
                string line;
                while ((line = lines.ReadLine()) != null)
                {
                    var request = Request.Read(line);
                    if (request == null)
                    {
                        // There is no id to answer to, and a guess would be taken for the answer to something else.
                        Console.Error.WriteLine("harness: a line is no request in JSON with an id: " + line);
                        return 1;
                    }
                    var answer = Answer(request);
                    output.Write(answer, 0, answer.Length);
                    output.WriteByte((byte)'\n');
                    output.Flush();
                }
            }
            foreach (var connection in connections.Values) connection.Drop();
            return 0;
        }

        /// <summary>The answer in JSON.</summary>
        public byte[] Answer(Request request)
        {
            try
            {
                return Answers.Ok(request.Id, Act(request));
            }
            catch (UnsupportedException error)
            {
                return Answers.Refusal(request.Id, "unsupported", error.Message);
            }
            catch (Exception error)
            {
                return Answers.Refusal(request.Id, "failed", Answers.Words(error));
            }
        }

        private Action<Utf8JsonWriter> Act(Request request)
        {
            switch (request.Text("do"))
            {
                case "hello": return Hello(request);
                case "data": return Keep(request);
                case "prepare": return Prepare(request);
                case "run": return RunOn(ConnectionOf(request), request);
                case "close": return Close(request);
                default: throw new UnsupportedException("the request " + request.Text("do") + " is not known");
            }
        }

        private Action<Utf8JsonWriter> Hello(Request request)
        {
            if (request.Text("protocol") != Protocol)
            {
                throw new UnsupportedException("this harness speaks " + Protocol + ", not " + request.Text("protocol"));
            }
            return json => Answers.Hello(json, drivers);
        }

        private Action<Utf8JsonWriter> Keep(Request request)
        {
            var rows = request.Rows();
            data[request.Name("name")] = rows;
            return json => json.WriteNumber("rows", rows.Count);
        }

        private Action<Utf8JsonWriter> Prepare(Request request)
        {
            var driver = DriverOf(request);
            var name = request.Name("connection");
            var connection = new Connection(driver, TargetOf(request, driver));
            driver.Check(connection.Target);
            if (connections.Remove(name, out var former)) former.Drop();
            var cipher = CipherOf(connection);
            connections.Add(name, connection);
            return json =>
            {
                json.WriteString("version", driver.Version);
                json.WriteString("library", ""); // no driver of .NET stands on a C library
                json.WriteString("cipher", cipher);
            };
        }

        /// <summary>Opens the connection. It has to have a cipher exactly if it was asked for.</summary>
        private static string CipherOf(Connection connection)
        {
            string cipher;
            try
            {
                cipher = connection.Session("").Cipher();
            }
            catch (Exception error) when (connection.Driver.CannotLogIn(error))
            {
                throw new UnsupportedException(Answers.Words(error));
            }
            if (connection.Driver is NullDriver || (cipher != "") == connection.Target.Tls) return cipher;
            connection.Drop();
            throw new MalformedException("tls is to be " + (connection.Target.Tls ? "Required" : "Disabled")
                + ", but the cipher of the connection is '" + cipher + "'");
        }

        private static Target TargetOf(Request request, IDriver driver)
        {
            var tls = request.Text("tls");
            if (tls != "" && tls != "Disabled" && tls != "Required")
            {
                throw new UnsupportedException("tls " + tls + " is not known; known are Disabled, Required");
            }
            var target = new Target
            {
                Host = request.Text("host"),
                Port = (int)request.Integer("port", 3306),
                Database = request.Text("database"),
                Tls = tls == "Required",
                Options = request.Options(),
                User = Environment.GetEnvironmentVariable("ASSAY_USERNAME") ?? "",
                Password = Environment.GetEnvironmentVariable("ASSAY_PASSWORD") ?? "",
                Authority = Environment.GetEnvironmentVariable("ASSAY_CA") ?? "",
            };
            if (target.Tls && !(driver is NullDriver) && !File.Exists(target.Authority))
            {
                throw new MalformedException("tls Required needs a file with the certificate authority; ASSAY_CA names '" + target.Authority + "'");
            }
            return target;
        }

        private Action<Utf8JsonWriter> RunOn(Connection connection, Request request)
        {
            var run = new Run(request, connection, data);
            try
            {
                var measurement = run.Execute();
                return json => Answers.Run(json, measurement, run.Work);
            }
            catch (Exception error) when (!(error is UnsupportedException || error is MalformedException))
            {
                connection.Drop();
                throw;
            }
        }

        private Action<Utf8JsonWriter> Close(Request request)
        {
            ConnectionOf(request).Drop();
            connections.Remove(request.Text("connection"));
            return json => { };
        }

        private Connection ConnectionOf(Request request)
        {
            if (connections.TryGetValue(request.Name("connection"), out var connection)) return connection;
            throw new MalformedException("there is no connection of the name " + request.Text("connection"));
        }

        private IDriver DriverOf(Request request)
        {
            var name = request.Name("driver");
            var version = request.Text("version");
            foreach (var driver in drivers)
            {
                if (driver.Name != name) continue;
                if (version == "" || version == driver.Version) return driver;
                throw new UnsupportedException(name + " is here in version " + driver.Version + ", not " + version);
            }
            throw new UnsupportedException("there is no driver " + name + " in .NET here");
        }
    }
}

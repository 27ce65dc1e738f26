using System;
using System.Data.Common;
using System.Diagnostics;

namespace Assay
{
    /// <summary>
    /// SELECT 1 as a user would write it, without the harness: what the harness is compared with.
    /// Usage: ASSAY_USERNAME=... ASSAY_PASSWORD=... loop MySqlConnector|MySql.Data|NewLife.MySql HOST PORT DATABASE
    /// Each line of standard input is the seconds of a run, and is answered by {"operations":N,"nanoseconds":N}.
    /// </summary>
    internal static class Loop
    {
        private static int Main(string[] args)
        {
            if (args.Length != 4)
            {
                Console.Error.WriteLine("usage: loop MySqlConnector|MySql.Data|NewLife.MySql HOST PORT DATABASE");
                return 2;
            }
            using (var connection = Connect(args[0]))
            {
                connection.ConnectionString = "Server=" + args[1] + ";Port=" + args[2] + ";Database=" + args[3] + ";SslMode=None"
                    + ";User ID=" + Environment.GetEnvironmentVariable("ASSAY_USERNAME")
                    + ";Password=" + Environment.GetEnvironmentVariable("ASSAY_PASSWORD")
                    + (args[0] == "NewLife.MySql" ? "" : ";AllowPublicKeyRetrieval=true");
                connection.Open();
                for (var line = Console.ReadLine(); line != null; line = Console.ReadLine())
                {
                    Repeat(connection, double.Parse(line, System.Globalization.CultureInfo.InvariantCulture));
                }
            }
            return 0;
        }

        private static DbConnection Connect(string driver)
        {
            switch (driver)
            {
                case "MySqlConnector": return new MySqlConnector.MySqlConnection();
                case "MySql.Data": return new MySql.Data.MySqlClient.MySqlConnection();
                case "NewLife.MySql": return new NewLife.MySql.MySqlConnection();
                default: throw new ArgumentException("there is no driver " + driver + "; known are MySqlConnector, MySql.Data, NewLife.MySql");
            }
        }

        private static void Repeat(DbConnection connection, double seconds)
        {
            using (var command = connection.CreateCommand())
            {
                command.CommandText = "SELECT 1";
                long operations = 0;
                var watch = Stopwatch.StartNew();
                do
                {
                    using (var reader = command.ExecuteReader())
                    {
                        while (reader.Read())
                        {
                            var row = new object[reader.FieldCount];
                            reader.GetValues(row);
                        }
                    }
                    operations++;
                }
                while (watch.Elapsed.TotalSeconds < seconds);
                var nanoseconds = (long)(watch.Elapsed.TotalMilliseconds * 1e6);
                Console.WriteLine("{\"operations\":" + operations + ",\"nanoseconds\":" + nanoseconds + "}");
            }
        }
    }
}

using System;
using System.Collections.Generic;
using System.Data.Common;
using System.IO;
using NewLife.MySql;

namespace Assay
{
    /// <summary>
    /// NewLife.MySql. It accepts every certificate, so there is no Encrypted. Its connection string cannot switch pooling off;
    /// a factory without a pool manager does. It logs in with utf8 of three bytes, hence SET NAMES. Newer releases connect again by
    /// themselves when a command fails, after a wait inside of what is timed, unless RetryOnNetworkFailure is false; older ones take
    /// the word and do nothing with it.
    /// </summary>
    internal static class NewLifeProvider
    {
        public static Provider Row()
        {
            KeepFilesAway();
            var unpooled = new MySqlClientFactory { PoolManager = null };
            return new Provider
            {
                Name = "NewLife.MySql",
                Version = Catalogue.VersionOf(typeof(MySqlConnection).Assembly),
                Factory = MySqlClientFactory.Instance,
                Always = new Dictionary<string, string> { { "RetryOnNetworkFailure", "false" } },
                Plain = new Dictionary<string, string> { { "SslMode", "None" } },
                Options = new[] { "ConnectionTimeout", "CommandTimeout" }, // it takes any, and says nothing
                AfterOpen = "SET NAMES utf8mb4",
                Connection = () => new MySqlConnection { Factory = unpooled },
                Pool = text => new NewLifeDoor(text),
                Demands = new Dictionary<string, Dictionary<string, string>>
                {
                    { "Pipelined", new Dictionary<string, string> { { "Pipeline", "true" } } },
                },
                Many = new NewLifeMany(),
                Schemes = new Dictionary<string, string>
                {
                    { "SingleRow", "one command with parameters, which the driver writes into the text: COM_QUERY" },
                    { "Prepared", "Prepare() once, executed for each row: COM_STMT_EXECUTE" },
                    { "ExecuteMany", "ExecuteArrayBatch() or, by the option ExecuteMany, ExecuteBatch(): prepared and closed in each call, COM_STMT_EXECUTE for each row, waited for" },
                    { "Pipelined", "the same on a connection with Pipeline=true: all COM_STMT_EXECUTE are sent while answers are read" },
                    { "MultiRow", "one command with the parameters of a chunk of rows: COM_QUERY" },
                    { "MultiStatement", "one command with the statements of a chunk: one COM_QUERY" },
                    { "InList", "one command with the keys of a chunk: COM_QUERY" },
                    { "Batch", "DbBatch with a command for each row: one COM_QUERY with all of them" },
                },
            };
        }

        /// <summary>
        /// NewLife.Core writes the folders Config and Log beside the program, which may not be written to, unless this variable says
        /// where. It is read once, when the first class of it is used.
        /// </summary>
        private static void KeepFilesAway()
        {
            const string Variable = "BasePath";
            if (string.IsNullOrEmpty(Environment.GetEnvironmentVariable(Variable)))
            {
                Environment.SetEnvironmentVariable(Variable, Path.Combine(Path.GetTempPath(), "assay-newlife"));
            }
        }
    }

    /// <summary>A pool of its own: the pools of a factory can be disposed of, but not taken out of it.</summary>
    internal sealed class NewLifeDoor : IDoor
    {
        private readonly MySqlClientFactory factory = new MySqlClientFactory();
        private readonly string connectionString;

        public NewLifeDoor(string connectionString)
        {
            this.connectionString = connectionString;
        }

        public DbConnection Open()
        {
            var connection = Make();
            connection.Open();
            return connection;
        }

        public void Dispose()
        {
            ((IDisposable)factory.PoolManager.GetPool(Make().Setting)).Dispose();
        }

        private MySqlConnection Make()
        {
            return new MySqlConnection { Factory = factory, ConnectionString = connectionString };
        }
    }

    /// <summary>ExecuteBatch and ExecuteArrayBatch.</summary>
    internal sealed class NewLifeMany : IMany
    {
        private const string Option = "ExecuteMany";
        private const string ByArrays = "ExecuteArrayBatch";
        private const string ByRows = "ExecuteBatch";

        public string[] Options
        {
            get { return new[] { Option }; }
        }

        public void Check(Target target)
        {
            if (!target.Options.TryGetValue(Option, out var method) || method == ByArrays || method == ByRows) return;
            throw new UnsupportedException("option " + Option + " is " + ByArrays + " or " + ByRows + ", not " + method);
        }

        public IOperation Operation(DbConnection connection, Work work, Target target)
        {
            target.Options.TryGetValue(Option, out var method);
            return method == ByRows ? (IOperation)new RowsOperation(connection, work) : new ArraysOperation(connection, work);
        }

        /// <summary>An array for each parameter.</summary>
        private sealed class ArraysOperation : IOperation
        {
            private readonly List<object[][]> windows;
            private readonly int count;
            private readonly MySqlCommand command;
            private int at;

            public ArraysOperation(DbConnection connection, Work work)
            {
                windows = Windows.Columns(work);
                count = work.Executions;
                command = new MySqlCommand(connection, work.Statement.Text(1));
                for (var i = 0; i < work.Statement.Parameters; i++) command.Parameters.AddWithValue("p" + i, null);
            }

            public void Run()
            {
                var columns = windows[at];
                if (++at == windows.Count) at = 0;
                for (var i = 0; i < columns.Length; i++) command.Parameters[i].Value = columns[i];
                command.ExecuteArrayBatch(count);
            }

            public void Dispose()
            {
                command.Dispose();
            }
        }

        /// <summary>A dictionary for each row.</summary>
        private sealed class RowsOperation : IOperation
        {
            private readonly List<List<IDictionary<string, object>>> windows;
            private readonly MySqlCommand command;
            private int at;

            public RowsOperation(DbConnection connection, Work work)
            {
                windows = Windows.Dictionaries(work);
                command = new MySqlCommand(connection, work.Statement.Text(1));
            }

            public void Run()
            {
                command.ExecuteBatch(windows[at]);
                if (++at == windows.Count) at = 0;
            }

            public void Dispose()
            {
                command.Dispose();
            }
        }
    }
}

using System;
using System.Collections.Generic;
using System.Data;
using System.Data.Common;

namespace Assay
{
    /// <summary>A provider of ADO.NET without a network: it writes down what it is asked.</summary>
    internal sealed class FakeFactory : DbProviderFactory
    {
        public FakeFactory(FakeServer server)
        {
            Server = server;
        }

        public FakeServer Server { get; }

        public override DbConnection CreateConnection()
        {
            return new FakeConnection(Server);
        }

        public override DbParameter CreateParameter()
        {
            return new FakeParameter();
        }

        public override DbConnectionStringBuilder CreateConnectionStringBuilder()
        {
            return new FakeStringBuilder();
        }
    }

    /// <summary>Refuses words that it does not know, as the real ones do.</summary>
    internal sealed class FakeStringBuilder : DbConnectionStringBuilder
    {
        private static readonly List<string> Known = new List<string> { "Timeout", "Compress" };

        public override object this[string keyword]
        {
            get { return base[keyword]; }
            set
            {
                if (!Known.Exists(known => string.Equals(known, keyword, StringComparison.OrdinalIgnoreCase)))
                {
                    throw new ArgumentException("Option '" + keyword + "' not supported.");
                }
                base[keyword] = value;
            }
        }
    }

    internal sealed class FakeConnection : DbConnection
    {
        private readonly FakeServer server;
        private ConnectionState state = ConnectionState.Closed;

        public FakeConnection(FakeServer server)
        {
            this.server = server;
        }

        public override string ConnectionString { get; set; }

        public override string Database
        {
            get { return ""; }
        }

        public override string DataSource
        {
            get { return ""; }
        }

        public override string ServerVersion
        {
            get { return ""; }
        }

        public override ConnectionState State
        {
            get { return state; }
        }

        public override void Open()
        {
            server.Log.Add("open " + ConnectionString);
            if (server.Door != null)
            {
                var thrown = server.Door;
                server.Door = null;
                throw thrown;
            }
            state = ConnectionState.Open;
        }

        public override void Close()
        {
            if (state == ConnectionState.Open) server.Log.Add("close");
            state = ConnectionState.Closed;
        }

        public override void ChangeDatabase(string databaseName)
        {
            throw new NotSupportedException();
        }

        protected override void Dispose(bool disposing)
        {
            Close();
            base.Dispose(disposing);
        }

        protected override DbTransaction BeginDbTransaction(IsolationLevel isolationLevel)
        {
            throw new NotSupportedException();
        }

        protected override DbCommand CreateDbCommand()
        {
            return new FakeCommand(server);
        }
    }

    internal sealed class FakeCommand : DbCommand
    {
        private readonly FakeServer server;
        private readonly FakeParameters parameters = new FakeParameters();
        private bool prepared;

        public FakeCommand(FakeServer server)
        {
            this.server = server;
        }

        public override string CommandText { get; set; }

        public override int CommandTimeout { get; set; }

        public override CommandType CommandType { get; set; }

        public override bool DesignTimeVisible { get; set; }

        public override UpdateRowSource UpdatedRowSource { get; set; }

        protected override DbConnection DbConnection { get; set; }

        protected override DbParameterCollection DbParameterCollection
        {
            get { return parameters; }
        }

        protected override DbTransaction DbTransaction { get; set; }

        private string Verb
        {
            get { return prepared ? "execute" : "text"; }
        }

        public override void Cancel() { }

        public override int ExecuteNonQuery()
        {
            server.Execute(Verb, CommandText, parameters);
            return 0;
        }

        public override object ExecuteScalar()
        {
            throw new NotSupportedException();
        }

        public override void Prepare()
        {
            server.Log.Add("prepare " + CommandText);
            prepared = true;
        }

        protected override DbParameter CreateDbParameter()
        {
            return new FakeParameter();
        }

        protected override DbDataReader ExecuteDbDataReader(CommandBehavior behavior)
        {
            return new FakeReader(server.Execute(Verb, CommandText, parameters));
        }
    }
}

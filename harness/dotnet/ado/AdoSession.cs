using System;
using System.Data.Common;

namespace Assay
{
    /// <summary>One connection. Disposing of it closes it, or gives it back to its pool.</summary>
    internal sealed class AdoSession : ISession
    {
        private readonly Provider provider;
        private readonly DbConnection connection;
        private readonly Target target;
        private DbCommand commit;

        public AdoSession(Provider provider, DbConnection connection, Target target)
        {
            this.provider = provider;
            this.connection = connection;
            this.target = target;
        }

        /// <summary>What a new connection needs.</summary>
        public void Begin()
        {
            if (provider.AfterOpen != "") Execute(provider.AfterOpen);
        }

        public IOperation Operation(string scheme, Work work)
        {
            switch (scheme)
            {
                case "SingleRow":
                    return work.Inline ? (IOperation)new InlineOperation(connection, work) : new EachOperation(connection, work, false);
                case "Prepared": return new EachOperation(connection, work, true);
                case "Batch": return Batches.Operation(provider.Factory, connection, work);
                case "ExecuteMany":
                case "Pipelined":
                    return provider.Many.Operation(connection, work, target);
                default: return new RepeatedOperation(connection, work);
            }
        }

        // Autocommit as the protocol means it: no DbTransaction, whose beginning is a statement of its own in each operation.
        public void Autocommit(bool on)
        {
            Execute("SET autocommit=" + (on ? "1" : "0"));
        }

        public void Commit()
        {
            if (commit == null)
            {
                commit = connection.CreateCommand();
                commit.CommandText = "COMMIT";
            }
            commit.ExecuteNonQuery();
        }

        public string Cipher()
        {
            using (var command = connection.CreateCommand())
            {
                command.CommandText = "SHOW SESSION STATUS LIKE 'Ssl_cipher'";
                using (var reader = command.ExecuteReader())
                {
                    var cipher = reader.Read() ? Convert.ToString(reader.GetValue(1)) : "";
                    while (reader.Read()) { }
                    return cipher;
                }
            }
        }

        public void Dispose()
        {
            commit?.Dispose();
            connection.Dispose();
        }

        private void Execute(string statement)
        {
            using (var command = connection.CreateCommand())
            {
                command.CommandText = statement;
                command.ExecuteNonQuery();
            }
        }
    }
}

using System.Data.Common;

namespace Assay
{
    /// <summary>DbBatch, which .NET has since version 6.</summary>
    internal static class Batches
    {
        public static bool Can(DbProviderFactory factory)
        {
            return factory.CanCreateBatch;
        }

        public static IOperation Operation(DbProviderFactory factory, DbConnection connection, Work work)
        {
            return new BatchOperation(factory, connection, work);
        }
    }

    /// <summary>All rows of an operation in one batch: a command with its parameters for each.</summary>
    internal sealed class BatchOperation : IOperation
    {
        private readonly DbProviderFactory factory;
        private readonly DbConnection connection;
        private readonly Work work;
        private readonly string text;

        public BatchOperation(DbProviderFactory factory, DbConnection connection, Work work)
        {
            this.factory = factory;
            this.connection = connection;
            this.work = work;
            text = work.Statement.Text(1);
        }

        public void Run()
        {
            using (var batch = connection.CreateBatch())
            {
                for (var i = work.Executions; i > 0; i--) batch.BatchCommands.Add(CommandFor(batch, work.Next()));
                batch.ExecuteNonQuery();
            }
        }

        public void Dispose() { }

        private DbBatchCommand CommandFor(DbBatch batch, object[] row)
        {
            var command = batch.CreateBatchCommand();
            command.CommandText = text;
            for (var i = 0; i < row.Length; i++)
            {
                var parameter = factory.CreateParameter();
                parameter.ParameterName = "@p" + i;
                parameter.Value = row[i];
                command.Parameters.Add(parameter);
            }
            return command;
        }
    }
}

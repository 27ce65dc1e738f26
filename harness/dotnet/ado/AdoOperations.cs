using System;
using System.Collections.Generic;
using System.Data.Common;

namespace Assay
{
    /// <summary>What the schemes on commands have in common.</summary>
    internal abstract class AdoOperation : IOperation
    {
        private readonly List<DbParameter> made = new List<DbParameter>();

        protected AdoOperation(DbConnection connection, Work work)
        {
            Connection = connection;
            Work = work;
            Command = connection.CreateCommand();
        }

        protected DbConnection Connection { get; }

        protected Work Work { get; }

        protected DbCommand Command { get; }

        public abstract void Run();

        public void Dispose()
        {
            Command.Dispose();
        }

        /// <summary>Gives the command so many parameters; those that were made stay for the next time.</summary>
        protected void Resize(int count)
        {
            if (Command.Parameters.Count == count) return;
            while (made.Count < count)
            {
                var parameter = Command.CreateParameter();
                parameter.ParameterName = "@p" + made.Count;
                made.Add(parameter);
            }
            Command.Parameters.Clear();
            for (var i = 0; i < count; i++) Command.Parameters.Add(made[i]);
        }

        protected void Set(int first, object[] row)
        {
            for (var i = 0; i < row.Length; i++) made[first + i].Value = row[i];
        }

        /// <summary>One execution, up to the end of its answers.</summary>
        protected void Execute()
        {
            if (!Work.Query)
            {
                Command.ExecuteNonQuery();
                return;
            }
            using (var reader = Command.ExecuteReader()) Rows.Fetch(reader, Work);
        }
    }

    internal static class Rows
    {
        public static void Fetch(DbDataReader reader, Work work)
        {
            do
            {
                while (reader.Read())
                {
                    var row = new object[reader.FieldCount];
                    reader.GetValues(row);
                    work.Take(row);
                }
            }
            while (reader.NextResult());
        }
    }

    /// <summary>SingleRow and Prepared: one command, executed for each row with its values.</summary>
    internal sealed class EachOperation : AdoOperation
    {
        public EachOperation(DbConnection connection, Work work, bool prepare) : base(connection, work)
        {
            Command.CommandText = work.Statement.Text(1);
            Resize(work.Statement.Parameters);
            if (!prepare) return;
            if (work.Rows.Count > 0) Set(0, work.Rows[0]); // a provider may look at the types
            Command.Prepare();
        }

        public override void Run()
        {
            for (var i = Work.Executions; i > 0; i--)
            {
                Set(0, Work.Next());
                Execute();
            }
        }
    }

    /// <summary>A number in the text: each text is another, with a command of its own.</summary>
    internal sealed class InlineOperation : IOperation
    {
        private readonly DbConnection connection;
        private readonly Work work;

        public InlineOperation(DbConnection connection, Work work)
        {
            this.connection = connection;
            this.work = work;
        }

        public void Run()
        {
            for (var i = work.Executions; i > 0; i--)
            {
                using (var one = new Inlined(connection, work)) one.Run();
            }
        }

        public void Dispose() { }

        private sealed class Inlined : AdoOperation
        {
            public Inlined(DbConnection connection, Work work) : base(connection, work)
            {
                var row = work.Next();
                var rest = new object[row.Length - 1];
                Array.Copy(row, 1, rest, 0, rest.Length);
                Command.CommandText = work.Inlined((long)row[0]);
                Resize(rest.Length);
                Set(0, rest);
            }

            public override void Run()
            {
                Execute();
            }
        }
    }

    /// <summary>MultiRow, InList and MultiStatement: the rows of a chunk in one text with many parameters.</summary>
    internal sealed class RepeatedOperation : AdoOperation
    {
        public RepeatedOperation(DbConnection connection, Work work) : base(connection, work) { }

        public override void Run()
        {
            var repeated = Work.Repeated;
            for (var left = Work.Executions; left > 0; left -= Work.Chunk)
            {
                var count = Math.Min(left, Work.Chunk);
                Command.CommandText = repeated.Text(count);
                Resize(count * repeated.Parameters);
                for (var i = 0; i < count; i++) Set(i * repeated.Parameters, Work.Next());
                Command.ExecuteNonQuery();
            }
        }
    }
}

using System.Data.Common;

namespace Assay
{
    /// <summary>The pool behind a DbDataSource, which .NET has since version 7.</summary>
    internal static class Doors
    {
        public static IDoor Pooled(Provider provider, string connectionString)
        {
            return new DataSourceDoor(provider, provider.Factory.CreateDataSource(connectionString));
        }
    }

    internal sealed class DataSourceDoor : IDoor
    {
        private readonly Provider provider;
        private readonly DbDataSource source;

        public DataSourceDoor(Provider provider, DbDataSource source)
        {
            this.provider = provider;
            this.source = source;
        }

        public DbConnection Open()
        {
            return source.OpenConnection();
        }

        public void Dispose()
        {
            if (provider.ClearPool != null)
            {
                using (var connection = source.CreateConnection()) provider.ClearPool(connection);
            }
            source.Dispose();
        }
    }
}

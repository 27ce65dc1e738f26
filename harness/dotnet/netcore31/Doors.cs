using System.Data.Common;

namespace Assay
{
    /// <summary>.NET Core 3.1 has no DbDataSource: connections of one connection string share a pool.</summary>
    internal static class Doors
    {
        public static IDoor Pooled(Provider provider, string connectionString)
        {
            return new FactoryDoor(provider, connectionString);
        }
    }

    internal sealed class FactoryDoor : IDoor
    {
        private readonly Provider provider;
        private readonly string connectionString;

        public FactoryDoor(Provider provider, string connectionString)
        {
            this.provider = provider;
            this.connectionString = connectionString;
        }

        public DbConnection Open()
        {
            var connection = provider.Factory.CreateConnection();
            connection.ConnectionString = connectionString;
            connection.Open();
            return connection;
        }

        public void Dispose()
        {
            if (provider.ClearPool == null) return;
            using (var connection = provider.Factory.CreateConnection())
            {
                connection.ConnectionString = connectionString;
                provider.ClearPool(connection);
            }
        }
    }
}

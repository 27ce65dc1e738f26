using System.Data.Common;

namespace Assay
{
    /// <summary>.NET Core 3.1 has no DbBatch, so no provider has the scheme there.</summary>
    internal static class Batches
    {
        public static bool Can(DbProviderFactory factory)
        {
            return false;
        }

        public static IOperation Operation(DbProviderFactory factory, DbConnection connection, Work work)
        {
            throw new UnsupportedException("DbBatch needs .NET 6 or newer");
        }
    }
}

using System.Collections.Generic;
using MySqlConnector;

namespace Assay
{
    /// <summary>
    /// MySqlConnector. Its option Pipelining is about the statements that it sends itself when a connection is made or comes
    /// from the pool; commands of a user wait for each other, so it has no scheme Pipelined.
    /// </summary>
    internal static class MySqlConnectorProvider
    {
        public static Provider Row()
        {
            return new Provider
            {
                Name = "MySqlConnector",
                Version = Catalogue.VersionOf(typeof(MySqlConnection).Assembly),
                Factory = MySqlConnectorFactory.Instance,
                // Its versions before 1.0 ignored Prepare() and said nothing; the default of today is written out.
                Always = new Dictionary<string, string> { { "IgnorePrepare", "false" } },
                Plain = new Dictionary<string, string> { { "SslMode", "None" }, { "AllowPublicKeyRetrieval", "true" } },
                Encrypted = authority => new Dictionary<string, string> { { "SslMode", "VerifyFull" }, { "SslCa", authority } },
                Unpooled = new Dictionary<string, string> { { "Pooling", "false" } },
                Pooled = new Dictionary<string, string> { { "Pooling", "true" }, { "MinimumPoolSize", "1" }, { "MaximumPoolSize", "1" } },
                Schemes = new Dictionary<string, string>
                {
                    { "SingleRow", "one command with parameters, which the driver writes into the text: COM_QUERY" },
                    { "Prepared", "Prepare() once, executed for each row: COM_STMT_EXECUTE" },
                    { "MultiRow", "one command with the parameters of a chunk of rows: COM_QUERY" },
                    { "MultiStatement", "one command with the statements of a chunk: one COM_QUERY" },
                    { "InList", "one command with the keys of a chunk: COM_QUERY" },
                    { "Batch", "DbBatch with a command for each row" },
                },
            };
        }
    }
}

using System;
using System.Collections.Generic;
using MySql.Data.MySqlClient;

namespace Assay
{
    /// <summary>
    /// MySql.Data, that is Connector/NET. VerifyFull demands a certificate of the client; with VerifyCA the authority is
    /// verified, the name is not. When it logs in, it reads the number of every collation; MariaDB has had some without one since
    /// 10.10.
    /// </summary>
    internal static class MySqlDataProvider
    {
        public static Provider Row()
        {
            return new Provider
            {
                Name = "MySql.Data",
                Version = Catalogue.VersionOf(typeof(MySqlConnection).Assembly),
                Factory = MySqlClientFactory.Instance,
                Always = new Dictionary<string, string> { { "Character Set", "utf8mb4" }, { "Allow Batch", "true" } },
                Plain = new Dictionary<string, string> { { "SslMode", "Disabled" }, { "AllowPublicKeyRetrieval", "true" } },
                Encrypted = authority => new Dictionary<string, string> { { "SslMode", "VerifyCA" }, { "SslCa", authority } },
                Unpooled = new Dictionary<string, string> { { "Pooling", "false" } },
                Pooled = new Dictionary<string, string> { { "Pooling", "true" }, { "Minimum Pool Size", "1" }, { "Maximum Pool Size", "1" } },
                Refusal = error => error is InvalidCastException && error.Message.Contains("DBNull")
                    ? "MySql.Data cannot log in to MariaDB 10.10 and later, which has collations without a number (its bug 109331)"
                    : null,
                ClearPool = connection => MySqlConnection.ClearPool((MySqlConnection)connection),
                Schemes = new Dictionary<string, string>
                {
                    { "SingleRow", "one command with parameters, which the driver writes into the text: COM_QUERY" },
                    { "Prepared", "Prepare() once, executed for each row: COM_STMT_EXECUTE" },
                    { "MultiRow", "one command with the parameters of a chunk of rows: COM_QUERY" },
                    { "MultiStatement", "one command with the statements of a chunk: one COM_QUERY" },
                    { "InList", "one command with the keys of a chunk: COM_QUERY" },
                    { "Batch", "DbBatch with a command for each row" }, // only where its factory says that it has one
                },
            };
        }
    }
}

using System;
using System.Collections.Generic;
using System.Data.Common;

namespace Assay
{
    /// <summary>One provider of ADO.NET: all that the harness has to know about it. A new driver is a row like this.</summary>
    public sealed class Provider
    {
        public string Name { get; set; }

        public string Version { get; set; }

        public DbProviderFactory Factory { get; set; }

        /// <summary>How each scheme is done.</summary>
        public Dictionary<string, string> Schemes { get; set; }

        /// <summary>Words of the connection string that every connection has.</summary>
        public Dictionary<string, string> Always { get; set; } = new Dictionary<string, string>();

        /// <summary>Words for a connection that is not encrypted.</summary>
        public Dictionary<string, string> Plain { get; set; } = new Dictionary<string, string>();

        /// <summary>
        /// Words for one that is encrypted and verifies the server's certificate with the authority's file; null where the
        /// driver cannot.
        /// </summary>
        public Func<string, Dictionary<string, string>> Encrypted { get; set; }

        /// <summary>Words for a connection outside of the pool.</summary>
        public Dictionary<string, string> Unpooled { get; set; } = new Dictionary<string, string>();

        /// <summary>Words for a pool of one connection.</summary>
        public Dictionary<string, string> Pooled { get; set; } = new Dictionary<string, string>();

        /// <summary>Words that a scheme asks for; other schemes do without them.</summary>
        public Dictionary<string, Dictionary<string, string>> Demands { get; set; } = new Dictionary<string, Dictionary<string, string>>();

        /// <summary>The options that a request may have; null where the driver itself refuses unknown ones.</summary>
        public string[] Options { get; set; }

        /// <summary>A statement that a new connection needs before it is as the protocol wants it, or nothing.</summary>
        public string AfterOpen { get; set; } = "";

        /// <summary>
        /// Why the driver cannot work with a server, from what it throws when it logs in; null for any other failure.
        /// </summary>
        public Func<Exception, string> Refusal { get; set; } = error => null;

        /// <summary>Makes a connection that does not come from a pool.</summary>
        public Func<DbConnection> Connection { get; set; }

        /// <summary>Makes the driver's own pool from a connection string; null where a DbDataSource does.</summary>
        public Func<string, IDoor> Pool { get; set; }

        /// <summary>Empties the pool of a connection; null where disposing of its source does.</summary>
        public Action<DbConnection> ClearPool { get; set; }

        /// <summary>The driver's own call for many rows; null where it has none.</summary>
        public IMany Many { get; set; }

        public DbConnection NewConnection()
        {
            return Connection != null ? Connection() : Factory.CreateConnection();
        }
    }

    /// <summary>Where connections come from.</summary>
    public interface IDoor : IDisposable
    {
        DbConnection Open();
    }

    /// <summary>A driver's own call that takes all rows of an operation.</summary>
    public interface IMany
    {
        /// <summary>Options that it reads from a request, and that are no words of the connection string.</summary>
        string[] Options { get; }

        /// <summary>Throws what is unsupported about them.</summary>
        void Check(Target target);

        IOperation Operation(DbConnection connection, Work work, Target target);
    }
}

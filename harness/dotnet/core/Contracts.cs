using System;
using System.Collections.Generic;

namespace Assay
{
    /// <summary>Where a connection goes, and how.</summary>
    public sealed class Target
    {
        public string Host { get; set; } = "";

        public int Port { get; set; } = 3306;

        public string Database { get; set; } = "";

        /// <summary>Encrypted, with the server's certificate verified.</summary>
        public bool Tls { get; set; }

        /// <summary>Of the driver's connection, by the driver's own names.</summary>
        public Dictionary<string, string> Options { get; set; } = new Dictionary<string, string>();

        public string User { get; set; } = "";

        public string Password { get; set; } = "";

        /// <summary>Path of the file with the certificate authority.</summary>
        public string Authority { get; set; } = "";
    }

    public interface IDriver
    {
        string Name { get; }

        string Version { get; }

        /// <summary>How each scheme is done that the driver can do; Pool and Encode are others.</summary>
        IReadOnlyDictionary<string, string> Can { get; }

        /// <summary>Throws what is unsupported about a target before anything is opened.</summary>
        void Check(Target target);

        /// <summary>Opens a connection that is fit for a scheme; an empty one is fit for those that ask for nothing.</summary>
        ISession Open(Target target, string scheme);

        /// <summary>Makes the driver's own pool of one connection.</summary>
        IPool Pool(Target target, string scheme);

        /// <summary>What a scheme asks of the connection: those with the same word share one.</summary>
        string Demand(string scheme);
    }

    public interface ISession : IDisposable
    {
        /// <summary>Makes what executes the rows of one operation. What a scheme prepares, this prepares.</summary>
        IOperation Operation(string scheme, Work work);

        void Autocommit(bool on);

        void Commit();

        /// <summary>What the connection is encrypted with, or nothing.</summary>
        string Cipher();
    }

    /// <summary>One operation, again and again. Disposing gives back what it prepared.</summary>
    public interface IOperation : IDisposable
    {
        void Run();
    }

    public interface IPool : IDisposable
    {
        /// <summary>Acquires the connection; disposing of the session gives it back.</summary>
        ISession Acquire();
    }
}

using System;
using System.Collections.Generic;
using System.Data.Common;

namespace Assay
{
    /// <summary>Every provider of ADO.NET as a driver of the harness.</summary>
    public sealed class AdoDriver : IDriver
    {
        private readonly Provider provider;

        public AdoDriver(Provider provider)
        {
            this.provider = provider;
            var can = new Dictionary<string, string> { { "Pool", "its own pool, of one connection" } };
            foreach (var scheme in provider.Schemes)
            {
                if (scheme.Key != "Batch" || Batches.Can(provider.Factory)) can.Add(scheme.Key, scheme.Value);
            }
            Can = can;
        }

        public string Name
        {
            get { return provider.Name; }
        }

        public string Version
        {
            get { return provider.Version; }
        }

        public IReadOnlyDictionary<string, string> Can { get; }

        public void Check(Target target)
        {
            if (target.Tls && provider.Encrypted == null)
            {
                throw new UnsupportedException(provider.Name + " accepts any certificate, so it cannot verify the server's");
            }
            ConnectionString.Check(provider, target);
            provider.Many?.Check(target);
        }

        public ISession Open(Target target, string scheme)
        {
            var connection = provider.NewConnection();
            try
            {
                connection.ConnectionString = ConnectionString.Of(provider, target, scheme, false);
                connection.Open();
                var session = new AdoSession(provider, connection, target);
                session.Begin();
                return session;
            }
            catch (Exception error)
            {
                connection.Dispose();
                var reason = provider.Refusal(error);
                if (reason != null) throw new UnsupportedException(reason);
                throw;
            }
        }

        public IPool Pool(Target target, string scheme)
        {
            var text = ConnectionString.Of(provider, target, scheme, true);
            var pool = new AdoPool(provider, provider.Pool != null ? provider.Pool(text) : Doors.Pooled(provider, text), target);
            pool.Fill();
            return pool;
        }

        public string Demand(string scheme)
        {
            return provider.Demands.ContainsKey(scheme) ? scheme : "";
        }
    }

    internal sealed class AdoPool : IPool
    {
        private readonly Provider provider;
        private readonly IDoor door;
        private readonly Target target;

        public AdoPool(Provider provider, IDoor door, Target target)
        {
            this.provider = provider;
            this.door = door;
            this.target = target;
        }

        /// <summary>Makes the one connection, and as the protocol wants it.</summary>
        public void Fill()
        {
            using (var session = new AdoSession(provider, door.Open(), target)) session.Begin();
        }

        public ISession Acquire()
        {
            return new AdoSession(provider, door.Open(), target);
        }

        public void Dispose()
        {
            door.Dispose();
        }
    }
}

using System;
using System.Collections.Generic;

namespace Assay
{
    /// <summary>
    /// A connection of prepare: opened at once, and again by the next run after one that failed, or for a scheme that asks
    /// something else of it. At most one is open, and one in each pool.
    /// </summary>
    public sealed class Connection
    {
        private readonly Dictionary<string, IPool> pools = new Dictionary<string, IPool>();
        private ISession session;
        private string demand = "";

        public Connection(IDriver driver, Target target)
        {
            Driver = driver;
            Target = target;
        }

        public IDriver Driver { get; }

        public Target Target { get; }

        /// <summary>The session that stays, with autocommit on.</summary>
        public ISession Session(string scheme)
        {
            var asked = Driver.Demand(scheme);
            if (session != null && asked != demand) Drop();
            if (session == null)
            {
                var opened = Driver.Open(Target, scheme);
                opened.Autocommit(true);
                session = opened;
                demand = asked;
            }
            return session;
        }

        public IPool Pool(string scheme)
        {
            var asked = Driver.Demand(scheme);
            if (!pools.TryGetValue(asked, out var pool))
            {
                pool = Driver.Pool(Target, scheme);
                pools.Add(asked, pool);
            }
            return pool;
        }

        /// <summary>
        /// After an error nobody knows what state the connection is in: it is closed, which also rolls back. So are pools.
        /// </summary>
        public void Drop()
        {
            var closing = session;
            session = null;
            Close(closing);
            foreach (var pool in pools.Values) Close(pool);
            pools.Clear();
        }

        private static void Close(IDisposable open)
        {
            try
            {
                open?.Dispose();
            }
            catch (Exception error)
            {
                Console.Error.WriteLine("harness: closing a connection: " + error.Message);
            }
        }
    }
}

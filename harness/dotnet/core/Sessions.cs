namespace Assay
{
    /// <summary>An operation that ends with a commit.</summary>
    internal sealed class Committing : IOperation
    {
        private readonly IOperation operation;
        private readonly ISession session;

        public Committing(IOperation operation, ISession session)
        {
            this.operation = operation;
            this.session = session;
        }

        public void Run()
        {
            operation.Run();
            session.Commit();
        }

        public void Dispose() { }
    }

    /// <summary>A connection is made and closed.</summary>
    internal sealed class Connecting : IOperation
    {
        private readonly IDriver driver;
        private readonly Target target;

        public Connecting(IDriver driver, Target target)
        {
            this.driver = driver;
            this.target = target;
        }

        public void Run()
        {
            driver.Open(target, "").Dispose();
        }

        public void Dispose() { }
    }

    /// <summary>Each operation on a connection of its own. What the scheme prepares is prepared in it.</summary>
    internal sealed class Anew : IOperation
    {
        private readonly IDriver driver;
        private readonly Target target;
        private readonly string scheme;
        private readonly bool one;
        private readonly Work work;

        public Anew(IDriver driver, Target target, string scheme, bool one, Work work)
        {
            this.driver = driver;
            this.target = target;
            this.scheme = scheme;
            this.one = one;
            this.work = work;
        }

        public void Run()
        {
            using (var session = driver.Open(target, scheme)) OnSession.Run(session, scheme, one, work);
        }

        public void Dispose() { }
    }

    /// <summary>Each operation on the connection of a pool: acquired, and given back.</summary>
    internal sealed class Acquiring : IOperation
    {
        private readonly IPool pool;
        private readonly string scheme;
        private readonly bool one;
        private readonly Work work;

        public Acquiring(IPool pool, string scheme, bool one, Work work)
        {
            this.pool = pool;
            this.scheme = scheme;
            this.one = one;
            this.work = work;
        }

        public void Run()
        {
            using (var session = pool.Acquire()) OnSession.Run(session, scheme, one, work);
        }

        public void Dispose() { }
    }

    internal static class OnSession
    {
        /// <summary>
        /// One operation on a session that was just made or acquired. Whether its connection still has autocommit off from
        /// the operation before is the pool's secret, so it is switched each time.
        /// </summary>
        public static void Run(ISession session, string scheme, bool one, Work work)
        {
            if (one) session.Autocommit(false);
            using (var operation = session.Operation(scheme, work)) operation.Run();
            if (one) session.Commit();
        }
    }
}

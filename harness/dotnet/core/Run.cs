namespace Assay
{
    /// <summary>A request run: what it repeats, and how often.</summary>
    public sealed class Run
    {
        private readonly Request request;
        private readonly Connection connection;
        private readonly string scheme;
        private readonly bool commit;

        public Run(Request request, Connection connection, Work work)
        {
            this.request = request;
            this.connection = connection;
            Work = work;
            scheme = request.Text("scheme");
            commit = request.Switch("commit");
        }

        public Work Work { get; }

        public Measurement Execute()
        {
            if (request.Text("kind") == "Connect") return Measure(new Connecting(connection.Driver, connection.Target));
            switch (request.Text("session"))
            {
                case "New": return Measure(new Anew(connection.Driver, connection.Target, scheme, commit, Work));
                case "Pool": return Pooled();
                default: return Dedicated(); // also what null does for Encode, which the others cannot do
            }
        }

        private Measurement Dedicated()
        {
            var kept = connection.Session(scheme);
            using (var operation = kept.Operation(scheme, Work))
            {
                if (!commit) return Measure(operation);
                kept.Autocommit(false);
                var measured = Measure(new Committing(operation, kept));
                kept.Autocommit(true);
                return measured;
            }
        }

        private Measurement Pooled()
        {
            var pool = connection.Pool(scheme);
            pool.Acquire().Dispose(); // fills it
            var measured = Measure(new Acquiring(pool, scheme, commit, Work));
            if (commit)
            {
                using (var last = pool.Acquire()) last.Autocommit(true);
            }
            return measured;
        }

        private Measurement Measure(IOperation operation)
        {
            var measurement = new Measurement();
            measurement.Repeat(operation, Work, request.Integer("operations"), request.Number("seconds"));
            return measurement;
        }
    }
}

using System;
using System.Collections.Generic;

namespace Assay
{
    /// <summary>Does everything but call a driver, and so measures the harness.</summary>
    public sealed class NullDriver : IDriver
    {
        private static readonly string[] All =
        {
            "SingleRow", "Prepared", "ExecuteMany", "Pipelined", "MultiRow", "MultiStatement", "InList", "Batch", "Pool", "Encode",
        };

        public NullDriver()
        {
            var can = new Dictionary<string, string>();
            foreach (var what in All) can.Add(what, "nothing is sent; texts are built where the scheme builds them");
            Can = can;
        }

        public string Name
        {
            get { return "null"; }
        }

        public string Version
        {
            get { return "1"; }
        }

        public IReadOnlyDictionary<string, string> Can { get; }

        public void Check(Target target) { }

        public ISession Open(Target target, string scheme)
        {
            return new NullSession();
        }

        public IPool Pool(Target target, string scheme)
        {
            return new NullPool();
        }

        public string Demand(string scheme)
        {
            return "";
        }
    }

    internal sealed class NullPool : IPool
    {
        private readonly NullSession session = new NullSession();

        public ISession Acquire()
        {
            return session;
        }

        public void Dispose() { }
    }

    internal sealed class NullSession : ISession
    {
        public IOperation Operation(string scheme, Work work)
        {
            switch (scheme)
            {
                case "MultiRow":
                case "InList":
                case "MultiStatement":
                    return new NullRepeated(work);
                default: return new NullEach(work);
            }
        }

        public void Autocommit(bool on) { }

        public void Commit() { }

        public string Cipher()
        {
            return "";
        }

        public void Dispose() { }
    }

    internal sealed class NullEach : IOperation
    {
        private readonly Work work;

        public NullEach(Work work)
        {
            this.work = work;
        }

        public void Run()
        {
            for (var i = work.Executions; i > 0; i--)
            {
                var row = work.Next();
                if (work.Inline) work.Inlined((long)row[0]);
            }
        }

        public void Dispose() { }
    }

    internal sealed class NullRepeated : IOperation
    {
        private readonly Work work;
        private readonly List<object> flat = new List<object>();

        public NullRepeated(Work work)
        {
            this.work = work;
        }

        public void Run()
        {
            for (var left = work.Executions; left > 0; left -= work.Chunk)
            {
                var count = Math.Min(left, work.Chunk);
                work.Repeated.Text(count);
                flat.Clear();
                for (var i = 0; i < count; i++) flat.AddRange(work.Next());
            }
        }

        public void Dispose() { }
    }
}

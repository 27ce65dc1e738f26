using System;
using System.Collections.Generic;

namespace Assay
{
    /// <summary>Does everything but call a driver, and so measures the harness.</summary>
    public sealed class NullDriver : IDriver
    {
        public static readonly string[] All =
        {
            "SingleRow", "Prepared", "ExecuteMany", "Pipelined", "MultiRow", "MultiStatement", "InList", "Batch",
        };

        public NullDriver()
        {
            var schemes = new Dictionary<string, string>();
            foreach (var scheme in All) schemes.Add(scheme, "nothing is sent; texts are built where the scheme builds them");
            Schemes = schemes;
        }

        public string Name
        {
            get { return "null"; }
        }

        public string Version
        {
            get { return "1"; }
        }

        public IReadOnlyDictionary<string, string> Schemes { get; }

        public void Check(Target target)
        {
            if (target.Options.Count == 0) return;
            throw new UnsupportedException("the driver null has no options; the request has " + string.Join(", ", target.Options.Keys));
        }

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

        public bool CannotLogIn(Exception error)
        {
            return false;
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
                case "MultiRow": return new NullRepeated(work, work.Template.MultiRow());
                case "InList": return new NullRepeated(work, work.Template.InList());
                case "MultiStatement": return new NullRepeated(work, work.Template.Joined());
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
                if (work.Inline) work.Template.Inlined((long)row[0]);
            }
        }

        public void Dispose() { }
    }

    internal sealed class NullRepeated : IOperation
    {
        private readonly Work work;
        private readonly Repeated repeated;
        private readonly List<object> flat = new List<object>();

        public NullRepeated(Work work, Repeated repeated)
        {
            this.work = work;
            this.repeated = repeated;
        }

        public void Run()
        {
            for (var left = work.Executions; left > 0; left -= work.Chunk)
            {
                var count = Math.Min(left, work.Chunk);
                repeated.Text(count);
                flat.Clear();
                for (var i = 0; i < count; i++) flat.AddRange(work.Next());
            }
        }

        public void Dispose() { }
    }
}

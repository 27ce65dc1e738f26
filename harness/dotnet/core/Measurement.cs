using System;
using System.Collections.Generic;

namespace Assay
{
    /// <summary>Repeats an operation, and times each.</summary>
    public sealed class Measurement
    {
        private readonly Histogram histogram = new Histogram();

        public long Operations { get; private set; }

        public long Nanoseconds { get; private set; }

        /// <summary>CPU time of the process; null where it has too few steps to be a measurement.</summary>
        public long? CpuNanoseconds { get; private set; }

        /// <summary>How long the collection of garbage took that was forced before the first operation.</summary>
        public long CollectionBefore { get; private set; }

        public long Collections { get; private set; }

        /// <summary>How long collections stopped the program; null where the runtime does not tell.</summary>
        public long? CollectionNanoseconds { get; private set; }

        public List<KeyValuePair<long, long>> Buckets()
        {
            return histogram.Buckets();
        }

        /// <summary>Bytes that were allocated on the heap during the operations.</summary>
        public long Allocated { get; private set; }

        /// <summary>Either operations or seconds is greater than 0.</summary>
        public void Repeat(IOperation operation, Work work, long operations, double seconds)
        {
            CollectGarbage();
            var collections = GC.CollectionCount(0); // the older generations are counted in it
            var paused = Pauses.Nanoseconds();
            var limit = (long)(seconds * 1e9);
            var allocated = GC.GetTotalAllocatedBytes(true);
            var used = CpuTime.Nanoseconds();
            var first = Clock.Now();
            long last;
            long done = 0;
            do
            {
                var start = Clock.Now();
                work.BeginOperation();
                operation.Run();
                last = Clock.Now();
                histogram.Record(last - start);
                done++;
            }
            while (operations > 0 ? done < operations : last - first < limit);

            used = CpuTime.Nanoseconds() - used;
            Allocated = GC.GetTotalAllocatedBytes(true) - allocated;
            // Of a clock of long steps the length of the run decides: of values near a bound only those above it would be left.
            var least = CpuTime.Step > 1000 ? last - first : used;
            CpuNanoseconds = used > 0 && least >= 10 * CpuTime.Step ? used : (long?)null;
            Operations = done;
            Nanoseconds = Math.Max(1, last - first);
            Collections = GC.CollectionCount(0) - collections;
            CollectionNanoseconds = Pauses.Nanoseconds() - paused;
        }

        private void CollectGarbage()
        {
            var before = Clock.Now();
            GC.Collect();
            GC.WaitForPendingFinalizers();
            GC.Collect();
            CollectionBefore = Clock.Now() - before;
        }
    }
}

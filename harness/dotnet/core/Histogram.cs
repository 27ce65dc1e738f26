using System.Collections.Generic;

namespace Assay
{
    /// <summary>
    /// Counts durations in the buckets of HdrHistogram with three significant digits: a value below 2048 ns is a bucket
    /// of its own, of a greater one the 11 leading bits stay. All counters are there from the beginning, so that
    /// recording allocates nothing.
    /// </summary>
    public sealed class Histogram
    {
        private const int Shifts = 52; // of the greatest long

        private readonly long[] counts = new long[(Shifts + 2) * 1024];

        public void Record(long nanoseconds)
        {
            counts[IndexOf(nanoseconds)]++;
        }

        /// <summary>Index and count of each bucket that is not empty.</summary>
        public List<KeyValuePair<long, long>> Buckets()
        {
            var found = new List<KeyValuePair<long, long>>();
            for (var i = 0; i < counts.Length; i++)
            {
                if (counts[i] > 0) found.Add(new KeyValuePair<long, long>(i, counts[i]));
            }
            return found;
        }

        private static int IndexOf(long value)
        {
            if (value < 2048) return (int)value;
            var shift = BitLength(value) - 11;
            return (shift << 10) + (int)(value >> shift);
        }

        private static int BitLength(long value)
        {
            return 64 - System.Numerics.BitOperations.LeadingZeroCount((ulong)value);
        }
    }
}

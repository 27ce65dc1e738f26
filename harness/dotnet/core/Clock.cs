using System.Diagnostics;

namespace Assay
{
    /// <summary>The monotonic clock in nanoseconds.</summary>
    public static class Clock
    {
        public const string Name = "Stopwatch.GetTimestamp";

        private static readonly bool Direct = Stopwatch.Frequency == 1000000000; // as on Linux
        private static readonly double Factor = 1e9 / Stopwatch.Frequency;

        public static long Now()
        {
            var ticks = Stopwatch.GetTimestamp();
            return Direct ? ticks : (long)(ticks * Factor);
        }
    }
}

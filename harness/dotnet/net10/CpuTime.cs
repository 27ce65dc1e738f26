using System;

namespace Assay
{
    /// <summary>The CPU time of the process: of all its threads, those of the collector and of the compilers too.</summary>
    internal static class CpuTime
    {
        /// <summary>The step in which it is reported, in ns: .NET asks the kernel by getrusage.</summary>
        public const long Step = 1000;

        public static long Nanoseconds()
        {
            return Environment.CpuUsage.TotalTime.Ticks * 100;
        }
    }
}

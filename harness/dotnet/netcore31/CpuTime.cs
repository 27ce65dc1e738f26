using System.Diagnostics;

namespace Assay
{
    /// <summary>The CPU time of the process: of all its threads, those of the collector and of the compilers too.</summary>
    internal static class CpuTime
    {
        /// <summary>The step in which it is reported, in ns: .NET Core 3.1 reads /proc, which counts in 10 ms.</summary>
        public const long Step = 10000000;

        public static long Nanoseconds()
        {
            using (var process = Process.GetCurrentProcess()) return process.TotalProcessorTime.Ticks * 100;
        }
    }
}

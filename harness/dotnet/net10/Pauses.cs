using System;

namespace Assay
{
    /// <summary>How long collections of garbage have stopped the program since it began.</summary>
    internal static class Pauses
    {
        public static long? Nanoseconds()
        {
            return (long)(GC.GetTotalPauseDuration().TotalMilliseconds * 1e6);
        }
    }
}

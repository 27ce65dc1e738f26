namespace Assay
{
    /// <summary>.NET Core 3.1 does not tell how long collections of garbage stop the program.</summary>
    internal static class Pauses
    {
        public static long? Nanoseconds()
        {
            return null;
        }
    }
}

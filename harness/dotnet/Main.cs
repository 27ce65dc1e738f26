using System;

namespace Assay
{
    /// <summary>
    /// The harness of the drivers of .NET: it answers the requests of docs/contributing/driver-protocol.md, which come in JSON lines on
    /// standard input, and measures what drivers do with them. One request at a time, until the input ends.
    /// </summary>
    internal static class Program
    {
        private static void Main()
        {
            new Conversation(Catalogue.Drivers()).Serve(Console.OpenStandardInput(), Console.OpenStandardOutput());
        }
    }
}

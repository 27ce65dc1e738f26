using System;

namespace Assay
{
    /// <summary>The driver cannot do it. Everything else that is thrown is a failure.</summary>
    public sealed class UnsupportedException : Exception
    {
        public UnsupportedException(string message) : base(message) { }
    }
}

using System;

namespace Assay
{
    /// <summary>The driver, or this harness, cannot do it. Everything else that is thrown is a failure.</summary>
    public sealed class UnsupportedException : Exception
    {
        public UnsupportedException(string reason) : base(reason) { }
    }

    /// <summary>The request cannot be carried out as it is: something in it is missing or contradicts something else.</summary>
    public sealed class MalformedException : Exception
    {
        public MalformedException(string reason) : base(reason) { }
    }
}

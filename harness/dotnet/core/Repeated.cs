using System.Text;

namespace Assay
{
    /// <summary>
    /// A text of which one group stands there several times, with other parameters each time. It is taken apart once, so that
    /// an operation only puts texts together. ADO.NET names parameters: the first one is @p0.
    /// </summary>
    public sealed class Repeated
    {
        private readonly string head;
        private readonly string[] parts;
        private readonly string separator;
        private readonly string tail;
        private readonly StringBuilder buffer = new StringBuilder();

        public Repeated(string head, string group, string separator, string tail)
        {
            this.head = head;
            this.separator = separator;
            this.tail = tail;
            parts = group.Split('?');
        }

        /// <summary>How many parameters the group has.</summary>
        public int Parameters
        {
            get { return parts.Length - 1; }
        }

        public string Text(int times)
        {
            var number = 0;
            buffer.Clear().Append(head);
            for (var i = 0; i < times; i++)
            {
                if (i > 0) buffer.Append(separator);
                buffer.Append(parts[0]);
                for (var k = 1; k < parts.Length; k++) buffer.Append("@p").Append(number++).Append(parts[k]);
            }
            return buffer.Append(tail).ToString();
        }
    }
}

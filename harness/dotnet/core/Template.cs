using System;
using System.Text;
using System.Text.RegularExpressions;

namespace Assay
{
    /// <summary>
    /// A statement with ? for its parameters, taken apart once, so that an operation only puts texts together. ADO.NET
    /// names parameters: the first one is @p0.
    /// </summary>
    public sealed class Template
    {
        private static readonly Regex Values = new Regex(@"\A.*\bVALUES\s*(?=\()", RegexOptions.IgnoreCase | RegexOptions.Singleline);
        private static readonly Regex In = new Regex(@"\bIN\s*\(\?\)\s*\z", RegexOptions.IgnoreCase);

        private readonly string text;

        public Template(string text)
        {
            this.text = text;
            Parts = text.Split('?');
        }

        /// <summary>What stands between the question marks.</summary>
        public string[] Parts { get; }

        public int Parameters
        {
            get { return Parts.Length - 1; }
        }

        /// <summary>The text with named parameters.</summary>
        public string Named()
        {
            return Joined().Text(1);
        }

        /// <summary>The same with a number in place of the first one; the second one is @p0 then.</summary>
        public string Inlined(long number)
        {
            return new Repeated("", text.Substring(Parts[0].Length + 1), "", "").Text(1, Parts[0] + number);
        }

        /// <summary>The parentheses behind the last VALUES, with all question marks, stand there once for each row.</summary>
        public Repeated MultiRow()
        {
            var found = Values.Match(text);
            if (!found.Success) throw new UnsupportedException("MultiRow needs INSERT ... VALUES (?, ...); the statement is: " + text);
            var start = found.Length;
            var end = Closing(start);
            var repeated = new Repeated(text.Substring(0, start), text.Substring(start, end - start), ", ", text.Substring(end));
            if (Parameters == 0 || repeated.Parameters != Parameters)
            {
                throw new UnsupportedException("MultiRow needs all parameters in the group behind VALUES; the statement is: " + text);
            }
            return repeated;
        }

        /// <summary>The only question mark of a statement that ends in IN (?) stands there once for each key.</summary>
        public Repeated InList()
        {
            if (Parameters != 1 || !In.IsMatch(text))
            {
                throw new UnsupportedException("InList needs one parameter, and IN (?) at the end; the statement is: " + text);
            }
            return new Repeated(Parts[0], "?", ", ", Parts[1]);
        }

        /// <summary>The statement several times, joined by semicolons.</summary>
        public Repeated Joined()
        {
            return new Repeated("", text, ";", "");
        }

        /// <summary>Where the parenthesis that opens at a place is closed: the place behind it.</summary>
        private int Closing(int start)
        {
            var depth = 0;
            for (var i = start; i < text.Length; i++)
            {
                if (text[i] == '(') depth++;
                if (text[i] == ')') depth--;
                if (depth == 0) return i + 1;
            }
            throw new UnsupportedException("the parenthesis behind VALUES is never closed: " + text);
        }
    }

    /// <summary>A statement of which one group stands there several times, with other parameters each time.</summary>
    public sealed class Repeated
    {
        private readonly string separator;
        private readonly string[] parts;
        private readonly StringBuilder buffer = new StringBuilder();

        public Repeated(string before, string group, string separator, string after)
        {
            Before = before;
            After = after;
            this.separator = separator;
            parts = group.Split('?');
        }

        public string Before { get; }

        public string After { get; }

        /// <summary>How many parameters the group has.</summary>
        public int Parameters
        {
            get { return parts.Length - 1; }
        }

        public string Text(int times, string prefix = "")
        {
            var number = 0;
            buffer.Clear().Append(prefix).Append(Before);
            for (var i = 0; i < times; i++)
            {
                if (i > 0) buffer.Append(separator);
                buffer.Append(parts[0]);
                for (var k = 1; k < parts.Length; k++) buffer.Append("@p").Append(number++).Append(parts[k]);
            }
            return buffer.Append(After).ToString();
        }
    }
}

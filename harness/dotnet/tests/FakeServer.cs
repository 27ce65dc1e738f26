using System.Collections.Generic;
using System.Data.Common;
using System.Globalization;
using System.Text;

namespace Assay
{
    /// <summary>What the connections of the fake provider were asked, line by line, and what they answer.</summary>
    internal sealed class FakeServer
    {
        public List<string> Log { get; } = new List<string>();

        /// <summary>The rows of each result set that a text with SELECT in it is answered with.</summary>
        public List<List<object[]>> Answers { get; } = new List<List<object[]>>();

        public string Cipher { get; set; } = "";

        /// <summary>The next login throws this.</summary>
        public System.Exception Door { get; set; }

        /// <summary>The next statement of a user fails with this.</summary>
        public string Failure { get; set; }

        /// <summary>The log so far, which begins anew.</summary>
        public string Take()
        {
            var taken = string.Join("; ", Log);
            Log.Clear();
            return taken;
        }

        public List<List<object[]>> Execute(string verb, string text, DbParameterCollection parameters)
        {
            var line = new StringBuilder(verb).Append(' ').Append(text);
            foreach (DbParameter parameter in parameters)
            {
                line.Append(' ').Append(parameter.ParameterName).Append('=').Append(System.Convert.ToString(parameter.Value, CultureInfo.InvariantCulture));
            }
            Log.Add(line.ToString());
            if (text.StartsWith("SHOW SESSION STATUS")) return new List<List<object[]>> { new List<object[]> { new object[] { "Ssl_cipher", Cipher } } };
            if (Failure != null)
            {
                var words = Failure;
                Failure = null;
                throw new FakeException(words);
            }
            return text.Contains("SELECT") ? Answers : new List<List<object[]>>();
        }
    }

    internal sealed class FakeException : DbException
    {
        public FakeException(string words) : base(words) { }
    }
}

using System;
using System.Collections.Generic;
using System.Data.Common;

namespace Assay
{
    /// <summary>How a provider wants a target written.</summary>
    internal static class ConnectionString
    {
        /// <summary>What the harness decides, in the spellings of the providers; a request may not.</summary>
        private static readonly string[] Decided =
        {
            "server", "host", "datasource", "port", "userid", "user", "username", "uid", "password", "pwd", "database",
            "initialcatalog", "sslmode", "sslca", "cacertificatefile", "pooling", "minimumpoolsize", "minpoolsize",
            "maximumpoolsize", "maxpoolsize", "characterset", "charset", "pipeline", "ignoreprepare", "allowbatch",
            "retryonnetworkfailure",
        };

        public static string Of(Provider provider, Target target, string scheme, bool pooled)
        {
            var text = new DbConnectionStringBuilder();
            text["Server"] = target.Host;
            text["Port"] = target.Port.ToString();
            text["User ID"] = target.User;
            text["Password"] = target.Password;
            if (target.Database != "") text["Database"] = target.Database;
            Add(text, provider.Always);
            Add(text, target.Tls ? provider.Encrypted(target.Authority) : provider.Plain);
            Add(text, pooled ? provider.Pooled : provider.Unpooled);
            if (provider.Demands.TryGetValue(scheme, out var demanded)) Add(text, demanded);
            foreach (var option in target.Options)
            {
                if (!IsOfMany(provider, option.Key)) text[option.Key] = option.Value;
            }
            return text.ConnectionString;
        }

        /// <summary>Throws Unsupported for an option that the harness decides or the driver does not know.</summary>
        public static void Check(Provider provider, Target target)
        {
            foreach (var option in target.Options)
            {
                if (IsOfMany(provider, option.Key)) continue;
                if (Array.IndexOf(Decided, option.Key.Replace(" ", "").Replace("-", "").ToLowerInvariant()) >= 0)
                {
                    throw new UnsupportedException("option " + option.Key + " is decided by the request or the scheme");
                }
                if (provider.Options != null && Array.FindIndex(provider.Options, known => string.Equals(known, option.Key, StringComparison.OrdinalIgnoreCase)) < 0)
                {
                    throw new UnsupportedException(provider.Name + " has no option " + option.Key + "; known are: " + string.Join(", ", provider.Options));
                }
                Try(provider, option);
            }
        }

        private static void Try(Provider provider, KeyValuePair<string, string> option)
        {
            try
            {
                var text = new DbConnectionStringBuilder();
                text[option.Key] = option.Value;
                provider.Factory.CreateConnectionStringBuilder().ConnectionString = text.ConnectionString;
            }
            catch (Exception error) when (error is ArgumentException || error is FormatException || error is InvalidOperationException)
            {
                throw new UnsupportedException("option " + option.Key + "=" + option.Value + ": " + error.Message);
            }
        }

        private static bool IsOfMany(Provider provider, string option)
        {
            return provider.Many != null && Array.IndexOf(provider.Many.Options, option) >= 0;
        }

        private static void Add(DbConnectionStringBuilder text, Dictionary<string, string> words)
        {
            foreach (var word in words) text[word.Key] = word.Value;
        }
    }
}

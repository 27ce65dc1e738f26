using System.Collections.Generic;
using System.Reflection;

namespace Assay
{
    /// <summary>The drivers in the order of documents. A new one is a file beside this, and a line here.</summary>
    public static class Catalogue
    {
        public static IReadOnlyList<IDriver> Drivers()
        {
            return new IDriver[]
            {
                new AdoDriver(MySqlConnectorProvider.Row()),
                new AdoDriver(MySqlDataProvider.Row()),
                new AdoDriver(NewLifeProvider.Row()),
                new NullDriver(),
            };
        }

        /// <summary>The version of the package that an assembly came in, without the commit behind a plus sign.</summary>
        internal static string VersionOf(Assembly assembly)
        {
            var version = assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion
                ?? assembly.GetName().Version.ToString();
            return version.Split('+')[0];
        }
    }
}

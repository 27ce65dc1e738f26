using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Assay
{
    /// <summary>CRC-32 (IEEE) of the first four values of each row: joined by tabs, ended by a newline.</summary>
    public static class Checksum
    {
        private static readonly uint[] Table = MakeTable();

        public static uint Of(List<object[]> rows)
        {
            var sum = 0xFFFFFFFFu;
            var line = new StringBuilder();
            foreach (var row in rows)
            {
                line.Clear();
                for (var i = 0; i < row.Length && i < 4; i++)
                {
                    if (i > 0) line.Append('\t');
                    line.Append(Text(row[i]));
                }
                line.Append('\n');
                foreach (var b in Encoding.UTF8.GetBytes(line.ToString()))
                {
                    sum = Table[(sum ^ b) & 0xFF] ^ (sum >> 8);
                }
            }
            return ~sum;
        }

        private static string Text(object value)
        {
            switch (value)
            {
                case null:
                case DBNull _:
                    return "\\N";
                case bool b:
                    return b ? "1" : "0";
                default:
                    return Convert.ToString(value, CultureInfo.InvariantCulture) ?? "";
            }
        }

        // The runtime has no such function; its package System.IO.Hashing is not worth a dependency.
        private static uint[] MakeTable()
        {
            var table = new uint[256];
            for (uint n = 0; n < 256; n++)
            {
                var c = n;
                for (var k = 0; k < 8; k++) c = (c & 1) != 0 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
                table[n] = c;
            }
            return table;
        }
    }
}

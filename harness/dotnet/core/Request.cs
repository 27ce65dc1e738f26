using System.Collections.Generic;
using System.Text.Json;

namespace Assay
{
    /// <summary>One line from the agent. Which fields it has depends on what is to be done.</summary>
    public sealed class Request
    {
        private readonly JsonElement json;

        public Request(string line)
        {
            json = JsonDocument.Parse(line).RootElement;
        }

        public string Text(string field)
        {
            return json.GetProperty(field).GetString();
        }

        public long Integer(string field)
        {
            return json.GetProperty(field).GetInt64();
        }

        public double Number(string field)
        {
            return json.GetProperty(field).GetDouble();
        }

        public bool Switch(string field)
        {
            return json.GetProperty(field).GetBoolean();
        }

        public Dictionary<string, string> Options()
        {
            var options = new Dictionary<string, string>();
            foreach (var option in json.GetProperty("options").EnumerateObject()) options[option.Name] = option.Value.GetString();
            return options;
        }

        /// <summary>Rows of parameters in the types that users of .NET hold: long, double, string.</summary>
        public List<object[]> Rows()
        {
            var rows = new List<object[]>();
            foreach (var value in json.GetProperty("rows").EnumerateArray())
            {
                var row = new object[value.GetArrayLength()];
                var i = 0;
                foreach (var cell in value.EnumerateArray()) row[i++] = Cell(cell);
                rows.Add(row);
            }
            return rows;
        }

        private static object Cell(JsonElement cell)
        {
            if (cell.ValueKind == JsonValueKind.String) return cell.GetString();
            // A number with a point is no integer, even if nothing but zeros follows.
            return cell.GetRawText().Contains(".") ? (object)cell.GetDouble() : cell.GetInt64();
        }
    }
}

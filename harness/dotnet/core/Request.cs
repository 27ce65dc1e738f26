using System.Collections.Generic;
using System.Text.Json;

namespace Assay
{
    /// <summary>One line from the agent. Which fields count depends on what is to be done.</summary>
    public sealed class Request
    {
        private readonly JsonElement json;

        private Request(JsonElement json, long id)
        {
            this.json = json;
            Id = id;
        }

        public long Id { get; }

        /// <summary>Null if the line is no request in JSON with an id.</summary>
        public static Request Read(string line)
        {
            try
            {
                var json = JsonDocument.Parse(line).RootElement;
                if (json.ValueKind == JsonValueKind.Object && json.TryGetProperty("id", out var id)
                    && id.ValueKind == JsonValueKind.Number && id.TryGetInt64(out var number))
                {
                    return new Request(json, number);
                }
            }
            catch (JsonException)
            {
                // The caller says so.
            }
            return null;
        }

        /// <summary>Empty if it is absent.</summary>
        public string Text(string field)
        {
            if (!json.TryGetProperty(field, out var value)) return "";
            return value.ValueKind == JsonValueKind.String ? value.GetString() : throw Wrong(field, "a text");
        }

        /// <summary>The text, which has to be there.</summary>
        public string Name(string field)
        {
            var text = Text(field);
            return text != "" ? text : throw new MalformedException("the request has no " + field);
        }

        public bool Has(string field)
        {
            return json.TryGetProperty(field, out _);
        }

        public long Integer(string field, long absent)
        {
            if (!json.TryGetProperty(field, out var value)) return absent;
            return value.ValueKind == JsonValueKind.Number && value.TryGetInt64(out var number) ? number : throw Wrong(field, "an integer");
        }

        public double Number(string field)
        {
            if (!json.TryGetProperty(field, out var value)) return 0;
            return value.ValueKind == JsonValueKind.Number ? value.GetDouble() : throw Wrong(field, "a number");
        }

        public bool Switch(string field)
        {
            if (!json.TryGetProperty(field, out var value)) return false;
            return value.ValueKind == JsonValueKind.True
                || (value.ValueKind == JsonValueKind.False ? false : throw Wrong(field, "true or false"));
        }

        public Dictionary<string, string> Options()
        {
            var options = new Dictionary<string, string>();
            if (!json.TryGetProperty("options", out var values)) return options;
            if (values.ValueKind != JsonValueKind.Object) throw Wrong("options", "an object");
            foreach (var option in values.EnumerateObject())
            {
                if (option.Value.ValueKind != JsonValueKind.String) throw Wrong("options." + option.Name, "a text");
                options[option.Name] = option.Value.GetString();
            }
            return options;
        }

        /// <summary>Rows of parameters in the types that users of .NET hold: long, double, string, null.</summary>
        public List<object[]> Rows()
        {
            if (!json.TryGetProperty("rows", out var values) || values.ValueKind != JsonValueKind.Array) throw Wrong("rows", "a list");
            var rows = new List<object[]>(values.GetArrayLength());
            foreach (var value in values.EnumerateArray())
            {
                if (value.ValueKind != JsonValueKind.Array) throw Wrong("rows", "a list of lists");
                var row = new object[value.GetArrayLength()];
                var i = 0;
                foreach (var cell in value.EnumerateArray()) row[i++] = Cell(cell, rows.Count);
                rows.Add(row);
            }
            return rows;
        }

        private static object Cell(JsonElement cell, int row)
        {
            switch (cell.ValueKind)
            {
                case JsonValueKind.Null: return null;
                case JsonValueKind.String: return cell.GetString();
                case JsonValueKind.Number when cell.TryGetInt64(out var integer): return integer;
                case JsonValueKind.Number: return cell.GetDouble();
                default: throw new UnsupportedException("row " + row + ": a value is neither a number nor a text nor null");
            }
        }

        private static MalformedException Wrong(string field, string wanted)
        {
            return new MalformedException(field + " has to be " + wanted);
        }
    }
}

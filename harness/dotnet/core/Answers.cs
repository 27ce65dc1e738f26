using System;
using System.Collections.Generic;
using System.IO;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Assay
{
    /// <summary>Writes answers in JSON, one line each.</summary>
    internal static class Answers
    {
        // Readable quotes and letters; nobody puts an answer into a page of HTML.
        private static readonly JsonWriterOptions Options = new JsonWriterOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

        public static byte[] Ok(long id, Action<Utf8JsonWriter> content)
        {
            return Line(id, "ok", content);
        }

        public static byte[] Unsupported(long id, UnsupportedException error)
        {
            return Line(id, "unsupported", json => json.WriteString("reason", error.Message));
        }

        public static byte[] Failed(long id, Exception error)
        {
            var words = Words(error);
            return Line(id, "failed", json => json.WriteString("reason", words == "" ? error.GetType().Name : words));
        }

        /// <summary>What the driver or the server said, with the causes that it kept.</summary>
        private static string Words(Exception error)
        {
            var words = error.Message;
            for (var cause = error.InnerException; cause != null; cause = cause.InnerException)
            {
                if (!words.Contains(cause.Message)) words += ": " + cause.Message;
            }
            return words;
        }

        public static void Hello(Utf8JsonWriter json, IReadOnlyList<IDriver> drivers)
        {
            json.WriteString("protocol", "assay.dev/driver/v2");
            json.WriteString("language", ".NET");
            json.WriteString("runtime", Environment.Version.ToString());
            json.WriteString("clock", Clock.Name);
            json.WriteStartArray("drivers");
            foreach (var driver in drivers)
            {
                json.WriteStartObject();
                json.WriteString("name", driver.Name);
                json.WriteStartArray("versions");
                json.WriteStringValue(driver.Version);
                json.WriteEndArray();
                json.WriteStartObject("can");
                foreach (var way in driver.Can) json.WriteString(way.Key, way.Value);
                json.WriteEndObject();
                json.WriteStartObject("cannot");
                json.WriteString("Concurrency", "this harness does one operation at a time");
                json.WriteEndObject();
                json.WriteEndObject();
            }
            json.WriteEndArray();
        }

        public static void Run(Utf8JsonWriter json, Measurement measurement, Work work)
        {
            json.WriteNumber("operations", measurement.Operations);
            json.WriteNumber("nanoseconds", measurement.Nanoseconds);
            if (measurement.CpuNanoseconds.HasValue) json.WriteNumber("cpuNanoseconds", measurement.CpuNanoseconds.Value);
            json.WriteNumber("rows", work.Fetched);
            json.WriteNumber("checksum", Checksum.Of(work.Answer));
            json.WriteStartArray("histogram");
            foreach (var bucket in measurement.Buckets())
            {
                json.WriteStartArray();
                json.WriteNumberValue(bucket.Key);
                json.WriteNumberValue(bucket.Value);
                json.WriteEndArray();
            }
            json.WriteEndArray();
            json.WriteStartObject("collection");
            json.WriteNumber("before", measurement.CollectionBefore);
            json.WriteNumber("count", measurement.Collections);
            json.WriteNumber("allocated", measurement.Allocated);
            if (measurement.CollectionNanoseconds.HasValue) json.WriteNumber("nanoseconds", measurement.CollectionNanoseconds.Value);
            json.WriteEndObject();
        }

        private static byte[] Line(long id, string state, Action<Utf8JsonWriter> content)
        {
            using (var bytes = new MemoryStream())
            {
                using (var json = new Utf8JsonWriter(bytes, Options))
                {
                    json.WriteStartObject();
                    json.WriteNumber("id", id);
                    json.WriteString("state", state);
                    content(json);
                    json.WriteEndObject();
                }
                return bytes.ToArray();
            }
        }
    }
}

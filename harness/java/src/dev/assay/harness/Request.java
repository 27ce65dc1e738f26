package dev.assay.harness;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import java.io.StringReader;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** One request, with the values of the fields of docs/driver-protocol.md. What is absent is empty, 0 or false. */
final class Request {
  private static final Set<String> FIELDS = Set.of("id", "do", "protocol", "name", "rows", "connection", "driver",
      "version", "host", "port", "database", "tls", "options", "kind", "scheme", "transaction", "session", "statement",
      "data", "rowsPerOperation", "chunk", "inline", "operations", "seconds");

  private final JsonObject fields;

  private Request(JsonObject fields) {
    this.fields = fields;
  }

  static Request parse(String line) {
    try {
      JsonReader reader = new JsonReader(new StringReader(line));
      reader.setStrictness(Strictness.STRICT);
      JsonElement element = JsonParser.parseReader(reader);
      if (!element.isJsonObject()) {
        throw new IllegalArgumentException("a request is a JSON object");
      }
      return new Request(element.getAsJsonObject());
    } catch (JsonParseException e) {
      throw new IllegalArgumentException("the request cannot be read: " + e.getMessage(), e);
    }
  }

  void check() {
    for (String name : fields.keySet()) {
      if (!FIELDS.contains(name)) {
        throw new IllegalArgumentException("the request has a field that is not known: " + name);
      }
    }
  }

  long id() {
    JsonElement id = fields.get("id");
    return id != null && id.isJsonPrimitive() && id.getAsJsonPrimitive().isNumber() ? id.getAsLong() : 0;
  }

  String text(String field) {
    return fields.has(field) ? fields.get(field).getAsString() : "";
  }

  String text(String field, String otherwise) {
    String found = text(field);
    return found.isEmpty() ? otherwise : found;
  }

  /** A number without a point; one with a point is refused, not rounded. */
  long number(String field) {
    return fields.has(field) ? Long.parseLong(fields.get(field).getAsString()) : 0;
  }

  double seconds() {
    return fields.has("seconds") ? fields.get("seconds").getAsDouble() : 0;
  }

  boolean inline() {
    return fields.has("inline") && fields.get("inline").getAsBoolean();
  }

  Map<String, String> options() {
    Map<String, String> options = new LinkedHashMap<>();
    if (fields.has("options")) {
      fields.getAsJsonObject("options").entrySet().forEach(e -> options.put(e.getKey(), e.getValue().getAsString()));
    }
    return options;
  }

  /** Rows of parameters as users of Java hold them: Long, Double, String, null. */
  Object[][] rows() throws Unsupported {
    JsonArray given = fields.getAsJsonArray("rows");
    if (given == null) {
      throw new IllegalArgumentException("data without rows");
    }
    Object[][] rows = new Object[given.size()][];
    for (int i = 0; i < rows.length; i++) {
      JsonArray row = given.get(i).getAsJsonArray();
      rows[i] = new Object[row.size()];
      for (int j = 0; j < rows[i].length; j++) {
        rows[i][j] = value(row.get(j));
      }
    }
    return rows;
  }

  private static Object value(JsonElement cell) throws Unsupported {
    if (cell.isJsonNull()) {
      return null;
    }
    if (!cell.isJsonPrimitive() || cell.getAsJsonPrimitive().isBoolean()) {
      throw new Unsupported("integers, numbers, strings and null are known as parameters, not " + cell);
    }
    String text = cell.getAsString();
    if (cell.getAsJsonPrimitive().isString()) {
      return text;
    }
    if (text.contains(".") || text.contains("e") || text.contains("E")) {
      return Double.valueOf(text);
    }
    return Long.valueOf(text);
  }
}

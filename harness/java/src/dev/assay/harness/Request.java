package dev.assay.harness;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.annotations.SerializedName;
import java.util.Map;

/** One request, with the fields of docs/contributing/driver-protocol.md. Those of another kind of request are null, 0 or false. */
final class Request {
  long id;
  @SerializedName("do")
  String what;
  String name;
  JsonArray rows;
  String connection;
  String driver;
  String version;
  String host;
  int port;
  String database;
  boolean tls;
  Map<String, String> options;
  String kind;
  String scheme;
  String session;
  boolean commit;
  boolean inline;
  String statement;
  String head;
  String group;
  String separator;
  String tail;
  String data;
  int rowsPerOperation;
  int chunk;
  int concurrency = 1;
  long operations;
  double seconds;

  /** Rows of parameters as users of Java hold them: Long, Double, String. */
  Object[][] values() {
    Object[][] values = new Object[rows.size()][];
    for (int i = 0; i < values.length; i++) {
      JsonArray row = rows.get(i).getAsJsonArray();
      values[i] = new Object[row.size()];
      for (int j = 0; j < values[i].length; j++) {
        values[i][j] = value(row.get(j));
      }
    }
    return values;
  }

  private static Object value(JsonElement cell) {
    String text = cell.getAsString();
    if (cell.getAsJsonPrimitive().isString()) {
      return text;
    }
    return text.contains(".") ? (Object) Double.valueOf(text) : Long.valueOf(text);
  }

  /** The statement with an integer in place of the first question mark. */
  String inlined(long number) {
    int mark = statement.indexOf('?');
    return statement.substring(0, mark) + number + statement.substring(mark + 1);
  }

  /** The text whose group stands there once for each row. */
  String repeated(int times) {
    StringBuilder text = new StringBuilder(
        head.length() + times * (group.length() + separator.length()) + tail.length());
    text.append(head);
    for (int i = 0; i < times; i++) {
      if (i > 0) {
        text.append(separator);
      }
      text.append(group);
    }
    return text.append(tail).toString();
  }
}

package dev.assay.harness;

import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Arrays;
import java.util.zip.CRC32;

/**
 * What one operation fetched, in the types that users of Java read: long, double, String. Its memory serves each operation
 * anew. Which method reads a column is decided at the first answer of a run: all have the same columns, since the statement
 * is the same.
 */
final class Rows {
  private enum Kind { INTEGER, NUMBER, TEXT, OTHER }

  private static final Object NULL = new Object();

  private Kind[] kinds;
  private long[] numbers = new long[64];
  private Object[] objects = new Object[64];
  private int size;
  private long total;

  /** Forgets the rows of the operation before. */
  void begin() {
    size = 0;
  }

  long total() {
    return total;
  }

  /** Reads all rows of a result set, and closes it. */
  void fetch(ResultSet answer) throws SQLException {
    try (answer) {
      if (kinds == null) {
        kinds = kinds(answer.getMetaData());
      }
      while (answer.next()) {
        grow();
        for (int i = 0; i < kinds.length; i++) {
          read(answer, i);
        }
        total++;
      }
    }
  }

  private void read(ResultSet answer, int column) throws SQLException {
    Object object = null;
    switch (kinds[column]) {
      case INTEGER:
        numbers[size] = answer.getLong(column + 1);
        object = answer.wasNull() ? NULL : null;
        break;
      case NUMBER:
        numbers[size] = Double.doubleToRawLongBits(answer.getDouble(column + 1));
        object = answer.wasNull() ? NULL : null;
        break;
      case TEXT:
        object = answer.getString(column + 1);
        break;
      default:
        object = answer.getObject(column + 1);
    }
    objects[size++] = object;
  }

  private void grow() {
    if (size + kinds.length > objects.length) {
      int length = Math.max(objects.length * 2, size + kinds.length);
      numbers = Arrays.copyOf(numbers, length);
      objects = Arrays.copyOf(objects, length);
    }
  }

  private static Kind[] kinds(ResultSetMetaData columns) throws SQLException {
    Kind[] kinds = new Kind[columns.getColumnCount()];
    for (int i = 0; i < kinds.length; i++) {
      kinds[i] = kind(columns.getColumnType(i + 1), columns.isSigned(i + 1));
    }
    return kinds;
  }

  private static Kind kind(int type, boolean signed) {
    switch (type) {
      case Types.BIT: // what drivers call TINYINT(1)
      case Types.BOOLEAN:
      case Types.TINYINT:
      case Types.SMALLINT:
      case Types.INTEGER:
        return Kind.INTEGER;
      case Types.BIGINT:
        return signed ? Kind.INTEGER : Kind.TEXT; // it may be more than a long holds
      case Types.REAL:
      case Types.FLOAT:
      case Types.DOUBLE:
        return Kind.NUMBER;
      case Types.CHAR:
      case Types.VARCHAR:
      case Types.LONGVARCHAR:
      case Types.NCHAR:
      case Types.NVARCHAR:
      case Types.LONGNVARCHAR:
      case Types.CLOB:
        return Kind.TEXT;
      default:
        return Kind.OTHER;
    }
  }

  /** A value of the first row as text, and nothing where there is none. */
  String text(int column) {
    return column < size ? text(column, kinds[column]) : "";
  }

  /** Of the first four values of each row of the last operation. */
  long checksum() {
    CRC32 checksum = new CRC32();
    StringBuilder line = new StringBuilder();
    for (int row = 0; kinds != null && row < size; row += kinds.length) {
      line.setLength(0);
      for (int i = 0; i < Math.min(kinds.length, 4); i++) {
        line.append(i > 0 ? "\t" : "").append(text(row + i, kinds[i]));
      }
      checksum.update(line.append('\n').toString().getBytes(StandardCharsets.UTF_8));
    }
    return checksum.getValue();
  }

  private String text(int at, Kind kind) {
    Object object = objects[at];
    boolean primitive = kind == Kind.INTEGER || kind == Kind.NUMBER;
    if (object == NULL || !primitive && object == null) {
      return "\\N";
    }
    switch (kind) {
      case INTEGER:
        return Long.toString(numbers[at]);
      case NUMBER:
        return Double.toString(Double.longBitsToDouble(numbers[at]));
      default:
        return object.toString();
    }
  }
}

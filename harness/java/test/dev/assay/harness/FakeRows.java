package dev.assay.harness;

import java.lang.reflect.Proxy;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.Types;

/** A result set of given rows. Columns are BIGINT, VARCHAR, VARCHAR, TINYINT(1) and DOUBLE. */
final class FakeRows {
  private static final int[] TYPES = {Types.BIGINT, Types.VARCHAR, Types.VARCHAR, Types.BIT, Types.DOUBLE};

  private FakeRows() {
  }

  static ResultSet of(Object[]... rows) {
    int[] at = {-1};
    boolean[] wasNull = {false};
    return proxy(ResultSet.class, (method, argument) -> {
      switch (method) {
        case "next":
          return ++at[0] < rows.length;
        case "wasNull":
          return wasNull[0];
        case "getMetaData":
          return columns();
        case "close":
          return null;
        default:
          Object value = rows[at[0]][argument - 1];
          wasNull[0] = value == null;
          return value != null || method.equals("getString") ? value : method.equals("getLong") ? (Object) 0L : 0.0;
      }
    });
  }

  private static ResultSetMetaData columns() {
    return proxy(ResultSetMetaData.class, (method, argument) -> {
      switch (method) {
        case "getColumnCount":
          return TYPES.length;
        case "getColumnType":
          return TYPES[argument - 1];
        default:
          return true; // isSigned
      }
    });
  }

  private interface Answer {
    Object to(String method, int argument);
  }

  private static <T> T proxy(Class<T> type, Answer answer) {
    return type.cast(Proxy.newProxyInstance(FakeRows.class.getClassLoader(), new Class<?>[] {type},
        (proxy, method, args) -> answer.to(method.getName(), args == null ? 0 : (Integer) args[0])));
  }
}

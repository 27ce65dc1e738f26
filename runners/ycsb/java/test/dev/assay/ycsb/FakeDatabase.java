package dev.assay.ycsb;

import java.lang.reflect.Proxy;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/** A driver for jdbc:fake:NAME that writes down what it is asked, and fails where it is told to. */
final class FakeDatabase {
  /** What was done, in order: "NAME: SQL [values]". */
  static final List<String> LOG = new ArrayList<>();
  /** A key that exists already. */
  static String duplicate = "";
  /** What a driver that rewrites batches says of each row. */
  static boolean rewrites = false;

  static {
    try {
      DriverManager.registerDriver((Driver) Proxy.newProxyInstance(FakeDatabase.class.getClassLoader(),
          new Class<?>[] {Driver.class}, (proxy, method, args) -> switch (method.getName()) {
            case "connect" -> ((String) args[0]).startsWith("jdbc:fake:") ? connection((String) args[0]) : null;
            case "acceptsURL" -> ((String) args[0]).startsWith("jdbc:fake:");
            case "equals" -> proxy == args[0];
            case "hashCode" -> 1;
            case "toString" -> "fake";
            default -> throw new UnsupportedOperationException(method.getName());
          }));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private FakeDatabase() {
  }

  static void reset() {
    LOG.clear();
    duplicate = "";
    rewrites = false;
  }

  private static Connection connection(String url) throws SQLException {
    if (url.endsWith("refused")) {
      throw new SQLException("Access denied", "28000", 1045);
    }
    String name = url.substring("jdbc:fake:".length());
    return (Connection) Proxy.newProxyInstance(FakeDatabase.class.getClassLoader(), new Class<?>[] {Connection.class},
        (proxy, method, args) -> {
          switch (method.getName()) {
            case "prepareStatement":
              return statement(name, (String) args[0]);
            case "commit", "close":
              LOG.add(name + ": " + method.getName());
              return null;
            case "setAutoCommit":
              return null;
            case "equals":
              return proxy == args[0];
            case "hashCode":
              return System.identityHashCode(proxy);
            default:
              throw new UnsupportedOperationException(method.getName());
          }
        });
  }

  private static PreparedStatement statement(String name, String sql) {
    List<Object> values = new ArrayList<>();
    List<String> batch = new ArrayList<>();
    return (PreparedStatement) Proxy.newProxyInstance(FakeDatabase.class.getClassLoader(),
        new Class<?>[] {PreparedStatement.class}, (proxy, method, args) -> {
          switch (method.getName()) {
            case "setString", "setInt":
              int index = (Integer) args[0];
              while (values.size() < index) {
                values.add(null);
              }
              values.set(index - 1, args[1]);
              return null;
            case "setFetchSize":
              LOG.add(name + ": fetch " + args[0]);
              return null;
            case "executeUpdate":
              LOG.add(name + ": " + sql + " " + values);
              if (values.get(0).equals(duplicate)) {
                throw new SQLException("Duplicate entry", "23000", 1062);
              }
              return values.contains("absent") ? 0 : 1;
            case "executeQuery":
              LOG.add(name + ": " + sql + " " + values);
              return rows(!values.contains("absent"));
            case "addBatch":
              batch.add((String) values.get(0));
              return null;
            case "executeBatch":
              LOG.add(name + ": batch " + batch);
              int[] counts = new int[batch.size()];
              boolean failed = batch.contains(duplicate);
              java.util.Arrays.fill(counts, rewrites ? Statement.SUCCESS_NO_INFO : 1);
              batch.clear();
              if (failed) {
                java.util.Arrays.fill(counts, Statement.EXECUTE_FAILED);
                throw new BatchUpdateException("Duplicate entry", "23000", 1062, counts);
              }
              return counts;
            case "equals":
              return proxy == args[0];
            case "hashCode":
              return System.identityHashCode(proxy);
            default:
              throw new UnsupportedOperationException(method.getName());
          }
        });
  }

  private static ResultSet rows(boolean one) {
    boolean[] left = {one};
    return (ResultSet) Proxy.newProxyInstance(FakeDatabase.class.getClassLoader(), new Class<?>[] {ResultSet.class},
        (proxy, method, args) -> switch (method.getName()) {
          case "next" -> {
            boolean is = left[0];
            left[0] = false;
            yield is;
          }
          case "getString" -> "value of " + args[0];
          case "close" -> null;
          default -> throw new UnsupportedOperationException(method.getName());
        });
  }

  static Properties properties(String url, String... pairs) {
    Properties p = new Properties();
    p.setProperty("db.url", url);
    for (String pair : pairs) {
      String[] both = pair.split("=", 2);
      p.setProperty(both[0], both[1]);
    }
    return p;
  }
}

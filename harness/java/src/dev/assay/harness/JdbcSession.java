package dev.assay.harness;

import dev.assay.harness.Driver.Prepared;
import dev.assay.harness.Driver.Session;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A connection of JDBC. Without parameters, a call executes a text with the one Statement of the session, as users keep one;
 * with parameters it makes, executes and closes a PreparedStatement. Whether that one is prepared on the server, options of
 * the connection decide.
 */
final class JdbcSession implements Session {
  private final Connection connection;
  private Statement plain;

  JdbcSession(Connection connection) {
    this.connection = connection;
  }

  @Override
  public void call(String text, Object[][] rows, int from, int to, int skip, Rows sink) throws SQLException {
    if (rows == null || rows[from].length == skip) {
      if (sink == null) {
        plain().executeUpdate(text);
      } else {
        sink.fetch(plain().executeQuery(text));
      }
      return;
    }
    try (PreparedStatement statement = connection.prepareStatement(text)) {
      int at = 1;
      for (int i = from; i < to; i++) {
        at = set(statement, at, rows[i], skip);
      }
      execute(statement, sink);
    }
  }

  @Override
  public void calls(String text, Object[][] rows, int from, int to) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(text)) {
      int at = 1;
      for (int i = from; i < to; i++) {
        at = set(statement, at, rows[i], 0);
      }
      // Not execute: before that one, Connector/J asks MySQL each time whether the session may write.
      statement.executeUpdate();
      while (statement.getMoreResults() || statement.getUpdateCount() != -1) {
        // the answer of the next statement
      }
    }
  }

  @Override
  public Prepared prepare(String text, boolean now) throws Exception {
    PreparedStatement statement = connection.prepareStatement(text);
    try {
      if (now) {
        statement.getParameterMetaData();
      }
      // Drivers fall back to texts without a word, where the server prepares no such statement.
      if (!statement.getClass().getSimpleName().startsWith("Server")) {
        throw new Unsupported("the driver does not prepare this statement on the server: " + text);
      }
    } catch (SQLException | Unsupported e) {
      statement.close();
      throw e;
    }
    return new JdbcPrepared(statement);
  }

  @Override
  public void all(String scheme, String text, Object[][] rows, int from, int to) throws Exception {
    try (PreparedStatement statement = connection.prepareStatement(text)) {
      for (int i = from; i < to; i++) {
        set(statement, 1, rows[i], 0);
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }

  @Override
  public void autocommit(boolean on) throws SQLException {
    connection.setAutoCommit(on);
  }

  @Override
  public void commit() throws SQLException {
    connection.commit();
  }

  @Override
  public void close() throws SQLException {
    if (plain != null) {
      plain.close();
    }
    connection.close();
  }

  private Statement plain() throws SQLException {
    if (plain == null) {
      plain = connection.createStatement();
    }
    return plain;
  }

  /** Sets the values of a row, those skipped left out, and returns the number of the next parameter. */
  private static int set(PreparedStatement statement, int first, Object[] row, int skip) throws SQLException {
    int at = first;
    for (int i = skip; i < row.length; i++, at++) {
      Object value = row[i];
      if (value instanceof Long number) {
        statement.setLong(at, number);
      } else if (value instanceof String text) {
        statement.setString(at, text);
      } else {
        statement.setDouble(at, (Double) value);
      }
    }
    return at;
  }

  private static void execute(PreparedStatement statement, Rows sink) throws SQLException {
    if (sink == null) {
      statement.executeUpdate();
    } else {
      sink.fetch(statement.executeQuery());
    }
  }

  private record JdbcPrepared(PreparedStatement statement) implements Prepared {
    @Override
    public void call(Object[] row, Rows sink) throws SQLException {
      if (row != null) {
        set(statement, 1, row, 0);
      }
      execute(statement, sink);
    }

    @Override
    public void close() throws SQLException {
      statement.close();
    }
  }
}

package dev.assay.ycsb;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;

/** The table of the core workloads, in one database. */
final class Table {
  private static final String NAME = "usertable";
  private static final long POLL_MILLIS = 200;

  private final Connection connection;
  private final Properties p;
  private final boolean mysql;

  Table(Connection connection, Properties p) throws SQLException {
    this.connection = connection;
    this.p = p;
    mysql = isMySQL(connection);
  }

  static boolean isMySQL(Connection connection) throws SQLException {
    String product = connection.getMetaData().getDatabaseProductName();
    return product.contains("MySQL") || product.contains("MariaDB");
  }

  /** Makes the table, which must not be there, and says what it became. */
  void create() throws SQLException {
    execute(ddl());
    if (!mysql) {
      return;
    }
    String wanted = p.getProperty("assay.engine", "");
    String[] made = describe();
    if (!wanted.isEmpty() && !wanted.equalsIgnoreCase(made[0])) {
      throw new SQLException("the table was made with the storage engine " + made[0] + " instead of " + wanted
          + ": the server has substituted it");
    }
    Ledger.say("Table, " + made[0] + " " + made[1]);
  }

  /** YCSB's own table, or the one of published comparisons; character set and collation are the database's. */
  String ddl() {
    boolean varchar = "Varchar".equals(p.getProperty("assay.columns"));
    Dialect dialect = Dialect.of(p.getProperty("db.driver", ""));
    String length = p.getProperty("fieldlength");
    String type = varchar ? "VARCHAR(" + length + ") NOT NULL" : dialect.text(length);
    String prefix = p.getProperty("fieldnameprefix", "FIELD");
    StringBuilder sql = new StringBuilder("CREATE TABLE " + NAME + " (YCSB_KEY VARCHAR(255) NOT NULL");
    for (int i = 0; i < Settings.integer(p, "fieldcount", 10); i++) {
      sql.append(", ").append(prefix).append(i).append(' ').append(type);
    }
    sql.append(", ").append(dialect.primaryKey()).append(')');
    if (mysql) {
      String engine = p.getProperty("assay.engine", "");
      sql.append(engine.isEmpty() ? "" : " ENGINE=" + engine).append(" COMMENT='").append(mark()).append('\'');
    }
    return sql.toString();
  }

  /** Tells the table of this run from one that was there before. */
  private String mark() {
    return "assay " + p.getProperty("assay.run", "");
  }

  private String[] describe() throws SQLException {
    String sql = "SELECT ENGINE, TABLE_COLLATION, TABLE_COMMENT FROM information_schema.TABLES"
        + " WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, NAME);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next() ? new String[] {rows.getString(1), rows.getString(2), rows.getString(3)} : null;
      }
    }
  }

  /** Waits until another client has made the table. One that another run left is not it. */
  void await() throws SQLException, InterruptedException {
    long seconds = Settings.integer(p, "assay.wait", 60);
    long end = System.nanoTime() + seconds * 1_000_000_000L;
    for (String[] found = describe(); found == null || !mark().equals(found[2]); found = describe()) {
      if (System.nanoTime() > end) {
        throw new SQLException(found == null
            ? "the first client has not made the table " + NAME + " within " + seconds + " s"
            : "the table " + NAME + " is not of this run: its comment is '" + found[2] + "'");
      }
      Thread.sleep(POLL_MILLIS);
    }
    Ledger.say("Table, existing");
  }

  void drop() throws SQLException {
    execute("DROP TABLE IF EXISTS " + NAME);
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}

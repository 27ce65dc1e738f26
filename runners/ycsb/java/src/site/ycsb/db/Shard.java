package site.ycsb.db;

import dev.assay.ycsb.Ledger;
import dev.assay.ycsb.Settings;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import site.ycsb.Status;

/** One connection of one thread, its statements, and the inserts that it holds back. */
final class Shard {
  private final Connection connection;
  private final Settings settings;
  private final Map<Kind, PreparedStatement> statements = new HashMap<>();
  private final Map<PreparedStatement, Integer> batches = new HashMap<>();
  private int uncommitted;

  /** What a statement is prepared for. */
  private record Kind(String operation, String table, List<String> fields) {
  }

  Shard(String url, Settings settings) throws SQLException {
    this.settings = settings;
    connection = DriverManager.getConnection(url, settings.user, settings.password);
    connection.setAutoCommit(settings.autoCommit);
  }

  PreparedStatement statement(String operation, String table, List<String> fields, Supplier<String> sql)
      throws SQLException {
    Kind kind = new Kind(operation, table, fields);
    PreparedStatement statement = statements.get(kind);
    if (statement == null) {
      statement = connection.prepareStatement(sql.get());
      statements.put(kind, statement);
    }
    return statement;
  }

  /**
   * Puts the row that is bound into the statement's batch and says whether that batch was full and has been written. A
   * batch belongs to one statement of one shard, so none is forgotten when keys alternate between shards.
   */
  boolean addToBatch(PreparedStatement statement) throws SQLException {
    statement.addBatch();
    int rows = batches.merge(statement, 1, Integer::sum);
    if (settings.batchSize <= 0 || rows < settings.batchSize) {
      return false;
    }
    flush(statement);
    return true;
  }

  private void flush(PreparedStatement statement) throws SQLException {
    int rows = batches.remove(statement);
    long confirmed = 0;
    try {
      confirmed = confirmed(statement.executeBatch());
      if (!settings.autoCommit) {
        connection.commit();
      }
    } catch (BatchUpdateException e) {
      confirmed = settings.autoCommit ? confirmed(e.getUpdateCounts()) : 0;
      throw e;
    } finally {
      Ledger.batch(rows, confirmed);
    }
    if (confirmed != rows) {
      throw new SQLException("a batch of " + rows + " rows: the driver confirmed " + confirmed);
    }
  }

  /** A driver that rewrites a batch into one statement cannot tell the rows apart: it says that they went well. */
  private static long confirmed(int[] counts) {
    long rows = 0;
    for (int count : counts) {
      if (count == 1 || count == Statement.SUCCESS_NO_INFO) {
        rows++;
      }
    }
    return rows;
  }

  /** Without autocommit an insert ends a transaction when the batch is full, and any other operation ends its own. */
  void inserted() throws SQLException {
    if (settings.autoCommit) {
      return;
    }
    uncommitted++;
    if (uncommitted >= settings.batchSize) {
      connection.commit();
      uncommitted = 0;
    }
  }

  void commit() throws SQLException {
    if (!settings.autoCommit && uncommitted == 0) {
      connection.commit();
    }
  }

  Status failed(String operation, SQLException e) {
    Ledger.error(e instanceof BatchUpdateException ? "BATCH" : operation, e);
    return Status.ERROR;
  }

  /** Writes what is held back, closes the connection, and gives back what failed; null for nothing. */
  SQLException finish() {
    SQLException failure = null;
    for (PreparedStatement statement : List.copyOf(batches.keySet())) {
      try {
        flush(statement);
      } catch (SQLException e) {
        Ledger.error("BATCH", e);
        failure = e;
      }
    }
    try (connection) {
      if (!settings.autoCommit) {
        connection.commit();
      }
    } catch (SQLException e) {
      Ledger.error("CLEANUP", e);
      failure = e;
    }
    return failure;
  }
}

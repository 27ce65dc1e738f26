package site.ycsb.db;

import dev.assay.ycsb.Dialect;
import dev.assay.ycsb.Ledger;
import dev.assay.ycsb.Settings;
import dev.assay.ycsb.Window;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;
import site.ycsb.StringByteIterator;

/**
 * YCSB over JDBC: a table with the key YCSB_KEY and fields of text, reached by the key alone. It answers to the class
 * name, the properties and the statuses of YCSB's own JDBC binding, which no registry of packages has. Where it
 * differs, and why, is in runners/ycsb/README.md.
 *
 * <p>Each thread of YCSB has one of these, with one connection per shard.
 */
public class JdbcDBClient extends DB {
  private final List<Shard> shards = new ArrayList<>();
  private Settings settings;
  private Dialect dialect;

  @Override
  public void init() throws DBException {
    long start = System.nanoTime();
    try {
      settings = new Settings(getProperties());
      dialect = Dialect.of(settings.driver);
      if (!settings.driver.isEmpty()) {
        Class.forName(settings.driver);
      }
      for (String url : settings.urls) {
        shards.add(new Shard(url, settings));
      }
    } catch (SQLException e) {
      Ledger.error("CONNECT", e);
      shards.forEach(Shard::finish);
      throw new DBException(e);
    } catch (ClassNotFoundException | IllegalArgumentException e) {
      throw new DBException(e);
    }
    Ledger.connected(System.nanoTime() - start);
    Window.connected();
  }

  @Override
  public void cleanup() throws DBException {
    SQLException failure = null;
    for (Shard shard : shards) {
      SQLException own = shard.finish();
      failure = own == null ? failure : own;
    }
    if (failure != null) {
      throw new DBException(failure);
    }
    Ledger.ended();
  }

  /** The shard of a key, as YCSB's binding finds it: data that one has loaded is there for the other. */
  private Shard shard(String key) {
    return shards.get(shardIndex(key, shards.size()));
  }

  static int shardIndex(String key, int shards) {
    // Math.abs of the smallest integer is negative; YCSB's binding fails there.
    return (int) (Math.abs((long) key.hashCode()) % shards);
  }

  @Override
  public Status read(String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
    Shard shard = shard(key);
    try {
      PreparedStatement statement = shard.statement("READ", table, List.of(), () -> dialect.read(table));
      statement.setString(1, key);
      Status status = Status.NOT_FOUND;
      try (ResultSet rows = statement.executeQuery()) {
        if (rows.next()) {
          copy(rows, fields, result);
          status = Status.OK;
        }
      }
      shard.commit();
      return status;
    } catch (SQLException e) {
      return shard.failed("READ", e);
    }
  }

  @Override
  public Status scan(String table, String start, int count, Set<String> fields,
      Vector<HashMap<String, ByteIterator>> result) {
    Shard shard = shard(start);
    try {
      PreparedStatement statement = shard.statement("SCAN", table, List.of(), () -> dialect.scan(table));
      if (settings.fetchSize > 0) {
        statement.setFetchSize(settings.fetchSize);
      }
      statement.setInt(dialect.rowsFirst() ? 1 : 2, count);
      statement.setString(dialect.rowsFirst() ? 2 : 1, start);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          HashMap<String, ByteIterator> row = new HashMap<>();
          copy(rows, fields, row);
          if (fields != null && result != null) {
            result.add(row);
          }
        }
      }
      shard.commit();
      return Status.OK;
    } catch (SQLException e) {
      return shard.failed("SCAN", e);
    }
  }

  /** Without a list of fields nothing is taken out of the row: YCSB's binding leaves it at that, too. */
  private static void copy(ResultSet row, Set<String> fields, Map<String, ByteIterator> into) throws SQLException {
    if (fields == null || into == null) {
      return;
    }
    for (String field : fields) {
      String value = row.getString(field);
      if (value != null) {
        into.put(field, new StringByteIterator(value));
      }
    }
  }

  @Override
  public Status update(String table, String key, Map<String, ByteIterator> values) {
    Shard shard = shard(key);
    try {
      List<String> fields = new ArrayList<>(values.keySet());
      PreparedStatement statement = shard.statement("UPDATE", table, fields, () -> dialect.update(table, fields));
      int next = bind(statement, 1, values);
      statement.setString(next, key);
      int rows = statement.executeUpdate();
      shard.commit();
      return rows == 1 ? Status.OK : Status.UNEXPECTED_STATE;
    } catch (SQLException e) {
      return shard.failed("UPDATE", e);
    }
  }

  @Override
  public Status delete(String table, String key) {
    Shard shard = shard(key);
    try {
      PreparedStatement statement = shard.statement("DELETE", table, List.of(), () -> dialect.delete(table));
      statement.setString(1, key);
      int rows = statement.executeUpdate();
      shard.commit();
      return rows == 1 ? Status.OK : Status.UNEXPECTED_STATE;
    } catch (SQLException e) {
      return shard.failed("DELETE", e);
    }
  }

  @Override
  public Status insert(String table, String key, Map<String, ByteIterator> values) {
    Shard shard = shard(key);
    try {
      List<String> fields = new ArrayList<>(values.keySet());
      PreparedStatement statement = shard.statement("INSERT", table, fields, () -> dialect.insert(table, fields));
      statement.setString(1, key);
      bind(statement, 2, values);
      if (settings.batchUpdates) {
        return shard.addToBatch(statement) ? Status.OK : Status.BATCHED_OK;
      }
      int rows = statement.executeUpdate();
      shard.inserted();
      return rows == 1 ? Status.OK : Status.UNEXPECTED_STATE;
    } catch (SQLException e) {
      return shard.failed("INSERT", e);
    }
  }

  /** Sets the values from an index on, in the order of the map, and gives back the index after them. */
  private static int bind(PreparedStatement statement, int from, Map<String, ByteIterator> values)
      throws SQLException {
    int index = from;
    for (ByteIterator value : values.values()) {
      statement.setString(index++, value.toString());
    }
    return index;
  }
}

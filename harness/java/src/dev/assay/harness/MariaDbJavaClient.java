package dev.assay.harness;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** MariaDB Connector/J. Versions 2 and 3 call the options of encryption by different names. */
final class MariaDbJavaClient extends JdbcDriver {
  private static final AtomicInteger POOLS = new AtomicInteger();

  MariaDbJavaClient(Path folder) throws IOException {
    super("mariadb-java-client", "org.mariadb.jdbc.Driver", "jdbc:mariadb:", folder, "mariadb-java-client");
  }

  @Override
  public Map<String, String> can() {
    return Map.of(
        "SingleRow", "a new PreparedStatement for each row, executed once: parameters written into the text by the driver,"
            + " COM_QUERY; without parameters, one Statement for all",
        "Prepared", "one PreparedStatement on a connection with useServerPrepStmts=true: COM_STMT_EXECUTE",
        "MultiRow", "a new PreparedStatement for each chunk: parameters written into the text by the driver, COM_QUERY",
        "MultiStatement", "a new PreparedStatement for each chunk on a connection with allowMultiQueries=true: parameters"
            + " written into the text by the driver, COM_QUERY",
        "Pool", "MariaDbPoolDataSource with minPoolSize and maxPoolSize",
        "InList", "a new PreparedStatement for each chunk: parameters written into the text by the driver, COM_QUERY",
        "Batch", "addBatch, executeBatch of a new PreparedStatement: one COM_QUERY for each row, many sent before the first"
            + " answer is waited for; version 3 sends an INSERT to MariaDB by COM_STMT_BULK_EXECUTE",
        "Concurrency", CONCURRENCY);
  }

  @Override
  Properties pinned(String version, Target target) {
    Properties p = new Properties();
    boolean old = Jars.major(version) < 3;
    // Without encryption, the password of caching_sha2_password is encrypted with a key that the server sends.
    p.setProperty("allowPublicKeyRetrieval", "true");
    if (target.authority() == null) {
      p.setProperty(old ? "useSsl" : "sslMode", old ? "false" : "disable");
    } else {
      p.setProperty(old ? "useSsl" : "sslMode", old ? "true" : "verify-full");
      p.setProperty("serverSslCert", target.authority());
    }
    return p;
  }

  @Override
  Set<String> refused() {
    return Set.of("user", "password", "useSsl", "useSSL", "sslMode", "trustServerCertificate", "serverSslCert",
        "disableSslHostnameVerification", "trustStore", "trustStorePassword", "fallbackToSystemTrustStore", "autocommit",
        "pool", "minPoolSize", "maxPoolSize", "poolName");
  }

  @Override
  Map<String, String> needed(Mode mode) {
    switch (mode) {
      case PREPARED:
        return Map.of("useServerPrepStmts", "true");
      case SEVERAL:
        return Map.of("allowMultiQueries", "true");
      default:
        return Map.of();
    }
  }

  /**
   * MariaDbPoolDataSource. It sets autocommit back when a connection returns, so that the value is an option of its
   * connections; set by an operation, each would send it twice more.
   */
  @Override
  Pool pool(ClassLoader loader, String url, Properties properties, PoolSettings settings) throws Exception {
    Properties options = new Properties();
    options.putAll(properties);
    options.setProperty("autocommit", Boolean.toString(settings.autocommit()));
    options.setProperty("minPoolSize", Integer.toString(settings.size()));
    options.setProperty("maxPoolSize", Integer.toString(settings.size()));
    options.setProperty("poolName", "assay-" + POOLS.incrementAndGet()); // else pools of the same address are one
    String user = (String) options.remove("user");
    String password = (String) options.remove("password");
    StringBuilder address = new StringBuilder(url);
    for (String name : options.stringPropertyNames()) {
      address.append(address.length() == url.length() ? '?' : '&').append(name).append('=')
          .append(options.getProperty(name));
    }
    Class<?> type = Class.forName("org.mariadb.jdbc.MariaDbPoolDataSource", true, loader);
    Object pool = type.getDeclaredConstructor().newInstance();
    set(pool, "setUser", user);
    set(pool, "setPassword", password);
    set(pool, "setUrl", address.toString()); // the last one: from then on it connects
    return new MariaDbPool((DataSource) pool, (AutoCloseable) pool);
  }

  private static void set(Object pool, String method, String value) throws Exception {
    try {
      pool.getClass().getMethod(method, String.class).invoke(pool, value);
    } catch (InvocationTargetException e) {
      throw e.getCause() instanceof SQLException s ? s : e;
    }
  }

  private record MariaDbPool(DataSource source, AutoCloseable closing) implements Pool {
    @Override
    public Session acquire() throws Exception {
      return new JdbcSession(source.getConnection());
    }

    @Override
    public void close() throws Exception {
      closing.close();
    }
  }
}

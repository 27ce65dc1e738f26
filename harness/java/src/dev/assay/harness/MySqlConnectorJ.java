package dev.assay.harness;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

/** MySQL Connector/J, under its old name on Maven Central (mysql-connector-java) as well. */
final class MySqlConnectorJ extends JdbcDriver {
  MySqlConnectorJ(Path folder) throws IOException {
    super("mysql-connector-j", "com.mysql.cj.jdbc.Driver", "jdbc:mysql:", folder, "mysql-connector-j",
        "mysql-connector-java");
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
        "InList", "a new PreparedStatement for each chunk: parameters written into the text by the driver, COM_QUERY",
        "Batch", "addBatch, executeBatch of a new PreparedStatement: one COM_QUERY for each row, each waited for, and on MySQL"
            + " one more for each batch that asks whether the session may write; with rewriteBatchedStatements=true as few"
            + " texts as fit",
        "Concurrency", CONCURRENCY);
  }

  @Override
  public Map<String, String> cannot() {
    Map<String, String> cannot = new HashMap<>(super.cannot());
    cannot.put("Pool", "its ConnectionPoolDataSource makes connections for the pools of others");
    return cannot;
  }

  @Override
  Properties pinned(String version, Target target) throws Exception {
    Properties p = new Properties();
    p.setProperty("characterEncoding", "UTF-8"); // utf8mb4 on the server's side
    // Without encryption, the password of caching_sha2_password is encrypted with a key that the server sends.
    p.setProperty("allowPublicKeyRetrieval", "true");
    if (target.authority() == null) {
      p.setProperty("sslMode", "DISABLED");
      return p;
    }
    p.setProperty("sslMode", "VERIFY_IDENTITY");
    p.setProperty("trustCertificateKeyStoreUrl", TrustStore.of(Path.of(target.authority())).toUri().toString());
    p.setProperty("trustCertificateKeyStoreType", TrustStore.TYPE);
    p.setProperty("trustCertificateKeyStorePassword", TrustStore.PASSWORD);
    p.setProperty("fallbackToSystemTrustStore", "false");
    if (Jars.major(version) < 9) {
      // By itself, 8.0.26 offers MariaDB only the versions of TLS that Java does not do any more.
      p.setProperty("enabledTLSProtocols", "TLSv1.2,TLSv1.3");
    }
    return p;
  }

  @Override
  Set<String> refused() {
    return Set.of("user", "password", "useSSL", "requireSSL", "verifyServerCertificate", "trustCertificateKeyStoreUrl",
        "trustCertificateKeyStoreType", "trustCertificateKeyStorePassword", "fallbackToSystemTrustStore",
        "connectionCollation");
  }

  @Override
  Map<String, String> needed(Mode mode) {
    switch (mode) {
      case PREPARED:
        // Without emulation the driver says so when the server prepares no such statement.
        return Map.of("useServerPrepStmts", "true", "emulateUnsupportedPstmts", "false");
      case SEVERAL:
        return Map.of("allowMultiQueries", "true");
      default:
        return Map.of();
    }
  }

  @Override
  Pool pool(ClassLoader loader, String url, Properties properties, PoolSettings settings) {
    throw new UnsupportedOperationException();
  }
}

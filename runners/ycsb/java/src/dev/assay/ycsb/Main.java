package dev.assay.ycsb;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;

/**
 * What a client runs instead of site.ycsb.Client, which ends with 0 whatever went wrong:
 *
 * <pre>
 *   load|await|run|drop  [options of site.ycsb.Client]
 * </pre>
 *
 * load makes the table and loads; await waits for the table and loads; run measures; drop drops the table. Each tells
 * first what it talks to, and last whether all of it was done (see runners/ycsb/README.md).
 */
public final class Main {
  private Main() {
  }

  public static void main(String[] args) throws Exception {
    if (args.length == 0) {
      System.err.println("usage: load|await|run|drop [options of site.ycsb.Client]");
      System.exit(2);
    }
    String[] rest = Arrays.copyOfRange(args, 1, args.length);
    String failure;
    try {
      Properties p = properties(rest);
      Certificates.convert(p);
      failure = begin(args[0], p);
      if (failure.isEmpty() && !args[0].equals("drop")) {
        runClient(args[0], p, rest);
        return; // The hook has the last word.
      }
    } catch (IOException | GeneralSecurityException | ClassNotFoundException | IllegalArgumentException e) {
      failure = e.toString();
    }
    String counted = Ledger.close(0, false);
    System.exit(end(failure.isEmpty() ? counted : failure));
  }

  /** Prints the last line and gives back the exit code. */
  private static int end(String failure) {
    Ledger.say(failure.isEmpty() ? "COMPLETE" : "INCOMPLETE, " + Ledger.oneLine(new Exception(failure)));
    return failure.isEmpty() ? 0 : 1;
  }

  /** The part before YCSB: says what it talks to, and makes, awaits or drops the table. Empty if all went well. */
  private static String begin(String phase, Properties p) throws ClassNotFoundException, InterruptedException {
    Settings settings = new Settings(p);
    if (!settings.driver.isEmpty()) {
      Class.forName(settings.driver);
    }
    String doing = "CONNECT";
    boolean told = false;
    for (String url : settings.urls) {
      try (Connection connection = DriverManager.getConnection(url, settings.user, settings.password)) {
        if (!told) {
          describe(connection);
          told = true;
        }
        doing = "TABLE";
        table(phase, new Table(connection, p));
        doing = "CONNECT";
      } catch (SQLException e) {
        Ledger.error(doing, e);
        return doing.equals("TABLE") ? "the table could not be made ready" : "no connection could be made";
      }
    }
    return "";
  }

  private static void table(String phase, Table table) throws SQLException, InterruptedException {
    switch (phase) {
      case "load" -> table.create();
      case "await" -> table.await();
      case "drop" -> table.drop();
      case "run" -> { }
      default -> throw new IllegalArgumentException(phase + " is not load, await, run or drop");
    }
  }

  private static void describe(Connection connection) throws SQLException {
    var about = connection.getMetaData();
    Ledger.say("Java, " + System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
    Ledger.say("Driver, " + about.getDriverName() + " " + about.getDriverVersion());
    Ledger.say("Server, " + about.getDatabaseProductName() + " " + about.getDatabaseProductVersion());
    if (!Table.isMySQL(connection)) {
      return;
    }
    Map<String, String> ssl = new HashMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SHOW SESSION STATUS LIKE 'Ssl_%'")) {
      while (rows.next()) {
        ssl.put(rows.getString(1).toLowerCase(java.util.Locale.ROOT), rows.getString(2));
      }
    }
    String cipher = ssl.getOrDefault("ssl_cipher", "");
    Ledger.say("TLS, " + (cipher.isEmpty() ? "none" : ssl.getOrDefault("ssl_version", "-") + " " + cipher));
  }

  /** Starts YCSB, which ends the process by System.exit, with 0 in any case: the hook looks at what was done. */
  private static void runClient(String phase, Properties p, String[] rest) {
    int threads = Settings.integer(p, "threadcount", 1);
    boolean batches = new Settings(p).batchUpdates;
    Window.open(p, threads);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      System.out.flush();
      if (end(Ledger.close(threads, batches)) != 0) {
        System.err.flush();
        Runtime.getRuntime().halt(1);
      }
    }));
    String[] args = new String[rest.length + 1];
    args[0] = phase.equals("run") ? "-t" : "-load";
    System.arraycopy(rest, 0, args, 1, rest.length);
    site.ycsb.Client.main(args);
  }

  /** The properties as YCSB reads them: files first, then what the command line says. */
  static Properties properties(String[] args) throws IOException {
    Properties all = new Properties();
    Properties direct = new Properties();
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "-P" -> {
          try (InputStream in = Files.newInputStream(Path.of(args[++i]))) {
            all.load(in);
          }
        }
        case "-p" -> {
          String[] pair = args[++i].split("=", 2);
          direct.setProperty(pair[0], pair[1]);
        }
        case "-threads" -> direct.setProperty("threadcount", args[++i]);
        case "-target", "-db", "-l" -> i++;
        default -> { }
      }
    }
    all.putAll(direct);
    return all;
  }
}

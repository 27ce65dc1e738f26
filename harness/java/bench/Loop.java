package dev.assay.harness.bench;

import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Properties;

/**
 * SELECT 1 in a loop, written by hand, without the harness: what the harness is compared with.
 *
 * <p>java -cp 'lib/*' dev.assay.harness.bench.Loop DRIVER HOST PORT DATABASE: the driver is a jar, or the name of one without
 * its version in the folder drivers/ beside lib/. The user's name and password are in ASSAY_USERNAME and ASSAY_PASSWORD. Each
 * line of standard input is the seconds of a run, and is answered by {"operations":N,"nanoseconds":N}.
 */
public final class Loop {
  private Loop() {
  }

  public static void main(String[] args) throws Exception {
    if (args.length != 4) {
      throw new IllegalArgumentException("usage: Loop DRIVER HOST PORT DATABASE");
    }
    boolean mariadb = args[0].contains("mariadb");
    String url = (mariadb ? "jdbc:mariadb://" : "jdbc:mysql://") + args[1] + ":" + args[2] + "/" + args[3];
    Properties properties = new Properties();
    properties.setProperty("user", System.getenv("ASSAY_USERNAME"));
    properties.setProperty("password", System.getenv("ASSAY_PASSWORD"));
    properties.setProperty("sslMode", mariadb ? "disable" : "DISABLED");
    properties.setProperty("allowPublicKeyRetrieval", "true");
    URLClassLoader loader =
        new URLClassLoader(new URL[] {jar(args[0]).toURI().toURL()}, ClassLoader.getPlatformClassLoader());
    String driver = mariadb ? "org.mariadb.jdbc.Driver" : "com.mysql.cj.jdbc.Driver";
    Connection connection = ((Driver) Class.forName(driver, true, loader).getDeclaredConstructor().newInstance())
        .connect(url, properties);
    try (Statement statement = connection.createStatement();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        long[] answer = loop(statement, Double.parseDouble(line));
        System.out.println("{\"operations\":" + answer[0] + ",\"nanoseconds\":" + answer[1] + "}");
      }
    }
    System.exit(0);
  }

  private static long[] loop(Statement statement, double seconds) throws SQLException {
    long limit = (long) (seconds * 1e9);
    long begin = System.nanoTime();
    for (long n = 0;; n++) {
      long took = System.nanoTime() - begin;
      if (took >= limit) {
        return new long[] {n, took};
      }
      try (ResultSet rows = statement.executeQuery("SELECT 1")) {
        while (rows.next()) {
          rows.getLong(1);
        }
      }
    }
  }

  /** Of several versions, the last one by name: enough for those that are here. */
  private static File jar(String name) throws Exception {
    File file = new File(name);
    if (file.isFile()) {
      return file;
    }
    File here = new File(Loop.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    File[] found = new File(here.getParentFile().getParentFile(), "drivers")
        .listFiles((folder, jar) -> jar.startsWith(name + "-") && jar.endsWith(".jar"));
    if (found == null || found.length == 0) {
      throw new IllegalArgumentException("there is no jar of the driver " + name);
    }
    Arrays.sort(found);
    return found[found.length - 1];
  }
}

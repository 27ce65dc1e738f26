package dev.assay.ycsb;

import java.util.Properties;

/**
 * The properties of the binding, with the names that YCSB's own JDBC binding gave them. Numbers and truth values are
 * read strictly: YCSB's binding takes "true " (with a blank) for false, which has spoilt published results.
 */
public final class Settings {
  /** Connection URLs, one per shard. */
  public final String[] urls;
  public final String driver;
  public final String user;
  public final String password;
  /** Inserts per batch or transaction; 0 or less for none. */
  public final int batchSize;
  /** Rows per fetch of a scan; 0 or less leaves it to the driver. */
  public final int fetchSize;
  public final boolean autoCommit;
  /** Inserts go to the driver as batches. */
  public final boolean batchUpdates;

  public Settings(Properties p) {
    driver = p.getProperty("db.driver", "");
    user = p.getProperty("db.user", "");
    password = p.getProperty("db.passwd", "");
    urls = split(p.getProperty("db.url", ""), p.getProperty("db.urlsharddelim", ";"));
    batchSize = integer(p, "db.batchsize", 0);
    fetchSize = integer(p, "jdbc.fetchsize", 0);
    autoCommit = truth(p, "jdbc.autocommit", true);
    batchUpdates = truth(p, "jdbc.batchupdateapi", false);
  }

  /** A delimiter counts only in front of another URL: those of SQL Server have semicolons of their own. */
  static String[] split(String urls, String delimiter) {
    if (urls.isEmpty()) {
      throw new IllegalArgumentException("db.url is empty: it takes one URL, or several with db.urlsharddelim between");
    }
    return urls.split(java.util.regex.Pattern.quote(delimiter) + "(?=jdbc:)");
  }

  static int integer(Properties p, String name, int otherwise) {
    String value = p.getProperty(name);
    if (value == null) {
      return otherwise;
    }
    try {
      return Integer.parseInt(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + ": '" + value + "' is not a whole number: blanks around it count");
    }
  }

  static boolean truth(Properties p, String name, boolean otherwise) {
    String value = p.getProperty(name);
    if (value == null) {
      return otherwise;
    }
    if (value.equalsIgnoreCase("true") || value.equalsIgnoreCase("false")) {
      return Boolean.parseBoolean(value);
    }
    throw new IllegalArgumentException(name + ": '" + value + "' is neither true nor false: blanks around it count");
  }
}

package dev.assay.ycsb;

/** The statements of the binding, as YCSB's own writes them. */
public enum Dialect {
  /** MySQL, MariaDB and whoever knows LIMIT. */
  LIMIT,
  /** SQL:2008. */
  FETCH_FIRST,
  /** SQL Server. */
  TOP,
  /** Informix. */
  FIRST;

  private static final String KEY = "YCSB_KEY";

  /** By the name of the driver's class, as YCSB's binding decides. */
  public static Dialect of(String driver) {
    if (driver.contains("sqlserver")) {
      return TOP;
    }
    if (driver.contains("informix")) {
      return FIRST;
    }
    return driver.contains("oracle") || driver.contains("postgres") ? FETCH_FIRST : LIMIT;
  }

  /** Whether a scan has the number of rows as its first parameter, and the key as its second. */
  public boolean rowsFirst() {
    return this == TOP || this == FIRST;
  }

  /** A column that holds the values of a field, however long they are; Informix has none of that kind without a storage of its own. */
  public String text(String fieldLength) {
    switch (this) {
      case TOP:
        return "VARCHAR(MAX)";
      case FIRST:
        return "LVARCHAR(" + fieldLength + ")";
      default:
        return "TEXT";
    }
  }

  /** The primary key of a table. Informix has the name of a constraint behind it, so that it has none there. */
  public String primaryKey() {
    return (this == FIRST ? "" : "CONSTRAINT pk_usertable ") + "PRIMARY KEY (" + KEY + ")";
  }

  public String read(String table) {
    return "SELECT * FROM " + table + " WHERE " + KEY + " = ?";
  }

  public String scan(String table) {
    String rows = " FROM " + table + " WHERE " + KEY + " >= ? ORDER BY " + KEY;
    switch (this) {
      case TOP:
        return "SELECT TOP (?) *" + rows;
      case FIRST:
        return "SELECT FIRST ? *" + rows;
      case FETCH_FIRST:
        return "SELECT *" + rows + " FETCH FIRST ? ROWS ONLY";
      default:
        return "SELECT *" + rows + " LIMIT ?";
    }
  }

  public String delete(String table) {
    return "DELETE FROM " + table + " WHERE " + KEY + " = ?";
  }

  public String update(String table, Iterable<String> fields) {
    return "UPDATE " + table + " SET " + String.join("=?, ", fields) + "=? WHERE " + KEY + " = ?";
  }

  public String insert(String table, Iterable<String> fields) {
    StringBuilder marks = new StringBuilder("?");
    fields.forEach(field -> marks.append(",?"));
    return "INSERT INTO " + table + " (" + KEY + "," + String.join(",", fields) + ") VALUES(" + marks + ")";
  }
}

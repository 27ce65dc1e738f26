package dev.assay.harness;

import java.util.List;
import java.util.Map;

/** What this harness knows of a driver before anything is opened. */
interface Driver {
  String name();

  /** The first is the default. */
  List<String> versions();

  /** How each scheme that it can do is done; Pool, Encode and Concurrency are others. */
  Map<String, String> can();

  /** Why it cannot do others. */
  Map<String, String> cannot();

  /** Looks at options and encryption, and connects nothing. */
  Client open(String version, Target target) throws Exception;

  /** Where a connection goes, and how. The authority is the path of a PEM file, and null without encryption. */
  record Target(String host, int port, String database, String user, String password, String authority,
      Map<String, String> options) {
  }

  /** What a scheme needs of a connection from its beginning, because drivers decide it there. */
  enum Mode {
    PLAIN, PREPARED, SEVERAL;

    static Mode of(String scheme) {
      return scheme.equals("Prepared") ? PREPARED : scheme.equals("MultiStatement") ? SEVERAL : PLAIN;
    }
  }

  /** So many connections, with autocommit on or off. */
  record PoolSettings(Mode mode, boolean autocommit, int size) {
  }

  /** Makes connections of one driver to one target, for several threads at once. */
  interface Client {
    /** Refuses what the options of the connection exclude. */
    void check(Mode mode) throws Unsupported;

    Session connect(Mode mode) throws Exception;

    /** The driver's own pool. */
    Pool pool(PoolSettings settings) throws Exception;

    /** What the driver does with a statement and its parameters before anything is sent. */
    default void encode(String text, Object[] row) {
      throw new UnsupportedOperationException();
    }
  }

  /** Closing the session that acquire returns gives its connection back. */
  interface Pool {
    Session acquire() throws Exception;

    void close() throws Exception;
  }

  /**
   * One connection. Of an array of rows, those from an index up to another, exclusive, are meant; of each row, the values
   * from skip on. Without rows there are no parameters. A sink of null means that the statement is executed and has no rows;
   * else all rows of the answer go there.
   */
  interface Session {
    void call(String text, Object[][] rows, int from, int to, int skip, Rows sink) throws Exception;

    /** As call, for a text of several statements without rows in their answers. */
    void calls(String text, Object[][] rows, int from, int to) throws Exception;

    /**
     * Prepares a statement. MariaDB's driver does so no earlier than it must, together with the first execution; now makes
     * it do so at once.
     */
    Prepared prepare(String text, boolean now) throws Exception;

    /** All rows in one call: Batch, ExecuteMany, Pipelined. */
    void all(String scheme, String text, Object[][] rows, int from, int to) throws Exception;

    void autocommit(boolean on) throws Exception;

    void commit() throws Exception;

    void close() throws Exception;
  }

  /** A statement that is prepared on the server. A row of null means that it has no parameters. */
  interface Prepared {
    void call(Object[] row, Rows sink) throws Exception;

    void close() throws Exception;
  }
}

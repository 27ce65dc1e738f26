package dev.assay.harness;

import dev.assay.harness.Driver.Client;
import dev.assay.harness.Driver.Mode;
import dev.assay.harness.Driver.Pool;
import dev.assay.harness.Driver.Session;

/**
 * What a prepare opened: one session, and one pool if a run wants it. A session or pool that a run cannot use, because it
 * broke or was opened for schemes of another kind, is closed and opened again; there is never a second one beside it.
 */
final class Connection {
  final Client client;
  private Session session;
  private Mode sessionMode;
  private Pool pool;
  private String poolMode = "";

  Connection(Client client) {
    this.client = client;
  }

  Session session(Mode mode) throws Exception {
    if (session != null && sessionMode != mode) {
      closeSession();
    }
    if (session == null) {
      session = client.connect(mode);
      sessionMode = mode;
    }
    return session;
  }

  /** A pool that is filled. */
  Pool pool(Mode mode, boolean autocommit) throws Exception {
    String wanted = mode + " " + autocommit;
    if (pool != null && !poolMode.equals(wanted)) {
      closePool();
    }
    if (pool == null) {
      pool = client.pool(mode, autocommit);
      poolMode = wanted;
      pool.acquire().close();
    }
    return pool;
  }

  private void closeSession() throws Exception {
    Session closing = session;
    session = null;
    closing.close();
  }

  private void closePool() throws Exception {
    Pool closing = pool;
    pool = null;
    closing.close();
  }

  void close() throws Exception {
    try {
      if (pool != null) {
        closePool();
      }
    } finally {
      if (session != null) {
        closeSession();
      }
    }
  }

  /** Closes what something failed on: what state it is in nobody knows, and the failure before is what is told. */
  void drop() {
    try {
      close();
    } catch (Exception e) {
      System.err.println("harness: closing after a failure: " + e.getMessage());
    }
  }
}

package dev.assay.harness;

import dev.assay.harness.Driver.Client;
import dev.assay.harness.Driver.Mode;
import dev.assay.harness.Driver.Pool;
import dev.assay.harness.Driver.PoolSettings;
import dev.assay.harness.Driver.Session;
import java.util.ArrayList;
import java.util.List;

/**
 * What a prepare opened: one session, more of them if a run has more workers, and one pool if a run wants it. Sessions or a
 * pool that a run cannot use, because something broke or they were opened for schemes of another kind, are closed and opened
 * again; there are no second ones beside them, unless a pool could not be closed.
 */
final class Connection {
  final Client client;
  private final List<Session> sessions = new ArrayList<>();
  private Mode mode = Mode.PLAIN;
  private Pool pool;
  private PoolSettings settings;

  Connection(Client client) {
    this.client = client;
  }

  /** So many sessions, or more: those that a run does not need stay for one that does. */
  List<Session> sessions(Mode wanted, int count) throws Exception {
    if (mode != wanted) {
      closeSessions();
      mode = wanted;
    }
    while (sessions.size() < count) {
      sessions.add(client.connect(mode));
    }
    return sessions;
  }

  /** A pool that is filled. */
  Pool pool(PoolSettings wanted) throws Exception {
    if (pool != null && !settings.equals(wanted)) {
      try {
        closePool();
      } catch (Exception e) { // such as of a connection that the server has ended meanwhile
        System.err.println("harness: closing a pool of other settings: " + e.getMessage());
      }
    }
    if (pool == null) {
      pool = client.pool(wanted);
      settings = wanted;
      fill(pool, wanted.size());
    }
    return pool;
  }

  /** Pools open connections when they want: who has them all at once knows that all are there. */
  private static void fill(Pool pool, int size) throws Exception {
    List<Session> all = new ArrayList<>();
    try {
      while (all.size() < size) {
        all.add(pool.acquire());
      }
    } finally {
      close(all);
    }
  }

  private void closeSessions() throws Exception {
    List<Session> closing = List.copyOf(sessions);
    sessions.clear();
    close(closing);
  }

  /** Closes all, also those behind one that cannot be closed, and throws what failed first. */
  private static void close(List<Session> closing) throws Exception {
    Exception first = null;
    for (Session session : closing) {
      try {
        session.close();
      } catch (Exception e) {
        first = first == null ? e : first;
      }
    }
    if (first != null) {
      throw first;
    }
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
      closeSessions();
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

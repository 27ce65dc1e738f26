package dev.assay.harness;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Makes sessions, and pools of them, whose calls do what a test says. */
final class FakeClient implements Driver.Client {
  final List<FakeSession> sessions = new ArrayList<>();
  final List<FakePool> pools = new ArrayList<>();
  FakeSession.Call call = (value, sink) -> {
  };
  /** So many sessions may be open at once. */
  long most = Long.MAX_VALUE;

  @Override
  public void check(Driver.Mode mode) {
  }

  @Override
  public synchronized FakeSession connect(Driver.Mode mode) {
    if (open() >= most) {
      throw new IllegalStateException("too many connections");
    }
    FakeSession session = new FakeSession((value, sink) -> call.with(value, sink));
    sessions.add(session);
    return session;
  }

  long open() {
    return sessions.stream().filter(session -> session.closed == 0).count();
  }

  @Override
  public FakePool pool(Driver.PoolSettings settings) {
    FakePool pool = new FakePool(settings);
    pools.add(pool);
    return pool;
  }

  /** It only opens a connection when all others are in use. */
  final class FakePool implements Driver.Pool {
    final Driver.PoolSettings settings;
    final List<FakeSession> opened = new ArrayList<>();
    boolean closed;
    private final ConcurrentLinkedQueue<FakeSession> idle = new ConcurrentLinkedQueue<>();

    FakePool(Driver.PoolSettings settings) {
      this.settings = settings;
    }

    @Override
    public synchronized Driver.Session acquire() {
      FakeSession session = idle.poll();
      if (session == null) {
        session = connect(settings.mode());
        session.given = idle::add;
        opened.add(session);
      }
      return session;
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}

package dev.assay.harness;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Remembers the first value of each row that it is called with, and what else happened to it. */
final class FakeSession implements Driver.Session {
  /** What a call does, on the thread that calls: it gets the first value of the row. */
  interface Call {
    void with(long value, Rows sink) throws Exception;
  }

  final List<Object> first = new ArrayList<>();
  final List<Boolean> autocommits = new ArrayList<>();
  int commits;
  /** How often, for one of a pool. */
  int closed;
  /** Where close gives it to. */
  Consumer<FakeSession> given = session -> {
  };
  private final Call call;

  FakeSession() {
    this((value, sink) -> {
    });
  }

  FakeSession(Call call) {
    this.call = call;
  }

  @Override
  public void call(String text, Object[][] rows, int from, int to, int skip, Rows sink) throws Exception {
    for (int i = from; i < to; i++) {
      first.add(rows[i][0]);
      call.with((Long) rows[i][0], sink);
    }
  }

  @Override
  public void calls(String text, Object[][] rows, int from, int to) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Driver.Prepared prepare(String text, boolean now) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void all(String scheme, String text, Object[][] rows, int from, int to) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void autocommit(boolean on) {
    autocommits.add(on);
  }

  @Override
  public void commit() {
    commits++;
  }

  @Override
  public void close() {
    closed++;
    given.accept(this);
  }
}

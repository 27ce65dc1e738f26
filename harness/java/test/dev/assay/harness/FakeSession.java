package dev.assay.harness;

import java.util.ArrayList;
import java.util.List;

/** Remembers the first value of each row that it is called with. */
final class FakeSession implements Driver.Session {
  final List<Object> first = new ArrayList<>();

  @Override
  public void call(String text, Object[][] rows, int from, int to, int skip, Rows sink) {
    for (int i = from; i < to; i++) {
      first.add(rows[i][0]);
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
  }

  @Override
  public void commit() {
  }

  @Override
  public void close() {
  }
}

package dev.assay.harness;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Opens and sends nothing: what remains is the harness. */
final class NullDriver implements Driver {
  private static final String TEXT = "nothing but the text";

  @Override
  public String name() {
    return "null";
  }

  @Override
  public List<String> versions() {
    return List.of("1");
  }

  @Override
  public Map<String, String> can() {
    Map<String, String> can = new HashMap<>(Map.of("SingleRow", "nothing", "Prepared", "nothing", "ExecuteMany", "nothing",
        "Pipelined", "nothing", "MultiRow", TEXT, "MultiStatement", TEXT, "InList", TEXT, "Batch", "nothing", "Pool", "nothing",
        "Encode", "nothing"));
    can.put("Concurrency", "platform threads");
    return can;
  }

  @Override
  public Map<String, String> cannot() {
    return Map.of();
  }

  @Override
  public Client open(String version, Target target) {
    return new Nothing();
  }

  private static final class Nothing implements Client, Pool, Session, Prepared {
    @Override
    public void check(Mode mode) {
    }

    @Override
    public Session connect(Mode mode) {
      return this;
    }

    @Override
    public Pool pool(PoolSettings settings) {
      return this;
    }

    @Override
    public void encode(String text, Object[] row) {
    }

    @Override
    public Session acquire() {
      return this;
    }

    @Override
    public void call(String text, Object[][] rows, int from, int to, int skip, Rows sink) {
    }

    @Override
    public void calls(String text, Object[][] rows, int from, int to) {
    }

    @Override
    public Prepared prepare(String text, boolean now) {
      return this;
    }

    @Override
    public void all(String scheme, String text, Object[][] rows, int from, int to) {
    }

    @Override
    public void autocommit(boolean on) {
    }

    @Override
    public void commit() {
    }

    @Override
    public void call(Object[] row, Rows sink) {
    }

    @Override
    public void close() {
    }
  }
}

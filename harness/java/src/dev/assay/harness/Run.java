package dev.assay.harness;

import com.google.gson.JsonObject;
import dev.assay.harness.Driver.Mode;
import dev.assay.harness.Driver.Pool;
import dev.assay.harness.Driver.Session;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/** One run: what is untimed before and after its operations, and these. */
final class Run {
  private interface Operation {
    void run() throws Exception;
  }

  private static final List<String> KINDS = List.of("Execute", "Query", "Connect", "Encode");

  private final Connection connection;
  private final Histogram histogram;
  private final long operations;
  private final double seconds;
  private final String kind;
  private final String session;
  private final boolean one;
  private final Mode mode;
  private final Work work; // null for the kind Connect
  private Operation after = () -> {
  };

  /** Checks the request before anything is opened, so that what cannot be done is said without a failure. */
  Run(Request request, Connection connection, Histogram histogram, Object[][] data) throws Unsupported {
    this.connection = connection;
    this.histogram = histogram;
    operations = request.number("operations");
    seconds = request.seconds();
    kind = known("kind", request.text("kind"), KINDS);
    session = known("session", request.text("session", "Dedicated"), List.of("Dedicated", "Pool", "New"));
    one = known("transaction", request.text("transaction", "Autocommit"), List.of("Autocommit", "One")).equals("One");
    if (operations < 0 || seconds < 0 || (operations > 0) == (seconds > 0)) {
      throw new IllegalArgumentException("either operations or seconds has to be greater than 0");
    }
    String scheme = request.text("scheme");
    mode = Mode.of(scheme);
    work = kind.equals("Connect") ? null : new Work(request, data);
    if (kind.equals("Execute") || kind.equals("Query")) {
      if (!connection.driver.schemes().containsKey(scheme)) {
        throw new Unsupported(connection.driver.name() + " cannot do the scheme \"" + scheme + "\"");
      }
      connection.client.check(mode);
      work.choose(scheme);
    }
  }

  private static String known(String field, String value, List<String> all) throws Unsupported {
    if (!all.contains(value)) {
      throw new Unsupported("the " + field + " \"" + value + "\" is not known here");
    }
    return value;
  }

  JsonObject measure() throws Exception {
    Operation operation = operation();
    histogram.reset();
    long begin = System.nanoTime();
    System.gc();
    long before = System.nanoTime() - begin;
    long count = collections();
    long milliseconds = collectionMilliseconds();
    JsonObject answer = new JsonObject();
    repeat(operation, answer);
    JsonObject collection = new JsonObject();
    collection.addProperty("before", before);
    collection.addProperty("count", collections() - count);
    collection.addProperty("nanoseconds", (collectionMilliseconds() - milliseconds) * 1_000_000);
    after.run();
    Rows sink = work == null ? null : work.sink;
    answer.addProperty("rows", sink == null ? 0 : sink.total());
    answer.addProperty("checksum", sink == null ? 0 : sink.checksum());
    answer.add("histogram", histogram.buckets());
    answer.add("collection", collection);
    return answer;
  }

  /**
   * Does the operation so many times, or as often as one begins within so many seconds, and records how long each took.
   */
  private void repeat(Operation operation, JsonObject answer) throws Exception {
    long limit = (long) (seconds * 1e9);
    long first = System.nanoTime();
    long begin = first;
    for (long n = 1; ; n++) {
      operation.run();
      long end = System.nanoTime();
      histogram.record(end - begin);
      begin = System.nanoTime();
      if (n == operations || operations == 0 && begin - first >= limit) {
        answer.addProperty("operations", n);
        answer.addProperty("nanoseconds", Math.max(end - first, 1));
        return;
      }
    }
  }

  /** Does everything that is not timed, and returns the operation. */
  private Operation operation() throws Exception {
    if (kind.equals("Encode")) {
      Object[] row = work.first();
      connection.client.encode(work.template.text, row);
      return () -> connection.client.encode(work.template.text, row);
    }
    if (kind.equals("Connect")) {
      return () -> connection.client.connect(Mode.PLAIN).close();
    }
    switch (session) {
      case "New":
        return this::anew;
      case "Pool":
        Pool pool = connection.pool(mode, !one);
        return () -> pooled(pool);
      default:
        return dedicated(connection.session(mode));
    }
  }

  private Operation dedicated(Session session) throws Exception {
    work.keepPrepared(session);
    if (one) {
      session.autocommit(false);
    }
    after = () -> {
      work.closePrepared();
      if (one) {
        session.autocommit(true);
      }
    };
    return () -> on(session);
  }

  private void anew() throws Exception {
    Session session = connection.client.connect(mode);
    try {
      if (one) {
        session.autocommit(false);
      }
      on(session);
    } finally {
      session.close();
    }
  }

  /** Connections of the pool have the autocommit that the run wants. */
  private void pooled(Pool pool) throws Exception {
    Session session = pool.acquire();
    try {
      on(session);
    } finally {
      session.close();
    }
  }

  private void on(Session session) throws Exception {
    if (work.sink != null) {
      work.sink.begin();
    }
    work.body.on(session);
    if (one) {
      session.commit();
    }
  }

  private static long collections() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(GarbageCollectorMXBean::getCollectionCount).sum();
  }

  private static long collectionMilliseconds() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(GarbageCollectorMXBean::getCollectionTime).sum();
  }
}

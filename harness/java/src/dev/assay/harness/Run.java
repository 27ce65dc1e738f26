package dev.assay.harness;

import com.sun.management.ThreadMXBean;
import dev.assay.harness.Driver.Mode;
import dev.assay.harness.Driver.Pool;
import dev.assay.harness.Driver.Session;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;

/** One run: what is untimed before and after its operations, and these. */
final class Run {
  private interface Operation {
    void run() throws Exception;
  }

  private final Request request;
  private final Connection connection;
  private final Histogram histogram;
  private final Mode mode;
  private final Work work;
  private Operation after = () -> {
  };

  /** Refuses what the options of the connection exclude, before anything is opened. */
  Run(Request request, Connection connection, Histogram histogram, Object[][] data) throws Unsupported {
    this.request = request;
    this.connection = connection;
    this.histogram = histogram;
    mode = Mode.of(request.scheme);
    connection.client.check(mode);
    work = new Work(request, data);
  }

  Map<String, Object> measure() throws Exception {
    Operation operation = operation();
    histogram.reset();
    long begin = System.nanoTime();
    System.gc();
    long before = System.nanoTime() - begin;
    long count = collections();
    long milliseconds = collectionMilliseconds();
    Map<String, Object> answer = new LinkedHashMap<>();
    long allocated = allocated();
    repeat(operation, answer);
    Map<String, Object> collection = new LinkedHashMap<>();
    if (allocated >= 0) {
      collection.put("allocated", allocated() - allocated);
    }
    collection.put("before", before);
    collection.put("count", collections() - count);
    collection.put("nanoseconds", (collectionMilliseconds() - milliseconds) * 1_000_000);
    answer.put("collection", collection);
    after.run();
    answer.put("rows", work.sink == null ? 0 : work.sink.total());
    answer.put("checksum", work.sink == null ? 0 : work.sink.checksum());
    answer.put("histogram", histogram.buckets());
    return answer;
  }

  /**
   * Does the operation so many times, or as often as one begins within so many seconds, and records how long each took.
   */
  private void repeat(Operation operation, Map<String, Object> answer) throws Exception {
    long operations = request.operations;
    long limit = (long) (request.seconds * 1e9);
    long used = CpuTime.now();
    long first = System.nanoTime();
    long begin = first;
    for (long n = 1; ; n++) {
      operation.run();
      long end = System.nanoTime();
      histogram.record(end - begin);
      begin = System.nanoTime();
      if (n == operations || operations == 0 && begin - first >= limit) {
        CpuTime.put(answer, used, CpuTime.now(), end - first);
        answer.put("operations", n);
        answer.put("nanoseconds", Math.max(end - first, 1));
        return;
      }
    }
  }

  /** Does everything that is not timed, and returns the operation. */
  private Operation operation() throws Exception {
    if (request.kind.equals("Encode")) {
      Object[] row = work.first();
      return () -> connection.client.encode(request.statement, row);
    }
    if (request.kind.equals("Connect")) {
      return () -> connection.client.connect(Mode.PLAIN).close();
    }
    switch (request.session) {
      case "New":
        return this::anew;
      case "Pool":
        Pool pool = connection.pool(mode, !request.commit);
        return () -> pooled(pool);
      default:
        return dedicated(connection.session(mode));
    }
  }

  private Operation dedicated(Session session) throws Exception {
    work.keepPrepared(session);
    if (request.commit) {
      session.autocommit(false);
    }
    after = () -> {
      work.closePrepared();
      if (request.commit) {
        session.autocommit(true);
      }
    };
    return () -> on(session);
  }

  private void anew() throws Exception {
    Session session = connection.client.connect(mode);
    try {
      if (request.commit) {
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
    if (request.commit) {
      session.commit();
    }
  }

  /** Bytes that all threads have allocated on the heap since the start; negative where the runtime does not count them. */
  private static long allocated() {
    return ManagementFactory.getPlatformMXBean(ThreadMXBean.class).getTotalThreadAllocatedBytes();
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

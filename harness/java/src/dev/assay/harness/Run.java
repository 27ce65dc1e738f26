package dev.assay.harness;

import com.sun.management.ThreadMXBean;
import dev.assay.harness.Driver.Mode;
import dev.assay.harness.Driver.Pool;
import dev.assay.harness.Driver.PoolSettings;
import dev.assay.harness.Driver.Session;
import dev.assay.harness.Worker.Operation;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One run: what is untimed before and after its operations, what one of them does, and the answer. */
final class Run {
  private final Request request;
  private final Connection connection;
  private final Histogram histogram;
  private final Object[][] data;
  private final Mode mode;
  private final List<Worker> workers = new ArrayList<>();
  private final List<Operation> after = new ArrayList<>();

  /** Refuses what the options of the connection exclude, before anything is opened. */
  Run(Request request, Connection connection, Histogram histogram, Object[][] data) throws Unsupported {
    this.request = request;
    this.connection = connection;
    this.histogram = histogram;
    this.data = data;
    mode = Mode.of(request.scheme);
    connection.client.check(mode);
  }

  Map<String, Object> measure() throws Exception {
    histogram.reset();
    for (int i = 0; i < request.concurrency; i++) {
      workers.add(worker(i));
    }
    Crew crew = new Crew(workers, new Numbers(request));
    crew.gather();
    long begin = System.nanoTime();
    System.gc();
    long before = System.nanoTime() - begin;
    long count = collections();
    long milliseconds = collectionMilliseconds();
    long allocated = allocated();
    long used = CpuTime.now();
    crew.work();
    long usedAfter = CpuTime.now();
    Map<String, Object> collection = new LinkedHashMap<>();
    if (allocated >= 0) {
      collection.put("allocated", allocated() - allocated);
    }
    collection.put("before", before);
    collection.put("count", collections() - count);
    collection.put("nanoseconds", (collectionMilliseconds() - milliseconds) * 1_000_000);
    for (Operation operation : after) {
      operation.run();
    }
    Map<String, Object> answer = together();
    CpuTime.put(answer, used, usedAfter, nanoseconds());
    answer.put("collection", collection);
    return answer;
  }

  /** From the beginning of the first operation to the end of the last one to end. */
  private long nanoseconds() {
    // Readings of this clock are only compared by their differences.
    long origin = workers.get(0).began();
    long began = workers.stream().mapToLong(w -> w.began() - origin).min().orElseThrow();
    long ended = workers.stream().mapToLong(w -> w.ended() - origin).max().orElseThrow();
    return Math.max(ended - began, 1);
  }

  /** What all workers did together, as an answer has it. */
  private Map<String, Object> together() {
    Work last = workers.get(0).work;
    long rows = 0;
    for (Worker worker : workers) {
      Work work = worker.work;
      last = work.number > last.number ? work : last;
      rows += work.sink == null ? 0 : work.sink.total();
    }
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("nanoseconds", nanoseconds());
    answer.put("operations", last.number + 1); // all numbers below it were done
    answer.put("rows", rows);
    answer.put("checksum", last.sink == null ? 0 : last.sink.checksum());
    answer.put("histogram", histogram.buckets());
    return answer;
  }

  /** Does everything that is not timed, for one worker. */
  private Worker worker(int number) throws Exception {
    Work work = new Work(request, data, number);
    return new Worker(work, histogram, operation(work, number));
  }

  private Operation operation(Work work, int number) throws Exception {
    if (request.kind.equals("Encode")) {
      Object[] row = work.first();
      return () -> connection.client.encode(request.statement, row);
    }
    if (request.kind.equals("Connect")) {
      return () -> connection.client.connect(Mode.PLAIN).close();
    }
    switch (request.session) {
      case "New":
        return () -> anew(work);
      case "Pool":
        Pool pool = connection.pool(new PoolSettings(mode, !request.commit, request.concurrency));
        return () -> pooled(pool, work);
      default:
        return dedicated(connection.sessions(mode, request.concurrency).get(number), work);
    }
  }

  private Operation dedicated(Session session, Work work) throws Exception {
    work.keepPrepared(session);
    if (request.commit) {
      session.autocommit(false);
    }
    after.add(() -> {
      work.closePrepared();
      if (request.commit) {
        session.autocommit(true);
      }
    });
    return () -> on(session, work);
  }

  private void anew(Work work) throws Exception {
    Session session = connection.client.connect(mode);
    try {
      if (request.commit) {
        session.autocommit(false);
      }
      on(session, work);
    } finally {
      session.close();
    }
  }

  /** Connections of the pool have the autocommit that the run wants. */
  private void pooled(Pool pool, Work work) throws Exception {
    Session session = pool.acquire();
    try {
      on(session, work);
    } finally {
      session.close();
    }
  }

  private void on(Session session, Work work) throws Exception {
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

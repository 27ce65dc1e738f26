package dev.assay.harness;

import static dev.assay.harness.HarnessTest.equal;

import dev.assay.harness.HarnessTest.Case;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.zip.CRC32;

/** Runs of several operations at once, by a driver that does what a test says. Row n of the data has the value n. */
final class ConcurrencyTest {
  private static final Object[][] DATA = IntStream.range(0, 1000).mapToObj(n -> new Object[] {(long) n})
      .toArray(Object[][]::new);

  private ConcurrencyTest() {
  }

  static Map<String, Case> cases() {
    Map<String, Case> cases = new LinkedHashMap<>();
    cases.put("one worker does the operations in order", ConcurrencyTest::alone);
    cases.put("workers begin with their own numbers, and none is left out", ConcurrencyTest::numbers);
    cases.put("until the time has passed no number is left out", ConcurrencyTest::time);
    cases.put("as many operations as workers are under way at once", ConcurrencyTest::together);
    cases.put("the checksum is of the greatest number", ConcurrencyTest::checksum);
    cases.put("a failure ends all, and the next run has new connections", ConcurrencyTest::failure);
    cases.put("what is not ready fails before any operation", ConcurrencyTest::notReady);
    cases.put("connections of workers are kept", ConcurrencyTest::kept);
    cases.put("autocommit is switched on every connection", ConcurrencyTest::autocommit);
    cases.put("a pool is filled, and another size is another pool", ConcurrencyTest::pool);
    cases.put("with New every operation has a connection", ConcurrencyTest::anew);
    return cases;
  }

  private static Request request(int concurrency, long operations) {
    Request request = new Request();
    request.kind = "Execute";
    request.scheme = "SingleRow";
    request.session = "Dedicated";
    request.statement = "DO ?";
    request.rowsPerOperation = 1;
    request.concurrency = concurrency;
    request.operations = operations;
    return request;
  }

  private static Map<String, Object> measure(Request request, Connection connection) throws Exception {
    Histogram histogram = new Histogram();
    Map<String, Object> answer = new Run(request, connection, histogram, DATA).measure();
    equal(histogram.buckets().stream().mapToLong(bucket -> bucket[1]).sum(), answer.get("operations"));
    return answer;
  }

  private static List<Object> values(long count) {
    return LongStream.range(0, count).<Object>mapToObj(n -> n).toList();
  }

  /** What all sessions were called with, in order of the values. */
  private static List<Object> called(FakeClient client) {
    return client.sessions.stream().flatMap(session -> session.first.stream()).sorted().toList();
  }

  private static void alone() throws Exception {
    FakeClient client = new FakeClient();
    equal(measure(request(1, 5), new Connection(client)).get("operations"), 5L);
    equal(client.sessions.get(0).first, values(5));
    equal(client.sessions.size(), 1);
  }

  private static void numbers() throws Exception {
    for (int workers : new int[] {2, 4, 16}) {
      FakeClient client = new FakeClient();
      equal(measure(request(workers, 500), new Connection(client)).get("operations"), 500L);
      equal(called(client), values(500));
      equal(client.sessions.stream().map(session -> session.first.get(0)).toList(), values(workers));
    }
  }

  private static void time() throws Exception {
    FakeClient client = new FakeClient();
    client.call = (value, sink) -> Thread.sleep(1); // so that the data suffices
    Request request = request(4, 0);
    request.seconds = 0.02;
    long operations = (long) measure(request, new Connection(client)).get("operations");
    equal(called(client), values(operations));
    request.seconds = 1e-9; // it has passed when the first operations end
    client.sessions.clear();
    equal(measure(request, new Connection(client)).get("operations"), 4L);
    equal(called(client), values(4));
  }

  private static void together() throws Exception {
    FakeClient client = new FakeClient();
    CyclicBarrier four = new CyclicBarrier(4);
    client.call = (value, sink) -> four.await(1, TimeUnit.MINUTES);
    equal(measure(request(4, 12), new Connection(client)).get("operations"), 12L);
    equal(called(client), values(12));
  }

  private static void checksum() throws Exception {
    FakeClient client = new FakeClient();
    CountDownLatch last = new CountDownLatch(1);
    client.call = (value, sink) -> {
      if (value == 1) {
        last.await(1, TimeUnit.MINUTES); // so that it ends behind the operation 4
      }
      sink.fetch(FakeRows.of(new Object[] {value, "", "", 0L, 0.5}));
      if (value == 4) {
        last.countDown();
      }
    };
    Request request = request(2, 5);
    request.kind = "Query";
    Map<String, Object> answer = measure(request, new Connection(client));
    CRC32 want = new CRC32();
    want.update("4\t\t\t0\n".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    equal(answer.get("checksum"), want.getValue());
    equal(answer.get("rows"), 5L);
    equal(client.sessions.get(1).first, List.of(1L));
  }

  private static void failure() throws Exception {
    Request limited = request(4, 0);
    limited.seconds = 1;
    for (Request request : List.of(request(4, 500), limited)) {
      FakeClient client = new FakeClient();
      List<Object> ended = Collections.synchronizedList(new ArrayList<>());
      client.call = failing(ended);
      Connection connection = new Connection(client);
      equal(failureOf(request, connection), "the first error");
      equal(ended.stream().sorted().toList(), List.of(0L, 1L, 3L));
      equal(called(client), values(4));
      connection.drop();
      equal(client.open(), 0L);
      client.call = (value, sink) -> {
      };
      equal(measure(request(4, 8), connection).get("operations"), 8L);
      equal(client.open(), 4L);
    }
  }

  /** Of four operations under way the third fails, and the others end when its worker has: one by an error, too. */
  private static FakeSession.Call failing(List<Object> ended) {
    CountDownLatch begun = new CountDownLatch(4);
    CompletableFuture<Thread> failed = new CompletableFuture<>();
    return (value, sink) -> {
      begun.countDown();
      begun.await(1, TimeUnit.MINUTES);
      if (value == 2) {
        failed.complete(Thread.currentThread());
        throw new IllegalStateException("the first error");
      }
      failed.get(1, TimeUnit.MINUTES).join();
      ended.add(value);
      if (value == 3) {
        throw new IllegalStateException("another one");
      }
    };
  }

  private static String failureOf(Request request, Connection connection) throws Exception {
    try {
      measure(request, connection);
      return "nothing failed";
    } catch (IllegalStateException e) {
      return e.getMessage();
    }
  }

  private static void notReady() throws Exception {
    for (String session : List.of("Dedicated", "Pool")) {
      FakeClient client = new FakeClient();
      client.most = 3;
      Request request = request(4, 8);
      request.session = session;
      equal(failureOf(request, new Connection(client)), "too many connections");
      equal(called(client), List.of());
    }
  }

  private static void kept() throws Exception {
    FakeClient client = new FakeClient();
    Connection connection = new Connection(client);
    for (int workers : new int[] {1, 4, 2, 4, 1}) {
      measure(request(workers, 8), connection);
    }
    equal(client.sessions.size(), 4);
    equal(client.open(), 4L);
    connection.close();
    equal(client.open(), 0L);
  }

  private static void autocommit() throws Exception {
    FakeClient client = new FakeClient();
    Request request = request(4, 20);
    request.commit = true;
    client.call = (value, sink) -> client.sessions.forEach(session -> equal(session.autocommits, List.of(false)));
    measure(request, new Connection(client));
    for (FakeSession session : client.sessions) {
      equal(session.autocommits, List.of(false, true));
      equal(session.commits, session.first.size());
    }
  }

  private static void pool() throws Exception {
    FakeClient client = new FakeClient();
    Connection connection = new Connection(client);
    for (int workers : new int[] {4, 4, 2}) {
      Request request = request(workers, 20);
      request.session = "Pool";
      client.call = (value, sink) -> equal(client.pools.get(client.pools.size() - 1).opened.size(), workers);
      measure(request, connection);
    }
    equal(client.pools.stream().map(pool -> pool.settings.size()).toList(), List.of(4, 2));
    equal(client.pools.stream().map(pool -> pool.closed).toList(), List.of(true, false));
    equal(client.pools.stream().map(pool -> pool.opened.size()).toList(), List.of(4, 2));
  }

  private static void anew() throws Exception {
    FakeClient client = new FakeClient();
    CyclicBarrier four = new CyclicBarrier(4);
    client.call = (value, sink) -> four.await(1, TimeUnit.MINUTES);
    Request request = request(4, 20);
    request.session = "New";
    request.commit = true;
    measure(request, new Connection(client));
    equal(called(client), values(20));
    equal(client.sessions.size(), 20);
    equal(client.open(), 0L);
    client.sessions.forEach(session -> equal(session.commits, 1));
  }
}

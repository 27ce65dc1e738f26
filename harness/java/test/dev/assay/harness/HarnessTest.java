package dev.assay.harness;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Tests of the harness without a test framework: java -cp ... dev.assay.harness.HarnessTest DRIVERS ends with 1 if one fails. */
public final class HarnessTest {
  private static int failures;
  private static List<Driver> drivers;

  private HarnessTest() {
  }

  interface Case {
    void run() throws Exception;
  }

  public static void main(String[] args) throws Exception {
    drivers = Drivers.in(Path.of(args[0]));
    Map<String, Case> cases = new LinkedHashMap<>();
    cases.put("values are in buckets of three digits", HarnessTest::buckets);
    cases.put("texts of several rows", HarnessTest::texts);
    cases.put("versions are in order", HarnessTest::versions);
    cases.put("the checksum is of four values of each row", HarnessTest::checksum);
    cases.put("an operation has the rows of its number", HarnessTest::wrapping);
    cases.putAll(ConcurrencyTest.cases());
    cases.put("CPU time of too few steps is absent", HarnessTest::cpuTime);
    cases.put("every version is loaded, and knows its options", HarnessTest::options);
    cases.forEach((name, test) -> {
      int before = failures;
      try {
        test.run();
      } catch (Exception e) {
        failures++;
        e.printStackTrace();
      }
      System.out.println((failures == before ? "ok    " : "FAILED ") + name);
    });
    System.exit(failures == 0 ? 0 : 1);
  }

  static void equal(Object got, Object want) {
    if (!Objects.equals(got, want)) {
      failures++;
      System.out.println("got  " + got + "\nwant " + want);
    }
  }

  private static void buckets() {
    // A value and the lowest one of its bucket have one index, and the value below has the index before.
    long[][] expected = {{0, 0}, {2047, 2047}, {2048, 2048}, {2049, 2048}, {2050, 2050}, {4095, 4094}, {4099, 4096},
        {4100, 4100}, {270532609, 270532608}, {270794751, 270532608}, {270794752, 270794752},
        {Long.MAX_VALUE, 2047L << 52}};
    for (long[] pair : expected) {
      int index = Histogram.index(pair[1]);
      equal(Histogram.index(pair[0]), index);
      equal(pair[1] == 0 ? -1 : Histogram.index(pair[1] - 1), index - 1);
      equal(index < Histogram.PLACES, true);
    }
    Histogram histogram = new Histogram();
    histogram.record(new long[] {5000, 7, 5001, 7, 7, 9}, 5);
    equal(new com.google.gson.Gson().toJson(histogram.buckets()), "[[7,3],[3298,2]]");
    histogram.record(new long[] {5000, Long.MAX_VALUE}, 2);
    equal(new com.google.gson.Gson().toJson(histogram.buckets()), "[[7,3],[3298,3],[" + (Histogram.PLACES - 1) + ",1]]");
    histogram.reset();
    equal(histogram.buckets().size(), 0);
  }

  private static void texts() {
    Request request = new Request();
    request.statement = "UPDATE t SET a = ? WHERE id = ?";
    request.head = "INSERT INTO t (a, b) VALUES ";
    request.group = "(?, ?)";
    request.separator = ", ";
    request.tail = "!";
    equal(request.repeated(3), "INSERT INTO t (a, b) VALUES (?, ?), (?, ?), (?, ?)!");
    equal(request.inlined(-7), "UPDATE t SET a = -7 WHERE id = ?");
  }

  private static void unsupported(Case test) throws Exception {
    try {
      test.run();
      equal("it was taken", "unsupported");
    } catch (Unsupported e) {
      equal(e.getMessage().isEmpty(), false);
    }
  }

  private static void versions() {
    List<String> versions = new ArrayList<>(List.of("2.7.9", "3.5.11", "10", "2.7.15", "3.5"));
    versions.sort(Jars.newestFirst());
    equal(versions, List.of("10", "3.5.11", "3.5", "2.7.15", "2.7.9"));
    equal(Jars.major("10.2"), 10);
  }

  private static void checksum() throws Exception {
    Rows rows = new Rows();
    rows.begin();
    rows.fetch(FakeRows.of(new Object[] {9L, "forgotten", null, 0L, 0.5}));
    rows.begin();
    rows.fetch(FakeRows.of(new Object[] {1L, "\u00fc\ty", null, 1L, 0.5}, new Object[] {null, "", "x", 0L, 1.5}));
    java.util.zip.CRC32 want = new java.util.zip.CRC32();
    want.update("1\t\u00fc\ty\t\\N\t1\n\\N\t\tx\t0\n".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    equal(rows.checksum(), want.getValue());
    equal(rows.total(), 3L);
    equal(new Rows().checksum(), 0L);
  }

  private static void wrapping() throws Exception {
    Request request = new Request();
    request.kind = "Execute";
    request.scheme = "SingleRow";
    request.statement = "DO ?";
    request.rowsPerOperation = 2;
    Work work = new Work(request, new Object[][] {{1L}, {2L}, {3L}, {4L}}, 0);
    FakeSession session = new FakeSession();
    for (long number : new long[] {0, 1, 2, 5, 6, 1_000_000_000_001L}) {
      work.number = number;
      work.body.on(session);
    }
    equal(session.first, List.of(1L, 2L, 3L, 4L, 1L, 2L, 3L, 4L, 1L, 2L, 3L, 4L));
  }

  private static void cpuTime() {
    long least = CpuTime.LEAST;
    long[][] readings = {{7, 7, least}, {7, 8, least - 1}, {-1, 8, least}, {7, 8, least}};
    for (long[] of : readings) {
      Map<String, Object> answer = new LinkedHashMap<>();
      CpuTime.put(answer, of[0], of[1], of[2]);
      equal(answer, of == readings[3] ? Map.of("cpuNanoseconds", 1L) : Map.of());
    }
    equal(CpuTime.now() >= 0, true);
  }

  private static void options() throws Exception {
    for (Driver driver : drivers) {
      for (String version : driver.versions()) {
        if (driver.name().equals("null")) {
          continue;
        }
        Driver.Target target = new Driver.Target("127.0.0.1", 1, "d", "u", "p", null, Map.of("surprise", "1"));
        unsupported(() -> driver.open(version, target));
        for (String pinned : List.of("user", "allowPublicKeyRetrieval", "useSsl", "sslMode")) {
          Driver.Target forbidden = new Driver.Target("127.0.0.1", 1, "d", "u", "p", null, Map.of(pinned, "true"));
          unsupported(() -> driver.open(version, forbidden));
        }
        Driver.Client client = driver.open(version,
            new Driver.Target("127.0.0.1", 1, "d", "u", "p", null, Map.of("useServerPrepStmts", "false")));
        client.check(Driver.Mode.PLAIN);
        unsupported(() -> client.check(Driver.Mode.PREPARED));
        String batch = driver.name().startsWith("mysql") || version.startsWith("2.") ? "rewriteBatchedStatements"
            : "useBulkStmts";
        driver.open(version, new Driver.Target("127.0.0.1", 1, "d", "u", "p", null, Map.of(batch, "true")))
            .check(Driver.Mode.PREPARED);
      }
    }
  }
}

package dev.assay.harness;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
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
    cases.put("the places of buckets have no gap", HarnessTest::places);
    cases.put("texts of several rows", HarnessTest::texts);
    cases.put("versions are in order", HarnessTest::versions);
    cases.put("the checksum is of four values of each row", HarnessTest::checksum);
    cases.put("hello names drivers and versions", HarnessTest::hello);
    cases.put("null does everything", HarnessTest::everything);
    cases.put("operations go on where the one before ended", HarnessTest::wrapping);
    cases.put("a run by seconds takes them", HarnessTest::seconds);
    cases.put("what cannot be done is said, and the harness goes on", HarnessTest::refusals);
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

  private static void equal(Object got, Object want) {
    if (!Objects.equals(got, want)) {
      failures++;
      System.out.println("got  " + got + "\nwant " + want);
    }
  }

  private static void buckets() {
    long[][] expected = {{0, 0}, {2047, 2047}, {2048, 2048}, {2049, 2048}, {2050, 2050}, {4095, 4094}, {4099, 4096},
        {4100, 4100}, {270532609, 270532608}, {270794751, 270532608}, {270794752, 270794752},
        {Long.MAX_VALUE, 2047L << 52}};
    for (long[] pair : expected) {
      equal(Histogram.lowest(Histogram.index(pair[0])), pair[1]);
    }
    Histogram histogram = new Histogram();
    for (long value : new long[] {5000, 7, 5001, 7, 7}) {
      histogram.record(value);
    }
    equal(histogram.buckets().toString(), "[[7,3],[5000,2]]");
    histogram.reset();
    equal(histogram.buckets().size(), 0);
  }

  private static void places() {
    for (int i = 0; i < Histogram.PLACES; i++) {
      if (Histogram.index(Histogram.lowest(i)) != i) {
        equal(Histogram.index(Histogram.lowest(i)), i);
        return;
      }
    }
  }

  private static void texts() throws Exception {
    equal(new Template("INSERT INTO t (a, b) VALUES (?, ?)").multiRow().text(3),
        "INSERT INTO t (a, b) VALUES (?, ?), (?, ?), (?, ?)");
    equal(new Template("insert into t values(?, f('x', ?)) on duplicate key update b=1").multiRow().text(2),
        "insert into t values(?, f('x', ?)), (?, f('x', ?)) on duplicate key update b=1");
    equal(new Template("DELETE FROM t WHERE id IN (?)").inList().text(3), "DELETE FROM t WHERE id IN (?, ?, ?)");
    equal(new Template("DO ?").joined().text(2), "DO ?;DO ?");
    equal(new Template("UPDATE t SET a = ? WHERE id = ?").inlined(-7), "UPDATE t SET a = -7 WHERE id = ?");
    for (String text : List.of("UPDATE t SET a = ?", "INSERT INTO t VALUES ?", "INSERT INTO t VALUES (?",
        "INSERT INTO t VALUES", "INSERT INTO t VALUES (?) ON DUPLICATE KEY UPDATE a = ?")) {
      unsupported(() -> new Template(text).multiRow());
    }
    for (String text : List.of("DELETE FROM t WHERE id = ?", "DELETE FROM t WHERE a = ? AND id IN (?)", "SELECT f(?)")) {
      unsupported(() -> new Template(text).inList());
    }
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

  static final String PREPARE = "{'id':1,'do':'prepare','connection':'c','driver':'null'}";
  static final String DATA = "{'id':2,'do':'data','name':'d','rows':[[1,'a'],[2,null],[3,1.5]]}";

  /** Sends lines, with ' for ", to a new harness, and returns its last answers, as many as are asked for. */
  static List<JsonObject> talk(String... lines) {
    Harness harness = new Harness(drivers);
    List<JsonObject> answers = new ArrayList<>();
    for (String line : lines) {
      answers.add(JsonParser.parseString(harness.answer(line.replace('\'', '"'))).getAsJsonObject());
    }
    harness.close();
    return answers;
  }

  private static String run(String rest) {
    return "{'id':3,'do':'run','connection':'c'," + rest + "}";
  }

  private static void hello() {
    JsonObject answer = talk("{'id':7,'do':'hello','protocol':'assay.dev/driver/v1'}").get(0);
    equal(answer.get("id").getAsLong(), 7L);
    equal(answer.get("state").getAsString(), "ok");
    List<String> names = new ArrayList<>();
    for (JsonElement driver : answer.getAsJsonArray("drivers")) {
      names.add(driver.getAsJsonObject().get("name").getAsString() + " "
          + driver.getAsJsonObject().getAsJsonArray("versions").size());
    }
    equal(names, List.of("mysql-connector-j 2", "mariadb-java-client 2", "null 1"));
  }

  private static void everything() {
    for (String scheme : List.of("SingleRow", "Prepared", "ExecuteMany", "Pipelined", "MultiRow", "MultiStatement",
        "InList", "Batch")) {
      for (String session : List.of("Dedicated", "Pool", "New")) {
        for (String transaction : List.of("Autocommit", "One")) {
          boolean list = scheme.equals("InList");
          JsonObject answer = talk(PREPARE,
              list ? "{'id':2,'do':'data','name':'d','rows':[[1],[2],[3]]}" : DATA,
              run("'kind':'Execute','scheme':'" + scheme + "','transaction':'" + transaction + "','session':'" + session
                  + "','statement':'" + (list ? "DELETE FROM t WHERE id IN (?)" : "INSERT INTO t VALUES (?, ?)")
                  + "','data':'d','rowsPerOperation':2,'chunk':1,'operations':5"))
              .get(2);
          equal(answer.get("state").getAsString() + " " + answer.get("operations"), "ok 5");
          long total = 0;
          for (JsonElement bucket : answer.getAsJsonArray("histogram")) {
            total += bucket.getAsJsonArray().get(1).getAsLong();
          }
          equal(total, 5L);
        }
      }
    }
  }

  private static void wrapping() throws Exception {
    Object[][] data = {{1L}, {2L}, {3L}};
    Request request = Request.parse("{\"kind\":\"Execute\",\"statement\":\"DO ?\",\"rowsPerOperation\":2}");
    Work work = new Work(request, data);
    work.choose("SingleRow");
    FakeSession session = new FakeSession();
    for (int i = 0; i < 3; i++) {
      work.body.on(session);
    }
    equal(session.first, List.of(1L, 2L, 3L, 1L, 2L, 3L));
  }

  private static void seconds() {
    JsonObject answer = talk(PREPARE, run("'kind':'Connect','seconds':0.02")).get(1);
    equal(answer.get("nanoseconds").getAsLong() >= 10_000_000, true); // the last one may end before the time
    equal(answer.get("operations").getAsLong() > 1, true);
  }

  private static void refusals() {
    Map<String, String> cases = Refusals.cases();
    cases.forEach((line, want) -> {
      List<JsonObject> answers = talk(PREPARE, DATA, line, run("'kind':'Connect','operations':1"));
      JsonObject refused = answers.get(2);
      String got = refused.get("state").getAsString();
      if (!got.equals(want) || refused.get("id").getAsLong() != 3 || !refused.has("reason")) {
        equal(line + " " + refused, want);
      }
      equal(answers.get(3).get("state").getAsString(), "ok");
    });
  }

  private static void options() throws Exception {
    for (Driver driver : drivers) {
      for (String version : driver.versions()) {
        Driver.Target target = new Driver.Target("127.0.0.1", 1, "d", "u", "p", null, Map.of("surprise", "1"));
        unsupported(() -> driver.open(version, target));
        if (driver.name().equals("null")) {
          continue;
        }
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

package dev.assay.ycsb;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.Vector;
import site.ycsb.ByteIterator;
import site.ycsb.DBException;
import site.ycsb.Status;
import site.ycsb.StringByteIterator;
import site.ycsb.db.JdbcDBClient;

/** Tests of the binding without a test framework: java -cp ... dev.assay.ycsb.BindingTest ends with 1 if one fails. */
public final class BindingTest {
  private static int failures;

  private BindingTest() {
  }

  interface Case {
    void run() throws Exception;
  }

  public static void main(String[] args) {
    Map<String, Case> cases = new LinkedHashMap<>();
    // First, as YCSB has one set of histograms in a process, which is made with the properties of then.
    cases.put("a window has the histograms of its operations before the threads begin", BindingTest::histograms);
    cases.put("threads that are held wait for the window, and it ends the workload", BindingTest::window);
    cases.put("each operation is the statement of YCSB's binding", BindingTest::statements);
    cases.put("a row that is not there is NOT_FOUND or UNEXPECTED_STATE", BindingTest::absent);
    cases.put("an insert that fails is an error", BindingTest::failedInsert);
    cases.put("a batch is written when it is full, and the rest at the end", BindingTest::batches);
    cases.put("a batch that fails is an error of its last insert", BindingTest::failedBatch);
    cases.put("a rest that fails is an error of the cleanup", BindingTest::failedRest);
    cases.put("rows of a rewritten batch are confirmed without a number", BindingTest::rewrittenBatch);
    cases.put("each shard has batches of its own", BindingTest::shards);
    cases.put("without autocommit a batch of inserts is a transaction", BindingTest::transactions);
    cases.put("a scan of SQL Server has the number of rows first", BindingTest::sqlServer);
    cases.put("the statements of Informix", BindingTest::informix);
    cases.put("values with blanks are refused", BindingTest::blanks);
    cases.put("a delimiter counts only in front of another URL", BindingTest::urls);
    cases.put("a refused connection fails", BindingTest::refused);
    cases.put("new rows of two processes have different keys", BindingTest::ownInserts);
    cases.put("without an end but time, the keys that are chosen are rows", BindingTest::boundedByTime);
    cases.put("the command line wins over a file", BindingTest::commandLine);
    cases.forEach((name, test) -> {
      FakeDatabase.reset();
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
      new AssertionError("\n got: " + got + "\nwant: " + want).printStackTrace();
    }
  }

  private static JdbcDBClient client(Properties p) throws DBException {
    JdbcDBClient client = new JdbcDBClient();
    client.setProperties(p);
    client.init();
    return client;
  }

  private static Map<String, ByteIterator> values(String... names) {
    Map<String, ByteIterator> values = new LinkedHashMap<>();
    for (String name : names) {
      values.put(name, new StringByteIterator("v" + name));
    }
    return values;
  }

  private static void statements() throws Exception {
    JdbcDBClient c = client(FakeDatabase.properties("jdbc:fake:a", "jdbc.fetchsize=10"));
    Map<String, ByteIterator> row = new HashMap<>();
    equal(c.read("t", "k", Set.of("field1"), row), Status.OK);
    equal(row.get("field1").toString(), "value of field1");
    Vector<HashMap<String, ByteIterator>> rows = new Vector<>();
    equal(c.scan("t", "k", 7, Set.of("field1"), rows), Status.OK);
    equal(rows.size(), 1);
    equal(c.update("t", "k", values("field0", "field1")), Status.OK);
    equal(c.insert("t", "k", values("field0", "field1")), Status.OK);
    equal(c.delete("t", "k"), Status.OK);
    c.cleanup();
    equal(FakeDatabase.LOG, List.of(
        "a: SELECT * FROM t WHERE YCSB_KEY = ? [k]",
        "a: fetch 10",
        "a: SELECT * FROM t WHERE YCSB_KEY >= ? ORDER BY YCSB_KEY LIMIT ? [k, 7]",
        "a: UPDATE t SET field0=?, field1=? WHERE YCSB_KEY = ? [vfield0, vfield1, k]",
        "a: INSERT INTO t (YCSB_KEY,field0,field1) VALUES(?,?,?) [k, vfield0, vfield1]",
        "a: DELETE FROM t WHERE YCSB_KEY = ? [k]",
        "a: close"));
  }

  private static void absent() throws Exception {
    JdbcDBClient c = client(FakeDatabase.properties("jdbc:fake:a"));
    equal(c.read("t", "absent", null, new HashMap<>()), Status.NOT_FOUND);
    equal(c.update("t", "absent", values("field0")), Status.UNEXPECTED_STATE);
    equal(c.delete("t", "absent"), Status.UNEXPECTED_STATE);
  }

  private static void failedInsert() throws Exception {
    FakeDatabase.duplicate = "k";
    equal(client(FakeDatabase.properties("jdbc:fake:a")).insert("t", "k", values("field0")), Status.ERROR);
  }

  private static Properties batched(String url, String... more) {
    Properties p = FakeDatabase.properties(url, more);
    p.setProperty("jdbc.batchupdateapi", "true");
    p.setProperty("db.batchsize", "2");
    return p;
  }

  private static void batches() throws Exception {
    JdbcDBClient c = client(batched("jdbc:fake:a"));
    equal(c.insert("t", "k1", values("field0")), Status.BATCHED_OK);
    equal(c.insert("t", "k2", values("field0")), Status.OK);
    equal(c.insert("t", "k3", values("field0")), Status.BATCHED_OK);
    c.cleanup();
    equal(FakeDatabase.LOG, List.of("a: batch [k1, k2]", "a: batch [k3]", "a: close"));
  }

  private static void failedBatch() throws Exception {
    FakeDatabase.duplicate = "k1";
    JdbcDBClient c = client(batched("jdbc:fake:a"));
    equal(c.insert("t", "k1", values("field0")), Status.BATCHED_OK);
    equal(c.insert("t", "k2", values("field0")), Status.ERROR);
    c.cleanup();
    equal(FakeDatabase.LOG, List.of("a: batch [k1, k2]", "a: close"));
  }

  private static void failedRest() throws Exception {
    FakeDatabase.duplicate = "k1";
    JdbcDBClient c = client(batched("jdbc:fake:a"));
    equal(c.insert("t", "k1", values("field0")), Status.BATCHED_OK);
    boolean thrown = false;
    try {
      c.cleanup();
    } catch (DBException e) {
      thrown = true;
    }
    equal(thrown, true);
    equal(FakeDatabase.LOG, List.of("a: batch [k1]", "a: close"));
  }

  private static void rewrittenBatch() throws Exception {
    FakeDatabase.rewrites = true;
    JdbcDBClient c = client(batched("jdbc:fake:a"));
    equal(c.insert("t", "k1", values("field0")), Status.BATCHED_OK);
    equal(c.insert("t", "k2", values("field0")), Status.OK);
  }

  private static void shards() throws Exception {
    JdbcDBClient c = client(batched("jdbc:fake:a;jdbc:fake:b"));
    // "k1" hashes to an even number, "k2" to an odd one.
    for (String key : List.of("k1", "k2", "k3", "k4", "k6")) {
      c.insert("t", key, values("field0"));
    }
    c.cleanup();
    equal(FakeDatabase.LOG, List.of("a: batch [k1, k3]", "b: batch [k2, k4]", "a: close", "b: batch [k6]", "b: close"));
  }

  private static void transactions() throws Exception {
    JdbcDBClient c = client(FakeDatabase.properties("jdbc:fake:a", "jdbc.autocommit=false", "db.batchsize=2"));
    for (String key : List.of("k1", "k2", "k3")) {
      equal(c.insert("t", key, values("f")), Status.OK);
    }
    c.cleanup();
    String insert = "a: INSERT INTO t (YCSB_KEY,f) VALUES(?,?) ";
    equal(FakeDatabase.LOG, List.of(insert + "[k1, vf]", insert + "[k2, vf]", "a: commit", insert + "[k3, vf]",
        "a: commit", "a: close"));
  }

  private static void sqlServer() throws Exception {
    equal(Dialect.of("com.microsoft.sqlserver.jdbc.SQLServerDriver").scan("t"),
        "SELECT TOP (?) * FROM t WHERE YCSB_KEY >= ? ORDER BY YCSB_KEY");
    equal(Dialect.TOP.rowsFirst(), true);
    equal(Dialect.TOP.text("100"), "VARCHAR(MAX)");
    equal(Dialect.TOP.primaryKey(), Dialect.LIMIT.primaryKey());
    equal(Dialect.of("org.postgresql.Driver").scan("t"),
        "SELECT * FROM t WHERE YCSB_KEY >= ? ORDER BY YCSB_KEY FETCH FIRST ? ROWS ONLY");
  }

  private static void informix() throws Exception {
    Dialect informix = Dialect.of("com.informix.jdbc.IfxDriver");
    equal(informix.scan("t"), "SELECT FIRST ? * FROM t WHERE YCSB_KEY >= ? ORDER BY YCSB_KEY");
    equal(informix.rowsFirst(), true);
    equal(informix.text("100"), "LVARCHAR(100)");
    equal(informix.primaryKey(), "PRIMARY KEY (YCSB_KEY)");
  }

  private static void refuses(String... pairs) {
    try {
      new Settings(FakeDatabase.properties("jdbc:fake:a", pairs));
    } catch (IllegalArgumentException e) {
      return;
    }
    equal(String.join(" ", pairs), "refused");
  }

  private static void blanks() {
    refuses("jdbc.batchupdateapi=true ");
    refuses("db.batchsize=5000 ");
    refuses("jdbc.fetchsize= 1");
    refuses("db.url=");
    equal(new Settings(FakeDatabase.properties("jdbc:fake:a", "jdbc.batchupdateapi=TRUE")).batchUpdates, true);
  }

  private static void urls() {
    equal(List.of(Settings.split("jdbc:sqlserver://h:1;database=d;encrypt=true", ";")).size(), 1);
    equal(List.of(Settings.split("jdbc:sqlserver://h:1;database=d;jdbc:sqlserver://i:1;database=d", ";")),
        List.of("jdbc:sqlserver://h:1;database=d", "jdbc:sqlserver://i:1;database=d"));
    equal(List.of(Settings.split("jdbc:mysql://h/d,jdbc:mysql://i/d", ",")),
        List.of("jdbc:mysql://h/d", "jdbc:mysql://i/d"));
  }

  private static void refused() {
    boolean thrown = false;
    try {
      client(FakeDatabase.properties("jdbc:fake:refused"));
    } catch (DBException e) {
      thrown = true;
    }
    equal(thrown, true);
  }

  /** As if the process were told of a window of a second. */
  private static Properties timed(String... pairs) {
    Properties p = FakeDatabase.properties("", pairs);
    p.setProperty("recordcount", "10");
    p.setProperty("measurementtype", "hdrhistogram");
    p.setProperty("hdrhistogram.fileoutput", "true");
    p.setProperty("hdrhistogram.output.path", System.getProperty("java.io.tmpdir") + "/assay-test-" + ProcessHandle.current().pid() + "-");
    p.setProperty("assay.begin", "1");
    p.setProperty("assay.window", "1");
    p.setProperty("assay.interval", "1");
    return p;
  }

  private static void histograms() throws Exception {
    Properties p = timed("readproportion=0.5", "updateproportion=0", "scanproportion=0", "insertproportion=0.5");
    site.ycsb.measurements.Measurements.setProperties(p);
    new Core().init(p);
    String summary = site.ycsb.measurements.Measurements.getMeasurements().getSummary();
    equal(List.of(summary.contains("[READ: Count=0"), summary.contains("[INSERT: Count=0"), summary.contains("UPDATE")),
        List.of(true, true, false));
  }

  private static void window() throws Exception {
    Properties p = timed("readproportion=1", "updateproportion=0", "assay.hold=true");
    p.setProperty("assay.begin", String.valueOf(System.currentTimeMillis() + 300));
    site.ycsb.measurements.Measurements.setProperties(p);
    Core core = new Core();
    core.init(p);
    Window.open(p, 1);
    Window.connected(); // holds this thread
    long late = System.currentTimeMillis() - Long.parseLong(p.getProperty("assay.begin"));
    equal(late >= 0, true); // how late, the machine decides
    for (int i = 0; i < 6000 && !core.isStopRequested(); i++) { // the patience of a hang: a minute
      Thread.sleep(10);
    }
    equal(core.isStopRequested(), true);
  }

  private static void ownInserts() throws Exception {
    Properties p = FakeDatabase.properties("", "recordcount=10", "insertorder=ordered", "operationcount=0");
    site.ycsb.measurements.Measurements.setProperties(p);
    OwnInserts first = new OwnInserts();
    first.init(p);
    p.setProperty("assay.insertrange", "3");
    OwnInserts other = new OwnInserts();
    other.init(p);
    equal(List.of(first.buildKeyName(9), first.buildKeyName(10)), List.of("user9", "user10"));
    equal(List.of(other.buildKeyName(9), other.buildKeyName(10)), List.of("user9", "user" + (10 + (3L << 32))));
  }

  private static void boundedByTime() throws Exception {
    Properties p = FakeDatabase.properties("jdbc:fake:a", "recordcount=10", "insertorder=ordered",
        "insertproportion=0.05", "requestdistribution=zipfian", "operationcount=2147483647");
    site.ycsb.measurements.Measurements.setProperties(p);
    OwnInserts workload = new OwnInserts();
    workload.init(p);
    JdbcDBClient c = client(p);
    for (int i = 0; i < 100; i++) {
      workload.doTransactionRead(c);
    }
    equal(FakeDatabase.LOG.size(), 100);
    equal(FakeDatabase.LOG.stream().allMatch(read -> read.matches(".*\\[user[0-9]\\]")), true);
  }

  private static void commandLine() throws Exception {
    java.nio.file.Path file = java.nio.file.Files.createTempFile("ycsb", ".properties");
    java.nio.file.Files.writeString(file, "db.passwd=a\\u00e4\\=b \na=file\n");
    Properties p = Main.properties(new String[] {"-s", "-p", "a=line=1", "-P", file.toString(), "-threads", "3"});
    java.nio.file.Files.delete(file);
    equal(p.getProperty("a"), "line=1");
    equal(p.getProperty("db.passwd"), "a\u00e4=b ");
    equal(p.getProperty("threadcount"), "3");
  }
}

package dev.assay.ycsb;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAccumulator;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import org.HdrHistogram.Recorder;
import site.ycsb.Workload;
import site.ycsb.WorkloadException;
import site.ycsb.measurements.Measurements;

/**
 * The measured window of a process that is started before it: it begins at an instant of the wall clock, the same for all
 * clients, and what was done until then is a warm-up, in the process that measures. Threads are connected by then.
 *
 * <p>The window is cut out by the histograms of YCSB: all of them begin a new interval when it begins, and at the end of
 * each interval of the time series, counted from there, before it as well as in it. Properties:
 *
 * <ul>
 *   <li>assay.begin: the instant in ms since 1970; without it nothing here does anything
 *   <li>assay.window: its length in s, after which the workload is told to stop; 0 where operations are counted
 *   <li>assay.interval: length of an interval in s
 *   <li>assay.hold: true keeps every thread from its first operation until the window begins: there is no warm-up
 * </ul>
 */
public final class Window {
  /** What YCSB measures for an operation that is chosen. */
  private static final Map<String, List<String>> SHARES = Map.of("read", List.of("READ"), "update", List.of("UPDATE"),
      "insert", List.of("INSERT"), "scan", List.of("SCAN"), "readmodifywrite", List.of("READ", "UPDATE", "READ-MODIFY-WRITE"));
  private static final LongAccumulator LAST = new LongAccumulator(Long::max, 0);
  private static final Map<String, long[]> COLLECTIONS = new LinkedHashMap<>();
  private static final List<Log> LOGS = new ArrayList<>();
  private static CountDownLatch connected;
  private static CountDownLatch released = new CountDownLatch(0);
  private static volatile Workload workload;
  private static volatile boolean takesLast;
  private static volatile long connectedAt;
  private static volatile long began;
  private static volatile long cutBy;
  private static long cut; // of the thread that cuts
  private static volatile long stopped;

  /** A histogram of YCSB: what is recorded at the moment, all that was before, and the log of its intervals. */
  private record Log(Recorder current, Histogram total, HistogramLogWriter writer) {
    static Log of(Object measurement) throws ReflectiveOperationException {
      return new Log((Recorder) field(measurement, "histogram"), (Histogram) field(measurement, "totalHistogram"),
          (HistogramLogWriter) field(measurement, "histogramLogWriter"));
    }

    private static Object field(Object of, String name) throws ReflectiveOperationException {
      var field = of.getClass().getDeclaredField(name);
      field.setAccessible(true);
      return field.get(of);
    }
  }

  private Window() {
  }

  /** Opens the window at its time, by a thread of its own, if there is to be one. */
  static void open(Properties p, int threads) {
    long begin = number(p, "assay.begin");
    if (begin == 0) {
      return;
    }
    long length = 1000 * number(p, "assay.window");
    long interval = 1000 * Math.max(1, number(p, "assay.interval"));
    connected = new CountDownLatch(threads);
    takesLast = length == 0;
    if (Settings.truth(p, "assay.hold", false)) {
      released = new CountDownLatch(1);
    }
    Thread cutter = new Thread(() -> {
      try {
        run(begin, length, interval);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (RuntimeException e) {
        workload.requestStop(); // the line that is missing fails the trial: nothing is gained by going on
        released.countDown();
        throw e;
      }
    }, "assay-window");
    cutter.setDaemon(true); // a thread that never connects must not keep the process
    cutter.setPriority(Thread.MAX_PRIORITY);
    cutter.start();
  }

  private static void run(long planned, long length, long interval) throws InterruptedException {
    connected.await();
    connectedAt = System.currentTimeMillis();
    long begin = Math.max(planned, connectedAt); // who is late begins late, and says so
    for (long at = begin - (begin - connectedAt) / interval * interval; at < begin; at += interval) {
      sleepUntil(at);
      cut();
    }
    collections(COLLECTIONS); // the first look loads classes
    sleepUntil(begin);
    long now = System.currentTimeMillis();
    cut();
    released.countDown();
    long by = cut;
    collections(COLLECTIONS);
    cutBy = by;
    began = now;
    for (long at = begin + interval; length == 0 || at < begin + length; at += interval) {
      sleepUntil(at);
      cut();
    }
    sleepUntil(begin + length);
    takesLast = true;
    workload.requestStop();
    stopped = System.currentTimeMillis();
    cut();
  }

  /**
   * Every histogram begins a new interval, all of them within microseconds; Measurements.getSummary would write the log of
   * one before it comes to the next, and what is counted in two would be in the window of one alone. The lock is that of
   * getSummary, which YCSB's status thread calls.
   */
  private static void cut() {
    synchronized (Measurements.getMeasurements()) {
      Histogram[] ended = new Histogram[LOGS.size()];
      for (int i = 0; i < ended.length; i++) {
        ended[i] = LOGS.get(i).current.getIntervalHistogram();
      }
      cut = System.currentTimeMillis();
      for (int i = 0; i < ended.length; i++) {
        LOGS.get(i).total.add(ended[i]);
        LOGS.get(i).writer.outputIntervalHistogram(ended[i]);
      }
    }
  }

  private static void sleepUntil(long at) throws InterruptedException {
    for (long left = at - System.currentTimeMillis(); left > 0; left = at - System.currentTimeMillis()) {
      Thread.sleep(left);
    }
  }

  private static long number(Properties p, String name) {
    String value = p.getProperty(name, "0");
    try {
      return Long.parseLong(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + ": '" + value + "' is not a whole number");
    }
  }

  /** Who is to stop when the window is over. Threads do not run yet. */
  static void stops(Workload w, Properties p) throws WorkloadException {
    workload = w;
    if (number(p, "assay.begin") == 0) {
      return;
    }
    try {
      histograms(p);
    } catch (ReflectiveOperationException e) {
      throw new WorkloadException("this is another YCSB than 0.17.0", e);
    }
  }

  /**
   * Makes the histograms of the operations that there will be. YCSB makes one when an operation is first measured, in as
   * many threads at a time as measure it: then each writes the head of the log, and the instant in it, from which the
   * intervals count, may be that of another one.
   */
  private static void histograms(Properties p) throws ReflectiveOperationException {
    Set<String> operations = new LinkedHashSet<>();
    SHARES.forEach((name, measured) -> {
      if (Double.parseDouble(p.getProperty(name + "proportion", "0")) > 0) {
        operations.addAll(measured);
      }
    });
    List<Object> made = new ArrayList<>();
    for (String operation : operations) {
      made.add(make("getOpMeasurement", operation));
      if (p.getProperty("measurement.interval", "op").equals("both")) {
        made.add(make("getOpIntendedMeasurement", operation));
      }
    }
    Measurements.getMeasurements().getSummary(); // makes the sums as well
    synchronized (Measurements.getMeasurements()) {
      LOGS.clear();
      for (Object measurement : made) {
        LOGS.add(Log.of(measurement));
      }
    }
  }

  private static Object make(String how, String operation) throws ReflectiveOperationException {
    var method = Measurements.class.getDeclaredMethod(how, String.class);
    method.setAccessible(true);
    return method.invoke(Measurements.getMeasurements(), operation);
  }

  /** An operation has ended. */
  static void operated() {
    if (takesLast) {
      LAST.accumulate(System.currentTimeMillis());
    }
  }

  /** A thread has connected: it waits for the window where it has to. */
  public static void connected() {
    if (connected == null) {
      return;
    }
    connected.countDown();
    try {
      released.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Says when the window was: see runners/ycsb/README.md. */
  static void close() {
    if (began == 0) {
      return;
    }
    Ledger.say("Window, " + connectedAt + ", " + began + ", " + cutBy + ", " + Math.max(stopped, LAST.get()));
    Map<String, long[]> now = new LinkedHashMap<>();
    collections(now);
    now.forEach((name, after) -> {
      long[] before = COLLECTIONS.getOrDefault(name, new long[2]);
      Ledger.say("GC, " + name.replace(' ', '_') + ", " + (after[0] - before[0]) + ", " + (after[1] - before[1]));
    });
  }

  private static void collections(Map<String, long[]> into) {
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      into.put(collector.getName(), new long[] {collector.getCollectionCount(), collector.getCollectionTime()});
    }
  }
}

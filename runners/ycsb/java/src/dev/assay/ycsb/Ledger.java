package dev.assay.ycsb;

import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * What really happened, counted for the whole process: YCSB itself ends with 0 whatever went wrong. The lines that it
 * prints are described in runners/ycsb/README.md.
 */
public final class Ledger {
  private static final Map<String, Tally> ERRORS = new ConcurrentSkipListMap<>();
  private static final AtomicInteger CONNECTED = new AtomicInteger();
  private static final AtomicInteger ENDED = new AtomicInteger();
  private static final LongAdder SETUP_NANOS = new LongAdder();
  private static final LongAdder BATCHED = new LongAdder();
  private static final LongAdder CONFIRMED = new LongAdder();

  private static final class Tally {
    private final String first;
    private final LongAdder count = new LongAdder();

    Tally(String first) {
      this.first = first;
    }
  }

  private Ledger() {
  }

  /** Writes one line for the parser. */
  static synchronized void say(String what) {
    System.err.println("[ASSAY], " + what);
  }

  /** Counts an error, and prints the first of its class at once: a process that is killed has said why. */
  public static void error(String operation, SQLException e) {
    String state = e.getSQLState() == null || e.getSQLState().isEmpty() ? "-" : e.getSQLState();
    String kind = operation + ", " + e.getErrorCode() + ", " + state;
    ERRORS.computeIfAbsent(kind, key -> {
      Tally tally = new Tally(oneLine(e));
      System.err.println("Error in " + key + ": " + tally.first);
      return tally;
    }).count.increment();
  }

  /** The message, and that of the innermost cause: drivers hide there why a connection failed. */
  static String oneLine(Throwable e) {
    StringBuilder text = new StringBuilder(String.valueOf(e.getMessage()));
    Throwable cause = e;
    while (cause.getCause() != null && cause.getCause() != cause) {
      cause = cause.getCause();
    }
    if (cause != e && cause.getMessage() != null && text.indexOf(cause.getMessage()) < 0) {
      text.append(" (").append(cause.getMessage()).append(')');
    }
    String line = text.toString().replaceAll("\\s+", " ").trim();
    return line.length() <= 400 ? line : line.substring(0, 400);
  }

  /** A thread has its connections, after so many nanoseconds. YCSB counts them as a part of the run. */
  public static void connected(long nanos) {
    CONNECTED.incrementAndGet();
    SETUP_NANOS.add(nanos);
  }

  /** A thread has written all that it held back, and closed its connections. */
  public static void ended() {
    ENDED.incrementAndGet();
  }

  /** So many rows were given to the driver as a batch, and the driver has confirmed so many. */
  public static void batch(long rows, long confirmed) {
    BATCHED.add(rows);
    CONFIRMED.add(confirmed);
  }

  /** Prints the sums, and says what is missing; empty for nothing. No threads: YCSB was not started. */
  static String close(int threads, boolean batches) {
    ERRORS.forEach((kind, tally) -> say("Error, " + kind + ", " + tally.count.sum() + ", " + tally.first));
    if (threads > 0) {
      say("Threads, " + threads + ", " + CONNECTED.get() + ", " + ENDED.get());
      say("Setup, " + SETUP_NANOS.sum() / 1_000_000);
      Window.close();
    }
    if (batches) {
      say("BatchedRows, " + BATCHED.sum() + ", " + CONFIRMED.sum());
    }
    if (CONNECTED.get() < threads) {
      return threads - CONNECTED.get() + " of " + threads + " threads have not connected";
    }
    if (ENDED.get() < threads) {
      return threads - ENDED.get() + " of " + threads + " threads have not ended well";
    }
    if (CONFIRMED.sum() != BATCHED.sum()) {
      return "of " + BATCHED.sum() + " rows in batches " + CONFIRMED.sum() + " were confirmed";
    }
    return "";
  }
}

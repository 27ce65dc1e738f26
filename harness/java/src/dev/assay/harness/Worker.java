package dev.assay.harness;

/** One worker of a run: it does one operation after the other, and shares with the others their numbers and the histogram. */
final class Worker {
  interface Operation {
    void run() throws Exception;
  }

  final Work work;
  // All workers count into one: so many times are kept until they are counted.
  private final Histogram histogram;
  private final long[] times = new long[256];
  private int kept;
  private final Operation operation;
  private long began;
  private long ended;

  Worker(Work work, Histogram histogram, Operation operation) {
    this.work = work;
    this.histogram = histogram;
    this.operation = operation;
  }

  /** Does the operation of its first number, and then of each that it gets, and records how long each took. */
  void repeat(Numbers numbers) throws Exception {
    long begin = System.nanoTime();
    began = begin;
    while (true) {
      operation.run();
      long end = System.nanoTime();
      times[kept++] = end - begin;
      if (kept == times.length) {
        count();
      }
      long number = numbers.after(work.number, end);
      if (number == Numbers.NONE) {
        ended = end;
        count();
        return;
      }
      work.number = number;
      begin = System.nanoTime();
    }
  }

  private void count() {
    histogram.record(times, kept);
    kept = 0;
  }

  /** When its first operation began, on the clock of System.nanoTime. */
  long began() {
    return began;
  }

  /** When its last operation ended. */
  long ended() {
    return ended;
  }
}

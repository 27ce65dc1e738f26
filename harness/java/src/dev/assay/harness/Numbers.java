package dev.assay.harness;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The numbers of the operations of a run, in the order in which these begin. A worker's first one is its own number; those
 * behind are taken from one counter, so that none is left out. A worker that is alone counts by itself: for one, a counter
 * that others may change would only cost.
 */
final class Numbers {
  static final long NONE = -1;
  /** More than are ever done, and far from what a long holds: after it every worker takes one more. */
  private static final long END = Long.MAX_VALUE / 2;

  private final AtomicLong next; // null for one worker
  private final long operations;
  private final long limit;
  private long start;

  Numbers(Request request) {
    next = request.concurrency > 1 ? new AtomicLong(request.concurrency) : null;
    operations = request.operations > 0 ? request.operations : END;
    limit = request.operations > 0 ? Long.MAX_VALUE : (long) (request.seconds * 1e9);
  }

  /** From here on the time passes. */
  void start() {
    start = System.nanoTime();
  }

  /**
   * The number that a worker takes now, behind its last one; NONE if there is none left. The time comes first: a number that
   * is taken is done, or there would be a gap.
   */
  long after(long last, long now) {
    if (now - start >= limit) {
      return NONE;
    }
    long number = next == null ? last + 1 : next.getAndIncrement();
    return number < operations ? number : NONE;
  }

  /** Leaves no number for anybody, because something failed. */
  void end() {
    if (next != null) {
      next.set(END);
    }
  }

  boolean ended() {
    return next != null && next.get() >= END;
  }
}

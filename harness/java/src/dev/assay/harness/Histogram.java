package dev.assay.harness;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Counts nanoseconds in buckets with three significant digits: a value below 2048 is a bucket of its own; of a greater one
 * the 11 leading bits stay. The counters lie in one array, so that recording is an index and an addition. Workers share one: a
 * thousand of them, each with its own, would have half a GB.
 */
final class Histogram {
  /** Of 63 bits of a positive long, the greatest shift is 52, so that indices stay below this. */
  static final int PLACES = 54 * 1024;

  private final long[] counts = new long[PLACES];

  /** Counts the first n of some times. */
  synchronized void record(long[] nanoseconds, int n) {
    for (int i = 0; i < n; i++) {
      counts[index(nanoseconds[i])]++;
    }
  }

  void reset() {
    Arrays.fill(counts, 0);
  }

  /**
   * The place of a value's bucket. For a shift s the leading bits are 1024 to 2047, so the places of s follow those of s-1
   * without a gap.
   */
  static int index(long value) {
    if (value < 2048) {
      return (int) value;
    }
    int shift = 64 - Long.numberOfLeadingZeros(value) - 11;
    return shift * 1024 + (int) (value >> shift);
  }

  /** The buckets that are not empty, in ascending order: index and count. */
  List<long[]> buckets() {
    List<long[]> buckets = new ArrayList<>();
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] > 0) {
        buckets.add(new long[] {i, counts[i]});
      }
    }
    return buckets;
  }
}

package dev.assay.harness;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;

/** The CPU time of the process: of all its threads, those of the collector and of the compilers too. */
final class CpuTime {
  /**
   * Java asks the kernel by times(), which counts in steps of 10 ms. In a run of fewer than ten of them it is no measurement. The length of
   * the run decides, and not the CPU time: of values near a bound only those above it would be left.
   */
  static final long LEAST = 10 * 10_000_000L;

  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private CpuTime() {
  }

  /** In ns; negative where the runtime does not report it. */
  static long now() {
    return SYSTEM.getProcessCpuTime();
  }

  /** Puts what was used between two readings, in a run of so many ns, into an answer, if it is known. */
  static void put(Map<String, Object> answer, long begin, long end, long nanoseconds) {
    if (begin >= 0 && end > begin && nanoseconds >= LEAST) {
      answer.put("cpuNanoseconds", end - begin);
    }
  }
}

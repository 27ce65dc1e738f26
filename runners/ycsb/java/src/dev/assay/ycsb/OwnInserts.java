package dev.assay.ycsb;

import java.util.Properties;
import site.ycsb.WorkloadException;

/**
 * The core workload for phases that insert. YCSB numbers new rows from recordcount on in every process, so two clients,
 * or a warm-up and the run after it, would insert the same keys. Here each has a range of its own: a number that is not
 * among the loaded ones is moved by assay.insertrange times 2^32 when it becomes a key. What YCSB chooses stays as it
 * is: numbers, their popularity, and that a client reads the rows it has inserted itself.
 *
 * <p>YCSB sizes the range of the numbers by operationcount. Where that is only so large that time runs out first, hardly any
 * number would be a row: assay.operations says how many operations are to be expected, 0 for nobody knows.
 */
public final class OwnInserts extends Core {
  private long shift;

  @Override
  public void init(Properties p) throws WorkloadException {
    Properties expected = new Properties();
    expected.putAll(p);
    expected.setProperty("operationcount", p.getProperty("assay.operations", "0"));
    super.init(expected);
    shift = (long) Settings.integer(p, "assay.insertrange", 0) << 32;
  }

  @Override
  protected String buildKeyName(long number) {
    return super.buildKeyName(number < recordcount ? number : number + shift);
  }
}

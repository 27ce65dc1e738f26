package dev.assay.ycsb;

import java.util.Properties;
import site.ycsb.DB;
import site.ycsb.WorkloadException;
import site.ycsb.workloads.CoreWorkload;

/** The core workload as it is, which tells the measured window when an operation has ended and can be told to stop. */
public class Core extends CoreWorkload {
  @Override
  public void init(Properties p) throws WorkloadException {
    super.init(p);
    Window.stops(this, p);
  }

  @Override
  public boolean doTransaction(DB db, Object threadstate) {
    boolean goesOn = super.doTransaction(db, threadstate);
    Window.operated();
    return goesOn;
  }
}

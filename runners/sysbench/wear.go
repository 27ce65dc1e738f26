package sysbench

import (
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// rowBytes is what a row of the OLTP tables takes in InnoDB with its index: 10 million are
// about 2.4 GB.
const rowBytes = 240

// wear of the tests that change the number of rows. oltp_write_only and oltp_read_write
// insert again what they delete; bulk_insert empties its tables before it fills them.
func (p Params) wear(t contract.Trial) runner.Wear {
	w := runner.Wear{RowBytes: rowBytes, Exact: p.Events > 0}
	switch p.Test {
	case TestDelete:
		w.Deletes = 1
		w.Remedy = "load more rows (workload.sysbench.tableSize)"
		if p.Events > 0 {
			w.Remedy += ", use fewer of workload.sysbench.events"
		}
		if p.RandType != "uniform" {
			w.Remedy += ", use workload.sysbench.randType: uniform"
		}
	case TestInsert:
		w.Inserts = 1
		w.Remedy = "use fewer of workload.sysbench.events, or a lower rate"
	default:
		return runner.Wear{}
	}
	if p.Rate > 0 {
		w.Warmup, w.Window = new(int64(p.Rate)*t.WarmupSeconds), new(int64(p.Rate)*t.DurationSeconds)
	}
	if p.Events > 0 {
		w.Window = &p.Events
	}
	if t.WarmupSeconds == 0 {
		w.Warmup = new(int64(0))
	}
	if p.RandType == loadRandType {
		// sb_rand_special: the share res of the keys is uniform over the middle pct of the rows.
		w.HotRows = float64(min(p.number("rand_spec_pct", 1), 100)) / 100
		w.HotKeys = float64(min(p.number("rand_spec_res", 75), 100)) / 100
	}
	return w
}

// Package wear predicts how the trials of a run change its data: tables whose rows are deleted
// until deletes find none, and tables that grow beyond memory. Both change the measured
// workload, and no single result shows it.
//
// In: a plan, the effects of an operation of the tool, and the number of rows. Out: the trials
// in which deletes find no row or the data outgrows memory. It is pure. Where the number of
// operations is unknown before the run (a closed loop for a time), it reports that and
// computes nothing.
package wear

import (
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/runners/runner"
)

// MaxMissed is the tolerated share of deletes of a window that find no row. Beyond it, the
// measured time is that of statements without effect.
const MaxMissed = 0.05

// Data has the loaded data of a run and its operations.
type Data struct {
	Plan *plan.Plan
	// Rows of all tables together, as they are loaded.
	Rows int64
	// Cells of the plan: the operations of all clients in each.
	Cells []runner.Wear
}

// Dry has the trials of a run whose deletes find no row.
type Dry struct {
	// First trial with more than MaxMissed, and its share; -1 for none.
	First       int
	FirstMissed float64
	// Worst trial, and its expected minimum share of deletes of the window that find no row.
	Worst       int
	WorstMissed float64
	// Trials is the number of trials with more than MaxMissed.
	Trials int
	// Asked is the largest number of deletes of one target between two resets, as far as it is
	// known.
	Asked int64
	// Unknown is a trial with an unknown number of deletes (for a time); -1 for none.
	// Repeated: another such trial follows without a reset.
	Unknown  int
	Repeated bool
}

// Dries sums up the deletes of every target in the order of the plan.
func (d Data) Dries() Dry {
	out := Dry{First: -1, Worst: -1, Unknown: -1}
	asked, open := map[int32]int64{}, map[int32]bool{}
	for i, trial := range d.Plan.Trials {
		w := d.Cells[trial.Cell]
		if trial.Reset {
			asked[trial.Target], open[trial.Target] = 0, false
		}
		if w.Deletes == 0 {
			continue
		}
		if w.Window == nil {
			out.Repeated = out.Repeated || open[trial.Target]
			open[trial.Target] = true
			if out.Unknown < 0 {
				out.Unknown = i
			}
			continue
		}
		before := asked[trial.Target] + keys(w, w.Warmup)
		asked[trial.Target] = before + keys(w, w.Window)
		out.Asked = max(out.Asked, asked[trial.Target])
		missed := missedShare(w, before, asked[trial.Target], d.Rows)
		if missed > out.WorstMissed {
			out.Worst, out.WorstMissed = i, missed
		}
		if missed > MaxMissed {
			out.Trials++
			if out.First < 0 {
				out.First, out.FirstMissed = i, missed
			}
		}
	}
	return out
}

func keys(w runner.Wear, operations *int64) int64 {
	if operations == nil {
		return 0
	}
	return w.Deletes * *operations
}

// missedShare is the share of the deletes after the first before that find no row.
func missedShare(w runner.Wear, before, after, rows int64) float64 {
	if after <= before {
		return 0
	}
	found := w.Found(float64(after), float64(rows)) - w.Found(float64(before), float64(rows))
	return 1 - found/float64(after-before)
}

// Hopeless is a cell with a fixed number of operations, of whose deletes more than half find
// no row even on freshly loaded data; -1 for none.
func (d Data) Hopeless() (cell int, missed float64) {
	for i, w := range d.Cells {
		if w.Deletes == 0 || !w.Exact || w.Window == nil {
			continue
		}
		if missed := missedShare(w, 0, keys(w, w.Window), d.Rows); missed > 0.5 {
			return i, missed
		}
	}
	return -1, 0
}

// Outgrows is the trial on a target with which the loaded and added rows exceed the memory,
// both in bytes; -1 if they never do, if the loaded rows already do, or if the number of added
// rows is unknown.
func (d Data) Outgrows(target int32, memory int64) (trial int, bytes int64) {
	var added int64
	for i, t := range d.Plan.Trials {
		w := d.Cells[t.Cell]
		if t.Target != target {
			continue
		}
		if t.Reset {
			added = 0
		}
		if w.Inserts == 0 || w.Window == nil || d.Rows*w.RowBytes > memory {
			continue
		}
		operations := *w.Window
		if w.Warmup != nil {
			operations += *w.Warmup
		}
		added += w.Inserts * operations
		if bytes := (d.Rows + added) * w.RowBytes; bytes > memory {
			return i, bytes
		}
	}
	return -1, 0
}

// Package wear computes before a run what its trials will have left of the data: tables
// whose rows are deleted until deletes find nothing, and tables that grow beyond memory. Both
// change what is measured while it is measured, and neither stands in a single result.
//
// It is pure: it knows a plan, what the tool says of an operation, and how many rows there
// are. Where the number of operations is not known before (a closed loop for a time), it says
// so and computes nothing.
package wear

import (
	"github.com/assay-bench/assay/internal/plan"
	"github.com/assay-bench/assay/runners/runner"
)

// MaxMissed is the share of deletes of a window that may find no row: what is beyond it is
// measured in the time of statements that do nothing.
const MaxMissed = 0.05

// Data is what a run loads and does.
type Data struct {
	Plan *plan.Plan
	// Rows of all tables together, as they are loaded.
	Rows int64
	// Clients that do each trial together.
	Clients int64
	// Cells of the plan: what one client does in each.
	Cells []runner.Wear
}

// Dry is what a run does with rows that are deleted.
type Dry struct {
	// First trial with more than MaxMissed, and its share; -1 for none.
	First       int
	FirstMissed float64
	// Worst trial, and its share: that of the deletes of the window that find no row, at
	// least, in the mean.
	Worst       int
	WorstMissed float64
	// Trials with more than MaxMissed.
	Trials int
	// Asked is how many deletes of one target there are at most between two resets, as far as
	// they are known.
	Asked int64
	// Unknown is a trial that deletes for a time, as much as it can; -1 for none. Repeated:
	// another such trial follows on what it left.
	Unknown  int
	Repeated bool
}

// Dries follows the deletes of every target through the plan.
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
		before := asked[trial.Target] + d.keys(w, w.Warmup)
		asked[trial.Target] = before + d.keys(w, w.Window)
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

func (d Data) keys(w runner.Wear, operations *int64) int64 {
	if operations == nil {
		return 0
	}
	return w.Deletes * *operations * d.Clients
}

// missedShare is the share of the deletes after the first before that find no row.
func missedShare(w runner.Wear, before, after, rows int64) float64 {
	if after <= before {
		return 0
	}
	found := w.Found(float64(after), float64(rows)) - w.Found(float64(before), float64(rows))
	return 1 - found/float64(after-before)
}

// Hopeless is a cell of which more than half of the deletes of a window find no row even on
// data that was just loaded, and that has to do them all; -1 for none.
func (d Data) Hopeless() (cell int, missed float64) {
	for i, w := range d.Cells {
		if w.Deletes == 0 || !w.Exact || w.Window == nil {
			continue
		}
		if missed := missedShare(w, 0, d.keys(w, w.Window), d.Rows); missed > 0.5 {
			return i, missed
		}
	}
	return -1, 0
}

// Outgrows says with which trial on a target the rows that were loaded and added need more
// than the memory, both in bytes; -1 if they never do, already did when they were loaded, or
// nobody knows how many are added.
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
		added += w.Inserts * operations * d.Clients
		if bytes := (d.Rows + added) * w.RowBytes; bytes > memory {
			return i, bytes
		}
	}
	return -1, 0
}

package analysis

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/costs"
	"github.com/assay-bench/assay/internal/trial/levels"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// windowOf a run: how fast it was, and what it began with.
type windowOf struct{ throughput, log, history float64 }

// The windows of docs/evidence/mariadb-mysql.assay.tar, block by block, where no server was started again: the log of MariaDB waits.
var (
	realMySQL = []windowOf{{416.3, 2338274, -1}, {355.69, 976844, -1}, {406.54, 1375906, -1}, {366.28, 2647717, -1}, {411.61, 874120, -1},
		{405.38, 829216, -1}, {321.18, 737435, -1}, {344.4, 2092266, -1}, {398.27, 1560751, -1}, {349.7, 865538, -1}}
	realMariaDB = []windowOf{{411.27, 6111561, 475}, {433.3, 7544058, 9}, {425.54, 9021353, 5}, {523.75, 10359244, 443}, {453.21, 11969397, 0},
		{405.63, 13362849, 393}, {359.2, 14827599, 92}, {426.09, 16121650, 3}, {393.58, 17639770, 193}, {436.46, 19143343, 62}}
	// Those of docs/evidence/demo.assay.tar: two settings of MariaDB, started again before each block, after warm-ups.
	realSafe = []windowOf{{1686.53, 2238219, 469}, {1780.42, 2030147, 451}, {1551.47, 1777251, 516}, {1975.61, 1584320, 263}, {1603.98, 2253104, 343},
		{1905.17, 2129951, 483}, {1485.98, 1995749, 297}, {1635.05, 1921096, 379}, {1612.78, 2436837, 347}, {1669.94, 2299920, 452}}
	realFast = []windowOf{{2459.11, 3455962, 863}, {2579.14, 5081078, 717}, {2772.1, 3632172, 1033}, {3465.23, 3226639, 705}, {3466.62, 3805732, 838},
		{2316.09, 3758442, 502}, {3811.32, 3710348, 1184}, {2684.88, 2404572, 748}, {3407.46, 4530293, 839}, {2869.37, 4147851, 782}}
)

// windows of one throughput, whose levels are given by their number from 0.
func windows(n int, level func(i int) windowOf) (out []windowOf) {
	for i := range n {
		out = append(out, level(i))
	}
	return out
}

// What windows begin with is found where it differs much between two sides, and where it grows over a run.
func TestDebtCarried(t *testing.T) {
	const ofLog, ofHistory = "use longer windows", "look for a transaction that stays open (information_schema.INNODB_TRX), or use longer windows"
	const later = "a later window pays for earlier ones, or the run ends before any does; "
	differs := func(what, heavy, more, light, less, remedy string) string {
		return fmt.Sprintf("the windows of %s began with %s %s, those of %s with %s: windows of %s have more work of earlier ones in them, or put it off again; %s",
			heavy, more, what, light, less, heavy, remedy)
	}
	flat := func(log, history float64) []windowOf {
		return windows(10, func(int) windowOf { return windowOf{1000, log, history} })
	}
	grows := func(n int, least, step float64) []windowOf {
		return windows(n, func(i int) windowOf { return windowOf{1000, 0, least + float64(i)*step} })
	}
	tests := map[string]struct {
		a, b []windowOf
		want []string
	}{
		"two servers that were not started again": {realMariaDB, realMySQL, []string{
			differs("B of log per operation whose pages were still to be flushed", "a", "29,545", "b", "3,787 B", ofLog),
			"the log whose pages are still to be flushed grew over the run of a: its first 5 windows began with 9 MB on average, its last 5 with 16.2 MB; " + later + ofLog,
		}},
		"the other way round": {realMySQL, realMariaDB, []string{
			differs("B of log per operation whose pages were still to be flushed", "b", "29,545", "a", "3,787 B", ofLog),
			"the log whose pages are still to be flushed grew over the run of b: its first 5 windows began with 9 MB on average, its last 5 with 16.2 MB; " + later + ofLog,
		}},
		"warm-ups of two settings, of which one is faster": {realSafe, realFast, nil},
		"one begins with the load, which was long":         {flat(5e6, 0), flat(1e5, 0), []string{differs("B of log per operation whose pages were still to be flushed", "a", "5,000", "b", "100 B", ofLog)}},
		"twice as much, and less than a window writes":     {flat(1.9e6, 0), flat(1e5, 0), nil},
		"the heavier side is the slower one": {windows(10, func(int) windowOf { return windowOf{100, 3e6, 0} }), flat(3.8e6, 0),
			[]string{differs("B of log per operation whose pages were still to be flushed", "a", "30,000", "b", "3,800 B", ofLog)}},
		"one has not purged what its warm-up changed":  {flat(0, 8000), flat(0, 200), []string{differs("transactions per operation that were still to be purged", "a", "8", "b", "0.2", ofHistory)}},
		"fewer than an operation each":                 {flat(0, 900), flat(0, 100), nil},
		"a server that does not tell its history list": {flat(0, 8000), flat(0, -1), nil},
		"a history list that grows": {grows(9, 100, 1000), grows(9, 100, 1000), []string{
			"the history list of transactions that are still to be purged grew over the run of a: its first 4 windows began with 1,600 on average, its last 4 with 6,600; " + later + ofHistory,
			"the history list of transactions that are still to be purged grew over the run of b: its first 4 windows began with 1,600 on average, its last 4 with 6,600; " + later + ofHistory,
		}},
		"one that grows by little":            {grows(9, 100, 20), grows(9, 100, 20), nil},
		"one that grows in too few windows":   {grows(7, 100, 1000), grows(7, 100, 1000), nil},
		"one that is high, and hardly grows":  {grows(10, 40000, 1500), grows(10, 40000, 1500), nil},
		"one that shrinks":                    {grows(9, 9000, -1000), grows(9, 9000, -1000), nil},
		"one that grows, and was purged once": {append(grows(8, 100, 1000), windowOf{1000, 0, 50}), append(grows(8, 100, 1000), windowOf{1000, 0, 50}), nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := planOf(len(tc.a), 1, "a", "b")
			records := recordsOf(p, 0.01, bOver(1.2))
			for i := range records {
				rec := &records[i]
				w := tc.a[rec.Block]
				if rec.Target == "b" {
					w = tc.b[rec.Block]
				}
				from := time.Date(2026, 11, 22, 12, 0, i, 0, time.UTC)
				rec.WindowStartTime, rec.WindowEndTime, rec.Values[0].Value = &from, new(from.Add(time.Second)), w.throughput
				rec.Values = append(rec.Values, contract.RecordedValue{Name: levels.Log, Value: w.log, Unit: "B"},
					contract.RecordedValue{Name: costs.Written, Value: 2000, Unit: "B/op", Direction: contract.LowerIsBetter})
				if w.history >= 0 {
					rec.Values = append(rec.Values, contract.RecordedValue{Name: levels.History, Value: w.history, Unit: "1"})
				}
			}
			var got []string
			for _, f := range conclude(t, Input{Layout: Layout{Plan: p}, Records: records}, 2, nil).Findings {
				if f.Check != "debt-carried" || f.Severity != "Warning" {
					t.Errorf("finding %+v", f)
				}
				got = append(got, f.Message)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// A run that compares nothing says what grew, too; and what no number of operations stands beside is not judged.
func TestDebtCarriedWithoutAComparison(t *testing.T) {
	p := planOf(10, 1, "a")
	records := recordsOf(p, 0.01, bOver(1))
	for i := range records {
		from := time.Date(2026, 11, 22, 12, 0, i, 0, time.UTC)
		records[i].WindowStartTime, records[i].WindowEndTime = &from, new(from.Add(time.Second))
		records[i].Values = append(records[i].Values, contract.RecordedValue{Name: levels.Log, Value: realMariaDB[i].log, Unit: "B"},
			contract.RecordedValue{Name: costs.Written, Value: 2000, Unit: "B/op", Direction: contract.LowerIsBetter})
	}
	in := Input{Layout: Layout{Plan: p}, Records: records}
	cells := p.Cells
	p.Order, p.Cells = v1alpha1.OrderSequential, append(slices.Clone(cells), plan.Cell{})
	if got := conclude(t, in, 1, nil); len(got.Findings) != 0 {
		t.Errorf("of other cells in each half: findings %+v", got)
	}
	p.Cells = cells
	if got := conclude(t, in, 1, nil); len(got.Findings) != 1 || len(got.Entries) != 0 {
		t.Errorf("findings %+v", got)
	}
	for i := range records {
		records[i].Values[len(records[i].Values)-1].Value = 1
	}
	if got := conclude(t, in, 1, nil); len(got.Findings) != 0 {
		t.Errorf("of windows that write nothing: findings %+v", got.Findings)
	}
	for i := range records {
		records[i].Values = records[i].Values[1:]
	}
	if got := conclude(t, in, 1, nil); len(got.Findings) != 0 {
		t.Errorf("without a throughput: findings %+v", got.Findings)
	}
}

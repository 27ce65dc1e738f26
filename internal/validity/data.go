package validity

import (
	"fmt"

	"github.com/assay-bench/assay/internal/result"
	"github.com/assay-bench/assay/runners/runner"
)

// dry is the share of writes of an interval that change nothing when the rows are gone.
const dry = 0.5

// ranDry: the rows of a delete test were there when the window began, and gone before it
// ended, so that it measures two tests. It compares the first quarter of the intervals with
// the last one.
func ranDry(r result.Result, f runner.Facts) string {
	shares, at := writeShares(r, f)
	quarter := max(1, len(shares)/4)
	if len(shares) < 2 {
		return ""
	}
	first, last := shares[:quarter].noOps(), shares[len(shares)-quarter:].noOps()
	if last <= dry || first > last/2 {
		return ""
	}
	since := len(shares)
	for since > 0 && shares[since-1:since].noOps() > dry {
		since--
	}
	return fmt.Sprintf("the tables ended before the window did: %.1f %% of the writes changed nothing in the first quarter of the intervals, and %.1f %% in the last "+
		"(more than half of them since the interval that ended at %g s): load more rows, measure shorter, or load anew before each trial (spec.design.dataReset)",
		100*first, 100*last, at[min(since, len(at)-1)])
}

// writesAt are the rates of writes in an interval: those promised, and those that changed
// something.
type writesAt struct{ promised, changed float64 }

type writeSeries []writesAt

// noOps is the share of writes that changed nothing.
func (s writeSeries) noOps() float64 {
	var sum writesAt
	for _, w := range s {
		sum.promised += w.promised
		sum.changed += w.changed
	}
	if sum.promised == 0 {
		return 0
	}
	return max(0, 1-sum.changed/sum.promised)
}

// writeShares of the intervals that have both rates, and their ends in seconds.
func writeShares(r result.Result, f runner.Facts) (writeSeries, []float64) {
	operations, ok := unlabelled(r, result.NameThroughput)
	writes, known := unlabelled(r, result.NameWrites)
	if !ok || !known || f.WritesPerOperation == 0 {
		return nil, nil
	}
	changed := map[float64]float64{}
	for _, point := range writes.Intervals {
		if point.Value != nil {
			changed[point.AtSeconds] = *point.Value
		}
	}
	var shares writeSeries
	var at []float64
	for _, point := range operations.Intervals {
		if n, there := changed[point.AtSeconds]; there && point.Value != nil {
			shares = append(shares, writesAt{promised: f.WritesPerOperation * *point.Value, changed: n})
			at = append(at, point.AtSeconds)
		}
	}
	return shares, at
}

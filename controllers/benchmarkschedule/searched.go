package benchmarkschedule

import (
	"cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/verdict/baseline"
	"github.com/assay-bench/assay/internal/verdict/history"
)

// searched are the series of a run that are searched for changes: those that are named or, without names,
// those of the main measurement of the tool, which a run has first.
func searched(named []v1alpha1.MeasurementRef) func(contract.PastRun) []contract.PastSeries {
	if len(named) == 0 {
		return mainOf
	}
	return func(run contract.PastRun) []contract.PastSeries { return selected(named, run.Series) }
}

func mainOf(run contract.PastRun) (out []contract.PastSeries) {
	for _, s := range run.Series {
		if s.Name == run.Series[0].Name {
			out = append(out, s)
		}
	}
	return out
}

// selected series: of each cell of a target the one that each reference means, and each only once.
func selected(named []v1alpha1.MeasurementRef, all []contract.PastSeries) []contract.PastSeries {
	type place struct {
		ref  int
		cell string
	}
	chosen, at := map[place]int{}, map[int]bool{}
	for i, s := range all {
		cell := ""
		for ref := range named {
			if !fits(named[ref], s) {
				continue
			}
			if cell == "" {
				cell = cellOf(s)
			}
			before, is := chosen[place{ref, cell}]
			if !is || plainer(s, all[before]) < 0 {
				chosen[place{ref, cell}] = i
			}
		}
	}
	for _, i := range chosen {
		at[i] = true
	}
	var out []contract.PastSeries
	for i, s := range all {
		if at[i] {
			out = append(out, s)
		}
	}
	return out
}

// cellOf a series: its target and its parameters.
func cellOf(s contract.PastSeries) string {
	key := history.KeyOf(s)
	return baseline.Key(v1alpha1.MeasurementKey{Target: key.Target, Parameters: key.Parameters})
}

func fits(ref v1alpha1.MeasurementRef, s contract.PastSeries) bool {
	if s.Name != ref.Name {
		return false
	}
	for name, value := range ref.Labels {
		if v, has := s.Labels[name]; !has || v != value {
			return false
		}
	}
	return true
}

// plainer orders series of one name as a search does its objectives: latencies from the intended start
// first, then the fewest labels, then the label p: "95".
func plainer(a, b contract.PastSeries) int {
	rank := func(is bool) int {
		if is {
			return 0
		}
		return 1
	}
	return cmp.Or(
		rank(a.Labels[contract.LabelTiming] == contract.TimingIntended)-rank(b.Labels[contract.LabelTiming] == contract.TimingIntended),
		len(a.Labels)-len(b.Labels),
		rank(a.Labels[contract.LabelPercentile] == "95")-rank(b.Labels[contract.LabelPercentile] == "95"),
	)
}

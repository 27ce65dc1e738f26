package benchmarkschedule

import (
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
		if s.Name == run.Series[0].Name && !contract.OfGroup(s.Labels) {
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
			if s.Name != named[ref].Name || !contract.Selects(named[ref].Labels, s.Labels) {
				continue
			}
			if cell == "" {
				cell = cellOf(s)
			}
			before, is := chosen[place{ref, cell}]
			if !is || contract.PlainerLabels(s.Labels, all[before].Labels) < 0 {
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

package analysis

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/trial/costs"
)

func TestVariation(t *testing.T) {
	tests := map[string]struct {
		ratios []float64
		spread float64
		change func([]Run)
		want   Variation
	}{
		"runs differ": {
			ratios: []float64{1.06, 0.95, 1.02, 1.1, 0.97}, spread: 0.002, want: Variation{WithinRuns: "0.003974", BetweenRuns: "0.06069", BetweenShare: "0.9996", Buy: stats.LevelRun, Runs: 5},
		},
		"blocks differ": {
			ratios: []float64{1.5, 1.5, 1.5, 1.5, 1.5, 1.5}, spread: 0.1, want: Variation{WithinRuns: "0.2038", BetweenRuns: "0", BetweenShare: "0", Buy: stats.LevelRun, Runs: 6},
		},
		"two runs are rough, and a third one is worth most": {
			ratios: []float64{1.5, 1.5}, spread: 0.1, want: Variation{WithinRuns: "0.1908", BetweenRuns: "0", BetweenShare: "0", Buy: stats.LevelRun, Runs: 2},
		},
		"one run": {ratios: []float64{1.5}, spread: 0.01, want: Variation{WithinRuns: "0.01903", Buy: stats.LevelTrial, Runs: 1}},
		"runs that take a day to prepare": {
			ratios: []float64{1.5, 1.52, 1.49, 1.5, 1.51, 1.48}, spread: 0.02, want: Variation{WithinRuns: "0.04076", BetweenRuns: "0", BetweenShare: "0", Buy: stats.LevelTrial, Runs: 6},
			change: func(all []Run) { lasting(all, 86400) },
		},
		"the same, prepared in no time": {
			ratios: []float64{1.5, 1.52, 1.49, 1.5, 1.51, 1.48}, spread: 0.02, want: Variation{WithinRuns: "0.04076", BetweenRuns: "0", BetweenShare: "0", Buy: stats.LevelRun, Runs: 6},
			change: func(all []Run) { lasting(all, 1) },
		},
		"one observation in each run": {
			ratios: []float64{1.5, 1.5, 1.5}, spread: 0.01, want: Variation{BetweenRuns: "0.006623", Buy: stats.LevelRun, Runs: 3},
			change: func(all []Run) {
				for r := range all {
					all[r].Names = append([]string{costs.ServerMemory}, names...)
					all[r].Declaration.Comparisons[0].Measurements = []Measurement{{Name: costs.ServerMemory}}
					for i := range all[r].Records {
						v := &all[r].Records[i].Values[3]
						v.Name, v.Unit, v.Value = costs.ServerMemory, "B", map[string]float64{"a": 100, "b": 150 + float64(r)}[all[r].Records[i].Target]
					}
				}
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			all := repeated(t, 10, usual, tc.ratios...)
			for i, ratio := range tc.ratios {
				all[i].Records = recordsOf(all[i].Layout.Plan, tc.spread, bOver(ratio))
				for r := range all[i].Records { // noise of its own
					all[i].Records[r].Values[0].Value *= math.Exp(tc.spread * math.Sin(float64(r*r+37*i)))
				}
			}
			if tc.change != nil {
				tc.change(all)
			}
			got, err := ConcludeRuns(all)
			if err != nil {
				t.Fatal(err)
			}
			v := got.Comparisons[0].Variation
			if diff := cmp.Diff(&tc.want, v); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	all := repeated(t, 10, usual, 1.5, 1.5)
	all[1].Records[3].Values[0].Value = 0
	if got, err := ConcludeRuns(all); err != nil || got.Comparisons[0].Variation != nil {
		t.Errorf("a run without a ratio: %v, %+v", err, got.Comparisons[0].Variation)
	}
}

// lasting runs: each block takes a minute, and what is around them this many seconds.
func lasting(all []Run, around float64) {
	at := time.Unix(1e9, 0)
	for i := range all {
		for r := range all[i].Records {
			rec := &all[i].Records[r]
			begin := at.Add(time.Duration(r) * 30 * time.Second)
			end := begin.Add(30 * time.Second)
			rec.WindowStartTime, rec.CompletionTime = &begin, &end
		}
		all[i].Seconds = 600 + around
	}
}

// The whole of one entry: Student's t of log 2, log 2.2 and log 1.8, by hand: mean 0.6898, standard
// deviation 0.1004, 4.3027 standard errors to either side; p is 1 - t/sqrt(2+t^2) for t = 11.90.
func TestEntryOverRuns(t *testing.T) {
	a := analysisOf(v1alpha1.Comparison{Factor: "target", Measurements: []v1alpha1.MeasurementRef{{Name: "throughput"}}})
	all := repeated(t, 8, a, 2, 2.2, 1.8)
	for r, ratio := range []float64{2, 2.2, 1.8} {
		for i := range all[r].Records {
			rec := &all[r].Records[i]
			rec.Values = rec.Values[:1]
			rec.Values[0].Value = bOver(ratio)(rec.Target, 0)
		}
	}
	got, err := ConcludeRuns(all)
	if err != nil {
		t.Fatal(err)
	}
	want := []RunsComparison{{Ratios: []string{"2", "2.2", "1.8"}, ComparisonEntry: v1alpha1.ComparisonEntry{
		Family: "Primary", Factor: "target", Value: "b", Baseline: "a", Name: "throughput", Unit: "tx/s", Direction: "HigherIsBetter", Verdict: "Faster",
		Ratio: "1.993", IntervalLow: "1.553", IntervalHigh: "2.558", IntervalConfidence: "0.95", P: "0.006985", AdjustedP: "0.006985", BlockCount: 24, PlannedBlockCount: 24,
	}, Variation: &Variation{
		WithinRuns: "0", BetweenRuns: "0.1004", BetweenShare: "1", Buy: "Run", Runs: 3,
	}}}
	if diff := cmp.Diff(want, got.Comparisons); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

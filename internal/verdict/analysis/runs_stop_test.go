package analysis

import (
	"strconv"
	"testing"
)

// Runs that end once they are precise are compared at a part of their error rate, as each of them is by itself: their
// intervals are wider than those of runs with fixed blocks.
func TestRunsThatMayStopEarly(t *testing.T) {
	width := func(t *testing.T, precision string, runs int, version string) float64 {
		t.Helper()
		all := repeated(t, 20, usual, []float64{1.2, 1.21, 1.19, 1.2}[:runs]...)
		for i := range all {
			all[i].Spec.Design.Precision = precision
			if i > 0 && version != "" {
				all[i].Spec.Targets[0].MySQL.Version = version
			}
			declare(t, &all[i])
		}
		got, err := ConcludeRuns(all)
		if err != nil {
			t.Fatal(err)
		}
		low, err := strconv.ParseFloat(got.Comparisons[0].IntervalLow, 64)
		if err != nil {
			t.Fatal(err)
		}
		high, err := strconv.ParseFloat(got.Comparisons[0].IntervalHigh, 64)
		if err != nil {
			t.Fatal(err)
		}
		return high / low
	}
	for name, tt := range map[string]struct {
		runs    int
		version string
	}{"over runs": {4, ""}, "run against run": {2, "9.7"}} {
		t.Run(name, func(t *testing.T) {
			if fixed, early := width(t, "", tt.runs, tt.version), width(t, "2%", tt.runs, tt.version); !(early > fixed) {
				t.Errorf("the interval reaches over %v, and over %v with fixed blocks", early, fixed)
			}
		})
	}
}

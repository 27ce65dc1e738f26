package summary

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// Every trial counts whatever its steadiness, and the main measurement says how many were steady,
// of those that count. RESULT says how many were not.
func TestSteadinessIsCounted(t *testing.T) {
	is := func(state string, more ...change) change {
		return func(r *contract.Record) {
			r.Steadiness = state
			r.Values = append(r.Values, contract.RecordedValue{Name: "latency.avg", Value: 1, Unit: "ms"})
			for _, f := range more {
				f(r)
			}
		}
	}
	p := planOf(5, 1, "a", "b")
	records := recordsOf(p, map[int]change{
		0: is("Steady"), 2: is("NotSteady"), 4: is("NotSteady"), 6: is("TooShort"), 8: is("Steady", isInvalid), 1: is("ANewOne"),
	})
	entries, _ := Of(Input{p, names, records})
	got := map[string]*v1alpha1.SteadinessCount{}
	for _, e := range entries {
		got[e.Target+" "+e.Name] = e.Steadiness
		if want := map[string]int32{"a": 4, "b": 5}[e.Target]; e.Name == "throughput" && e.TrialCount != want {
			t.Errorf("%d trials of %s count, want %d", e.TrialCount, e.Target, want)
		}
	}
	want := map[string]*v1alpha1.SteadinessCount{
		"a throughput": {Steady: 1, NotSteady: 2, TooShort: 1}, "b throughput": nil, "a latency.avg": nil, "b latency.avg": nil,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

package history

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/contract"
)

// A series has what the gate said of it. What it could not judge, or does not know, is neither slower nor well.
func TestMarkSlower(t *testing.T) {
	entry := func(name string, outcome v1alpha1.GateOutcome) v1alpha1.GateEntry {
		return v1alpha1.GateEntry{Outcome: outcome, Measurement: v1alpha1.MeasurementKey{Target: "db", Name: name}}
	}
	gate := &v1alpha1.GateStatus{Entries: []v1alpha1.GateEntry{
		entry("slow", v1alpha1.OutcomeSlower), entry("odd", v1alpha1.OutcomeNotJudged), entry("new", v1alpha1.OutcomeNew), entry("well", v1alpha1.OutcomePassed),
	}}
	want := []contract.PastSeries{
		{Target: "db", Name: "slow", Slower: true}, {Target: "db", Name: "odd", NotJudged: true}, {Target: "db", Name: "new", NotJudged: true},
		{Target: "db", Name: "well"}, {Target: "db", Name: "other"}, {Target: "db2", Name: "slow"},
	}
	got := make([]contract.PastSeries, len(want))
	for i, s := range want {
		got[i] = contract.PastSeries{Target: s.Target, Name: s.Name}
	}
	markSlower(got, gate)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

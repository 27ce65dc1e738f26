package history

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// A series has what the gate said of it. What it could not judge, or does not know, is neither slower nor well.
func TestMarkSlower(t *testing.T) {
	entry := func(name string, outcome v1alpha1.GateOutcome) v1alpha1.GateEntry {
		return v1alpha1.GateEntry{Outcome: outcome, Measurement: v1alpha1.MeasurementKey{Target: "db", Name: name}}
	}
	against := func(baseline string, e v1alpha1.GateEntry) v1alpha1.GateEntry {
		e.Baseline = baseline
		return e
	}
	gate := &v1alpha1.GateStatus{Baselines: []v1alpha1.GateBaseline{{Name: "release"}, {Name: "week"}, {Name: "month", Effect: v1alpha1.EffectInform}}, Entries: []v1alpha1.GateEntry{
		against("month", entry("well", v1alpha1.OutcomeSlower)), against("release", entry("slow than one", v1alpha1.OutcomePassed)), against("week", entry("slow than one", v1alpha1.OutcomeSlower)),
		against("release", entry("in one", v1alpha1.OutcomeNew)), against("week", entry("in one", v1alpha1.OutcomePassed)),
		entry("slow", v1alpha1.OutcomeSlower), entry("odd", v1alpha1.OutcomeNotJudged), entry("new", v1alpha1.OutcomeNew), entry("well", v1alpha1.OutcomePassed),
	}}
	want := []contract.PastSeries{
		{Target: "db", Name: "slow", Slower: true}, {Target: "db", Name: "odd", NotJudged: true}, {Target: "db", Name: "new", NotJudged: true},
		{Target: "db", Name: "slow than one", Slower: true}, {Target: "db", Name: "in one"}, {Target: "db", Name: "well"}, {Target: "db", Name: "other"}, {Target: "db2", Name: "slow"},
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

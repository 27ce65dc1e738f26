package gate

import (
	"fmt"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// A baseline that only informs takes no room from those that count: an alarm has to know what they could not judge.
func TestEntriesOfWhatCountsComeFirst(t *testing.T) {
	side := func(effect v1alpha1.BaselineEffect, n int, outcome v1alpha1.GateOutcome) *judgement {
		j := &judgement{status: v1alpha1.GateBaseline{Effect: effect}}
		for i := range n {
			j.all = append(j.all, judged{key: v1alpha1.MeasurementKey{Name: fmt.Sprint(outcome, i)}, outcome: outcome})
		}
		return j
	}
	all := []*judgement{
		side(v1alpha1.EffectInform, maxEntries, v1alpha1.OutcomeSlower), side("", 3, v1alpha1.OutcomePassed), side("", 2, v1alpha1.OutcomeNotJudged), side("", 1, v1alpha1.OutcomeSlower),
	}
	entries := entriesOf(all)
	if len(entries) != maxEntries {
		t.Fatalf("%d entries, want %d", len(entries), maxEntries)
	}
	for i, want := range []string{"Slower0", "NotJudged0", "NotJudged1", "Slower0", "Slower1"} {
		if got := entries[i].Measurement.Name; got != want {
			t.Errorf("entry %d is %s, want %s", i, got, want)
		}
	}
	if last := entries[maxEntries-1].Outcome; last != v1alpha1.OutcomeSlower {
		t.Errorf("the last entry is %s: what passed took the room", last)
	}
}

package benchmarkschedule

import (
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// What the outcome of a run means for its schedule: whether it succeeded, and whether the schedule is stalled by it.
func TestOutcomes(t *testing.T) {
	tests := map[string]struct{ succeeded, failed bool }{
		"Measured":                        {true, false},
		"2 Faster, 1 Inconclusive":        {true, false},
		"GatePassed":                      {true, false},
		v1alpha1.OutcomeFailed:            {false, true},
		v1alpha1.OutcomeInvalid:           {false, true},
		v1alpha1.OutcomeGateFailed:        {false, true},
		v1alpha1.OutcomeGateNotJudged:     {false, false},
		"" /* of an entry without one */ : {false, true},
	}
	for outcome, want := range tests {
		if got := succeeded(outcome); got != want.succeeded {
			t.Errorf("%q succeeded: %v", outcome, got)
		}
		if got := failed(outcome); got != want.failed {
			t.Errorf("%q failed: %v", outcome, got)
		}
	}
}

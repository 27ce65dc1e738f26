package runner

import (
	"strings"
	"testing"

	"github.com/assay-bench/assay/internal/contract"
)

func TestMissingRemedyIsTrueOfThePhase(t *testing.T) {
	tests := map[string]struct {
		phase contract.Phase
		loads bool
		want  string
	}{
		"before the load there is nothing to load into": {contract.PhasePrepare, true, "create the schema"},
		"after the load somebody dropped it":            {contract.PhaseRun, true, "look for what dropped it"},
		"so in the warm-up":                             {contract.PhaseWarmup, true, "look for what dropped it"},
		"nothing was ever loaded":                       {contract.PhaseRun, false, "have to be there before the run"},
		"nothing is left to drop":                       {contract.PhaseCleanup, true, "gone already"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := MissingRemedy(tc.phase, tc.loads); !strings.Contains(got, tc.want) || strings.Contains(got, "load the data") {
				t.Errorf("got %q, want it to hold %q", got, tc.want)
			}
		})
	}
}

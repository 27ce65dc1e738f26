package runner

import (
	"strings"
	"testing"
)

func TestMissingRemedyIsTrueOfThePhase(t *testing.T) {
	tests := map[string]struct {
		phase Phase
		loads bool
		want  string
	}{
		"before the load there is nothing to load into": {Prepare, true, "create the schema"},
		"after the load somebody dropped it":            {Run, true, "look for what dropped it"},
		"so in the warm-up":                             {Warmup, true, "look for what dropped it"},
		"nothing was ever loaded":                       {Run, false, "have to be there before the run"},
		"nothing is left to drop":                       {Cleanup, true, "gone already"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := MissingRemedy(tc.phase, tc.loads); !strings.Contains(got, tc.want) || strings.Contains(got, "load the data") {
				t.Errorf("got %q, want it to hold %q", got, tc.want)
			}
		})
	}
}

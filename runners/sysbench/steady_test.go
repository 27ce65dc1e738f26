package sysbench

import (
	"math"
	"strings"
	"testing"

	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/trial/validity"
)

// Real runs of a minute on MariaDB 10.11, of a script whose one statement sleeps for a time that
// stands in a table. In run-sleep-step that time changed after 40 s, in run-sleep-warms after 15 s.
func TestSteadinessOfRealRuns(t *testing.T) {
	tests := map[string]struct {
		want stats.SteadyState
		says string
	}{
		"run-sleep-steady":         {stats.Steady, ""},
		"run-sleep-step":           {stats.NotSteady, "changed by -17 % in a step, after 40 s of the window"},
		"run-sleep-warms":          {stats.NotSteady, "steady after 15 s of the window only"},
		"run-read-write-maria1011": {stats.TooShort, ""}, // 10 s
		"run-read-only-quiet":      {"", ""},             // without intervals
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := fixtures[name]
			got, found := validity.Steadiness(asResult(f, parse(f.trial(t), f.phase, f.output(t, name))), 0, math.Inf(1))
			if got != tc.want || (len(found) > 0) != (tc.says != "") {
				t.Fatalf("%q, findings %v; want %q", got, found, tc.want)
			}
			if len(found) > 0 && !strings.Contains(found[0].Message, tc.says) {
				t.Errorf("%q, want %q", found[0].Message, tc.says)
			}
		})
	}
}

package drivers

import (
	"testing"
	"time"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

// A harness warms up in the process that measures, unless it is told not to.
func TestWarmsUp(t *testing.T) {
	tests := map[string]struct {
		p    Params
		want bool
	}{
		"by default":       {Params{}, true},
		"rounds":           {Params{WarmupRounds: new(2)}, true},
		"a time":           {Params{WarmupRounds: new(0), Warmup: &Duration{time.Second}}, true},
		"neither":          {Params{WarmupRounds: new(0), Warmup: &Duration{}}, false},
		"nothing is known": {Params{WarmupRounds: new(0)}, false},
	}
	for name, tc := range tests {
		if got := tc.p.warmsUp(); got != tc.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
	if o := opening(contract.Trial{}); o != (runner.Opening{}) {
		t.Errorf("a workload that cannot be read opens with %+v", o)
	}
}

package validity

import (
	"testing"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestShortWarmup(t *testing.T) {
	tests := map[string]struct {
		asked int64
		cut   contract.WarmupCut
		took  *float64
		finds bool
	}{
		"as long as asked for":              {30, contract.WarmupInProcess, new(30.4), false},
		"a little shorter":                  {30, contract.WarmupInProcess, new(27.1), false},
		"the tool was long in starting":     {5, contract.WarmupInProcess, new(4.4), true},
		"there was none at all":             {5, contract.WarmupInProcess, nil, true},
		"none was asked for":                {0, contract.WarmupInProcess, nil, false},
		"a process of its own has its time": {5, contract.WarmupSeparateProcess, new(1.0), false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := contract.Result{Tool: contract.Tool{WarmupCut: tc.cut, WarmupSeconds: tc.took}}
			if got := shortWarmup(r, runner.Expectations{WarmupSeconds: tc.asked}); (got != "") != tc.finds {
				t.Errorf("got %q", got)
			}
		})
	}
}

package ycsb

import (
	"slices"
	"testing"

	"github.com/assay-bench/assay/internal/trial/validity"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Offered, achieved and error rate of an open loop; a closed loop offers nothing. The open
// loop kept its rate but for one operation of a thread or so, which is no saturation.
func TestRatesOfARun(t *testing.T) {
	tests := map[string]struct {
		offered   *float64
		saturated bool
	}{
		"own-maria1011-run-target": {offered: new(50.0)},
		"own-mysql97-run":          {},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := fixtures[name]
			trial := f.trial(t)
			res := asResult(0, parse(trial, f.phase, f.output(t, name)))
			offered, ok := res.Find(contract.NameOffered, nil)
			if ok != (tc.offered != nil) || ok && *offered.Value != *tc.offered {
				t.Errorf("offered %+v, want %v", offered, tc.offered)
			}
			if errors, ok := res.Find(contract.NameErrorRate, nil); !ok || *errors.Value != 0 || *errors.N != 0 {
				t.Errorf("errors %+v, want a rate of 0", errors)
			}
			expected, err := Runner().Expectations(trial)
			if err != nil {
				t.Fatal(err)
			}
			found := validity.Check(res, expected)
			if got := slices.ContainsFunc(found, func(f validity.Finding) bool { return f.Check == validity.CheckSaturated }); got != tc.saturated {
				t.Errorf("saturated %v (%+v), want %v", got, found, tc.saturated)
			}
		})
	}
}

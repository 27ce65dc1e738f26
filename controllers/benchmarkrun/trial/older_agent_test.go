package trial

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"

	"github.com/assay-bench/assay/internal/contract"
)

// A run keeps its images over an upgrade, so that the results of its later trials are of an agent
// that knows neither cells nor attempts. One that does has to be of just this attempt.
func TestResultsOfAnOlderAgentAreRead(t *testing.T) {
	ref := contract.TrialRef{RunUID: "u", Phase: "Run", Target: "mariadb", Index: new(4), Block: new(2), Cell: new(1), Attempt: 1}
	tests := map[string]struct {
		change func(*contract.TrialRef)
		ok     bool
	}{
		"the same":                      {func(*contract.TrialRef) {}, true},
		"an older agent":                {func(r *contract.TrialRef) { r.Cell, r.Attempt = nil, 0 }, true},
		"an older agent, another trial": {func(r *contract.TrialRef) { r.Cell, r.Attempt, r.Index = nil, 0, new(5) }, false},
		"another attempt":               {func(r *contract.TrialRef) { r.Attempt = 0 }, false},
		"another cell":                  {func(r *contract.TrialRef) { r.Cell = new(0) }, false},
		"another client":                {func(r *contract.TrialRef) { r.Client = 1 }, false},
	}
	for name, tc := range tests {
		res := contract.Result{Version: contract.ResultVersion, State: contract.Succeeded, Trial: ref, RawSHA256: contract.Digest(nil)}
		tc.change(&res.Trial)
		data, err := contract.Encode(res)
		if err != nil {
			t.Fatal(err)
		}
		cm := &corev1.ConfigMap{BinaryData: map[string][]byte{contract.KeyResult: data}}
		if err := checkResult(decision.DeliveredIn(cm, contract.DefaultBounds()), contract.Digest(data), ref); (err == nil) != tc.ok {
			t.Errorf("%s: %v, want it read: %v", name, err, tc.ok)
		}
	}
}

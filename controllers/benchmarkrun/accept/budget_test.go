package accept

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/budget"
)

func TestBudgetOfBytes(t *testing.T) {
	used := func(namespace, cluster decision.Usage) change {
		return func(w *world) { w.others = decision.Admission{Namespace: namespace, Cluster: cluster} }
	}
	roomy := decision.Usage{Limit: 1 << 30}
	tests := map[string]struct {
		changes []change
		want    decision.State
		// message is in that of the state.
		message []string
	}{
		"there is room": {want: decision.Done{}},
		"the run is larger than what a run may take": {
			changes: []change{func(w *world) { w.in.Catalogue.Config.Results.Budget.Run = resource.MustParse("100Ki") }},
			want:    decision.Failed{Reason: v1alpha1.ReasonResultBudgetExceeded},
			message: []string{"spec.design", "2 trials x 1 attempts x 1 clients + 1 loads = 3 results", "results.budget.run (100 KiB)"},
		},
		"runs that have ended hold the namespace": {
			changes: []change{used(decision.Usage{Held: 10 << 20, Limit: 12 << 20}, roomy)},
			want:    decision.Failed{Reason: v1alpha1.ReasonResultBudgetExceeded},
			message: []string{"10 MiB of the other runs in namespace ns", "results.budget.namespace is 12 MiB", "delete ended runs"},
		},
		"runs that have ended hold the cluster": {
			changes: []change{used(roomy, decision.Usage{Held: 10 << 20, Limit: 12 << 20})},
			want:    decision.Failed{Reason: v1alpha1.ReasonResultBudgetExceeded}, message: []string{"results.budget.cluster is 12 MiB"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(tt.changes...)
			res := w.decide(t)
			reason, message := "", ""
			switch state := res.State.(type) {
			case decision.Failed:
				reason, message = state.Reason, state.Message
				state.Message = ""
				res.State = state
			case decision.Waiting:
				reason, message = state.Reason, state.Message
				state.Message = ""
				res.State = state
			case decision.Done:
				res.State = decision.Done{}
			}
			if res.State != tt.want {
				t.Fatalf("got %T %s %s, want %T", res.State, reason, message, tt.want)
			}
			for _, part := range tt.message {
				if !strings.Contains(message, part) {
					t.Errorf("%q is not in %q", part, message)
				}
			}
			if _, done := res.State.(decision.Done); done == (res.Status.Resolved == nil) || done == (res.Status.Results == nil) {
				t.Errorf("resolved = %v, budget = %+v", res.Status.Resolved, res.Status.Results)
			}
		})
	}
}

// What is admitted is what the status says: every client of every attempt, loads included.
func TestBudgetCountsAttemptsAndClients(t *testing.T) {
	w := newWorld(func(w *world) {
		w.in.Run.Spec.Clients.Count = 3
		w.in.Run.Spec.Design.OnTrialFailure, w.in.Run.Spec.Design.MaxRetries = v1alpha1.OnFailureRetry, 4
	})
	got := w.decide(t).Status.Results
	const results = 2*5*3 + 1
	if got.BudgetBytes != w.admitted.Bytes || got.HeldBytes != w.admitted.Held || got.ClientBudgetBytes != budget.MostData || got.BudgetBytes < results*budget.MostData || got.BudgetBytes > results*budget.MostData*12/10 {
		t.Errorf("got %+v, admitted %+v, want a little over %d", got, w.admitted, results*budget.MostData)
	}
	if got.HeldBytes <= 0 || got.HeldBytes > 10<<10 {
		t.Errorf("the plan holds %d bytes", got.HeldBytes)
	}
}

package accept

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"

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

// longMatrix has so many long values, each unlike the others, that no plan holds their cells.
var longMatrix = spec(func(s *v1alpha1.BenchmarkRunSpec) {
	random := rand.New(rand.NewPCG(1, 2))
	long := func(name string, values, length int) v1alpha1.Axis {
		axis := v1alpha1.Axis{Name: name, Apply: v1alpha1.ApplyRestart}
		for range values {
			text := make([]rune, length)
			for i := range text {
				text[i] = rune(0x4e00 + random.IntN(20000))
			}
			axis.Values = append(axis.Values, intstr.FromString(string(text)))
		}
		return axis
	}
	s.Matrix = []v1alpha1.Axis{long("config.sort_buffer_size", 31, 2), long("config.init_connect", 64, 512)}
	s.Deadline.Duration = 1000 * time.Hour
})

// What cannot be stored is refused before the run waits for anything.
func TestTooLargeIsNotWaitedFor(t *testing.T) {
	noRoom := func(w *world) { w.in.Catalogue.Config.Results.Budget.Run = resource.MustParse("100Ki") }
	for name, tt := range map[string]struct {
		change change
		want   string
		// asked: what the references mean was looked up before.
		asked bool
	}{
		"the plan":    {longMatrix, "fail SpecTooLarge: spec.matrix: the plan of 1984 cells takes ", false},
		"the results": {noRoom, "fail ResultBudgetExceeded: spec.design, spec.matrix: ", true},
		"neither":     {func(*world) {}, "wait VolumeSnapshotNotReady: ", true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(ofTables(decision.Absent{}), tt.change)
			w.in.Turn, w.in.Run.CreationTimestamp.Time = true, now
			res := w.decide(t)
			for strings.HasPrefix(words(res.State), "wait Progressing: planning: ") {
				w.in.Planned = res.Planned
				res = w.decide(t)
			}
			if got := words(res.State); !strings.HasPrefix(got, tt.want) || len(w.lookedUp) > 0 != tt.asked || w.admitted.Bytes != 0 {
				t.Errorf("%s\nwant %s\nafter a look at %v, admitted %+v", got, tt.want, w.lookedUp, w.admitted)
			}
			// The status was not written: the next pass has the plan of this one.
			w.in.Planned = res.Planned
			if again := w.decide(t); words(again.State) != words(res.State) {
				t.Errorf("then %s\nwant %s", words(again.State), words(res.State))
			}
		})
	}
}

package benchmarkrun

import (
	"context"
	"errors"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/controllers/benchmarkrun/trial"
)

// creator creates nothing, keeps the names in their order, and fails for one of them.
type creator struct {
	client.Client
	fails string
	err   error
	names []string
}

func (c *creator) Create(_ context.Context, obj client.Object, _ ...client.CreateOption) error {
	c.names = append(c.names, obj.GetName())
	if obj.GetName() == c.fails {
		return c.err
	}
	return nil
}

// Actions are performed in their order, step by step, and the first that fails is the
// last. A step whose actions were not performed has no changes, and those after it did not
// happen.
func TestActionsStopAtTheFirstError(t *testing.T) {
	creates := func(names ...string) []decision.Action {
		var out []decision.Action
		for _, name := range names {
			cm := &corev1.ConfigMap{}
			cm.Name = name
			out = append(out, decision.Create{Object: cm})
		}
		return out
	}
	first := step{condition: v1alpha1.ConditionTargetsReady}
	second := step{condition: v1alpha1.ConditionDataLoaded}
	third := step{condition: v1alpha1.ConditionMeasured}
	changes := []change{cleans("db", "", trial.End{})}
	p := pass{steps: []decidedStep{
		{first, answer{state: decision.Done{}, actions: creates("a", "b"), changes: changes}, false},
		{second, answer{state: decision.Done{}, actions: creates("c", "d", "e"), changes: changes}, false},
		{third, answer{state: decision.Done{}, actions: creates("f"), changes: changes}, false},
	}}
	refused := apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "d", errors.New("quota"))
	tests := map[string]struct {
		fails string
		err   error
		tried []string
		steps int
		again bool
	}{
		"nothing fails":                           {"", nil, []string{"a", "b", "c", "d", "e", "f"}, 3, false},
		"an error that time may mend":             {"d", errors.New("gone away"), []string{"a", "b", "c", "d"}, 2, false},
		"a refusal, after which the run can end":  {"d", refused, []string{"a", "b", "c", "d"}, 2, true},
		"an error of the first action of a pass":  {"a", errors.New("gone away"), []string{"a"}, 1, false},
		"an error of the last action of the pass": {"f", errors.New("gone away"), []string{"a", "b", "c", "d", "e", "f"}, 3, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := &creator{fails: tt.fails, err: tt.err}
			got := (&Reconciler{}).act(t.Context(), actor{client: c, run: &v1alpha1.BenchmarkRun{}}, p)
			if !slices.Equal(c.names, tt.tried) {
				t.Errorf("%v were tried, want %v", c.names, tt.tried)
			}
			if len(got.steps) != tt.steps || got.again != tt.again {
				t.Errorf("%d steps, again %v, want %d and %v", len(got.steps), got.again, tt.steps, tt.again)
			}
			for i, c := range got.steps {
				failed := tt.fails != "" && i == len(got.steps)-1
				if _, done := c.state.(decision.Done); done == failed || (len(c.changes) == 0) != failed {
					t.Errorf("%s: state %T with %d changes", c.condition, c.state, len(c.changes))
				}
			}
			for i, c := range p.steps {
				if len(c.changes) != 1 {
					t.Errorf("step %d of the pass was changed", i)
				}
			}
		})
	}
}

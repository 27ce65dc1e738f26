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

// Actions are performed in their order, chapter by chapter, and the first that fails is the
// last. A chapter whose actions were not performed has no news, and those after it did not
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
	first := chapter{condition: v1alpha1.ConditionTargetsReady}
	second := chapter{condition: v1alpha1.ConditionDataLoaded}
	third := chapter{condition: v1alpha1.ConditionMeasured}
	told := []news{cleanedNews{target: "db"}}
	p := pass{chapters: []taken{
		{first, answer{state: decision.Done{}, actions: creates("a", "b"), news: told}, false},
		{second, answer{state: decision.Done{}, actions: creates("c", "d", "e"), news: told}, false},
		{third, answer{state: decision.Done{}, actions: creates("f"), news: told}, false},
	}}
	refused := apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "d", errors.New("quota"))
	tests := map[string]struct {
		fails    string
		err      error
		tried    []string
		chapters int
		again    bool
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
			if len(got.chapters) != tt.chapters || got.again != tt.again {
				t.Errorf("%d chapters, again %v, want %d and %v", len(got.chapters), got.again, tt.chapters, tt.again)
			}
			for i, c := range got.chapters {
				failed := tt.fails != "" && i == len(got.chapters)-1
				if _, done := c.state.(decision.Done); done == failed || (len(c.news) == 0) != failed {
					t.Errorf("%s: state %T with %d news", c.condition, c.state, len(c.news))
				}
			}
			for i, c := range p.chapters {
				if len(c.news) != 1 {
					t.Errorf("chapter %d of the pass was changed", i)
				}
			}
		})
	}
}

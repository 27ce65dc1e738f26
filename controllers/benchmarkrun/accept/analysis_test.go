package accept

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/trial/costs"
	"github.com/assay-bench/assay/runners/runner"
)

// second adds another target, and blocks.
func second(blocks int32) change {
	return spec(func(s *v1alpha1.BenchmarkRunSpec) {
		other := *s.Targets[0].DeepCopy()
		other.Name, s.Design.Blocks, s.Design.Order = "other", blocks, v1alpha1.OrderRandomizedBlocks
		s.Targets, s.Deadline.Duration = append(s.Targets, other), 100*s.Deadline.Duration
		s.Analysis = nil
		s.SetDefaults()
	})
}

// declares comparisons of the targets.
func declares(a v1alpha1.Analysis) change {
	return spec(func(s *v1alpha1.BenchmarkRunSpec) {
		a.MinimumEffect, a.ErrorRate = "2%", "5%"
		s.Analysis = &a
		s.SetDefaults()
	})
}

func axis(n int) change {
	return spec(func(s *v1alpha1.BenchmarkRunSpec) {
		a := v1alpha1.Axis{Name: "threads"}
		for i := range n {
			a.Values = append(a.Values, intstr.FromInt(i+1))
		}
		s.Matrix = []v1alpha1.Axis{a}
	})
}

// measures so many combinations in each trial.
func measures(n int) change {
	return func(w *world) {
		often, _ := w.in.Catalogue.Tool("sysbench")
		often.Design.Combinations = func(json.RawMessage) (out []runner.Combination, err error) {
			for i := range n {
				out = append(out, runner.Combination{Labels: map[string]string{"driver": strconv.Itoa(i)}, Factors: map[string]string{"driver": strconv.Itoa(i)}})
			}
			return out, nil
		}
		w.in.Catalogue.Tool = func(name string) (runner.Runner, bool) { return often, name == often.Name }
	}
}

// What Accepted says of the plan, and what is refused because it cannot succeed.
func TestWhatThePlanCanShow(t *testing.T) {
	all := []v1alpha1.Comparison{{Factor: "target"}}
	tests := map[string]struct {
		given []change
		state string
	}{
		"one target": {nil, "done: 2 trials planned: 1 cell x 1 target x 2 blocks"},
		"enough blocks": {
			[]change{second(10)}, "done: 20 trials planned: 1 cell x 2 targets x 10 blocks; 2 comparisons need 7 blocks; what they detect is not known before the run: ratios of windows of 20 s and more on slices of a CPU spread, where that was measured, by 1.5 to 4 % where nothing uses up its CPU limit",
		},
		"the queue finds the same words in the status": {
			[]change{second(10), accepted(t), func(w *world) { w.in.Seen = true }},
			"done: 20 trials planned: 1 cell x 2 targets x 10 blocks; 2 comparisons need 7 blocks; what they detect is not known before the run: ratios of windows of 20 s and more on slices of a CPU spread, where that was measured, by 1.5 to 4 % where nothing uses up its CPU limit",
		},
		"the default analysis never refuses": {
			[]change{second(6)}, "done: 12 trials planned: 1 cell x 2 targets x 6 blocks; 2 comparisons need 7 blocks, and are exploratory here: the plan has 6 blocks",
		},
		"what is declared has to be able to succeed": {
			[]change{second(6), declares(v1alpha1.Analysis{Comparisons: all})},
			"fail InvalidSpec: spec.analysis.comparisons: 2 comparisons need 7 blocks, and design.blocks is 6: raise it, compare less, or raise errorRate",
		},
		"below six blocks everything is exploratory, as the user knows": {
			[]change{second(3), declares(v1alpha1.Analysis{Comparisons: all})},
			"done: 6 trials planned: 1 cell x 2 targets x 3 blocks; 2 comparisons need 7 blocks, and are exploratory here: the plan has 3 blocks",
		},
		"a default family beyond the limit": {
			[]change{second(2), axis(20), func(w *world) { w.in.Catalogue.Config.Limits.Comparisons = 39 }},
			"done: 80 trials planned: 20 cells x 2 targets x 2 blocks; 40 comparisons need 11 blocks, and are exploratory here: 40 comparisons are more than the 39 that a run may have",
		},
		"a declared family beyond the limit": {
			[]change{second(2), axis(20), declares(v1alpha1.Analysis{Comparisons: all}), func(w *world) { w.in.Catalogue.Config.Limits.Comparisons = 39 }},
			"fail InvalidSpec: spec.analysis.comparisons: 40 comparisons are more than the 39 that a run may have",
		},
		"a default analysis of more than can be listed": {
			[]change{second(2), measures(70000)},
			"done: 4 trials planned: 1 cell x 2 targets x 2 blocks; 140,000 comparisons need 23 blocks, and are exploratory here: " +
				"spec.analysis: 140000 targets x cells x combinations are too many to be compared (at most 131072)",
		},
		"a declared one": {
			[]change{second(2), measures(70000), declares(v1alpha1.Analysis{Comparisons: all})}, "fail InvalidSpec: spec.analysis: 140000 targets x cells x combinations are too many",
		},
		"trials in sequence have no verdict": {
			[]change{second(10), spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Design.Order = v1alpha1.OrderSequential })},
			"done: 20 trials planned: 1 cell x 2 targets x 10 blocks; 2 comparisons need 7 blocks, and are exploratory here: " +
				"the trials run in sequence, so that a drift over time looks like a difference",
		},
		"costs are compared like any other measurement": {
			[]change{second(6), declares(v1alpha1.Analysis{Comparisons: []v1alpha1.Comparison{{Factor: "target", Measurements: []v1alpha1.MeasurementRef{{Name: costs.Names()[0]}}}}})},
			"done: 12 trials planned: 1 cell x 2 targets x 6 blocks; 1 comparison needs 6 blocks; what they detect is not known before the run",
		},
		"a control": {
			[]change{second(10), declares(v1alpha1.Analysis{Control: true})},
			"done: 30 trials planned: 1 cell x 3 targets x 10 blocks; 2 comparisons need 7 blocks",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := words(newWorld(tt.given...).decide(t).State); !strings.HasPrefix(got, tt.state) {
				t.Errorf("got  %s\nwant %s", got, tt.state)
			}
		})
	}
}

// The control needs a node and a Secret like any other target.
func TestControlIsPlaced(t *testing.T) {
	w := newWorld(second(10), declares(v1alpha1.Analysis{Control: true}), accepted(t))
	var names []string
	for _, r := range w.in.Run.Status.Resolved.Targets {
		names = append(names, r.Name)
	}
	if got := strings.Join(names, " "); got != "db other control" {
		t.Errorf("resolved are %s", got)
	}
	if n := len(w.in.Run.Provided()); n != 3 {
		t.Errorf("%d targets are provided, want 3", n)
	}
}

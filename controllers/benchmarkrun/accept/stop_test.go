package accept

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/trial/costs"
)

func stops(least int32) change {
	return spec(func(s *v1alpha1.BenchmarkRunSpec) {
		s.Design.StopEarly = &v1alpha1.StopEarly{MinBlocks: least, Precision: "2%"}
	})
}

// The interim analyses are known before the data, and a run that could never stop is refused with the field.
func TestARunThatMayStop(t *testing.T) {
	one := v1alpha1.Analysis{Comparisons: []v1alpha1.Comparison{{Factor: "target", Measurements: []v1alpha1.MeasurementRef{{Name: "throughput"}}}}}
	for name, tt := range map[string]struct {
		given []change
		state string
	}{
		"two comparisons": {
			[]change{second(40), stops(6)},
			"done: 80 trials planned: 1 cell x 2 targets x 40 blocks; 2 comparisons need 9 blocks; 40 blocks detect 2.4 % on a quiet machine, assuming that values spread by 2.7 % and ratios of two by 3.8 %; " +
				"it may stop after 9, 15, 24 of them, and its 4 interim analyses share the error rate",
		},
		"the queue finds the same words in the status": {
			[]change{second(40), stops(6), accepted(t), func(w *world) { w.in.Seen = true }},
			"done: 80 trials planned: 1 cell x 2 targets x 40 blocks; 2 comparisons need 9 blocks; 40 blocks detect 2.4 % on a quiet machine, assuming that values spread by 2.7 % and ratios of two by 3.8 %; it may stop after 9, 15, 24 of them",
		},
		"a later first interim analysis": {[]change{second(40), stops(20), declares(one)}, "done: 80 trials planned: 1 cell x 2 targets x 40 blocks; 1 comparison needs 7 blocks; " +
			"40 blocks detect 2 % on a quiet machine, assuming that values spread by 2.7 % and ratios of two by 3.8 %; it may stop after 20 of them, and its 2 interim analyses share the error rate"},
		"no room for an interim analysis": {
			[]change{second(10), stops(8), declares(one)},
			"fail InvalidSpec: spec.design.stopEarly: there is no room for an interim analysis before block 10: 1 comparison needs 8 blocks at a first interim analysis",
		},
		"a family that needs more than the maximum": {
			[]change{second(7), stops(6), axis(100)}, "fail InvalidSpec: spec.design.stopEarly: there is no room for an interim analysis before block 7: 200 comparisons need 14 blocks",
		},
		"nothing is compared": {
			[]change{stops(6), spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Design.Blocks, s.Design.Order = 40, v1alpha1.OrderABBA })},
			"fail InvalidSpec: spec.design.stopEarly: the run compares nothing",
		},
		"trials in sequence": {
			[]change{second(40), stops(6), spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Design.Order = v1alpha1.OrderSequential })},
			"fail InvalidSpec: spec.design.stopEarly: with design.order Sequential no block ends before the last target",
		},
		"what has no interval": {
			[]change{second(40), stops(6), declares(v1alpha1.Analysis{Comparisons: []v1alpha1.Comparison{
				{Factor: "target", Baseline: new(intstr.FromString("db")), Measurements: []v1alpha1.MeasurementRef{{Name: costs.ServerMemory}}},
			}})},
			"fail InvalidSpec: spec.design.stopEarly: " + costs.ServerMemory + " is the largest value since the server began",
		},
		"more comparisons than a run may have": {
			[]change{second(40), stops(6), axis(20), func(w *world) { w.in.Catalogue.Config.Limits.Comparisons = 39 }},
			"fail InvalidSpec: spec.design.stopEarly: 40 comparisons are more than the 39 that a run may have",
		},
		"the deadline holds all blocks": {
			[]change{second(40), stops(6), spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Deadline.Duration /= 100 })},
			"fail InvalidSpec: spec.deadline: 1h0m0s is shorter than the plan: 80 trials",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := words(newWorld(tt.given...).decide(t).State); !strings.HasPrefix(got, tt.state) {
				t.Errorf("got  %s\nwant %s", got, tt.state)
			}
		})
	}
}

// The budget of bytes counts the blocks that a run may have, not those that it will.
func TestTheBudgetCountsTheMaximum(t *testing.T) {
	fixed, may := newWorld(second(40)), newWorld(second(40), stops(6))
	fixed.decide(t)
	may.decide(t)
	if may.admitted.Bytes < fixed.admitted.Bytes || fixed.admitted.Bytes == 0 {
		t.Errorf("%d bytes for at most 40 blocks, and %d for 40", may.admitted.Bytes, fixed.admitted.Bytes)
	}
}

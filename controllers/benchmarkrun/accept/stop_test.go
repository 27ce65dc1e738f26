package accept

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/trial/costs"
)

// stops at a precision of 2 %.
func stops() change { return design(v1alpha1.Design{Precision: "2%"}) }

// design of a run that decides after its blocks whether another one follows.
func design(d v1alpha1.Design) change {
	return spec(func(s *v1alpha1.BenchmarkRunSpec) {
		s.Design.Precision, s.Design.Within, s.Design.ReserveBlocks = d.Precision, d.Within, d.ReserveBlocks
	})
}

func within(d time.Duration) v1alpha1.Design {
	return v1alpha1.Design{Within: &metav1.Duration{Duration: d}}
}

// The pilot is known before the data, and a run that could never stop is refused with the field.
func TestARunThatMayStop(t *testing.T) {
	one := v1alpha1.Analysis{Comparisons: []v1alpha1.Comparison{{Factor: "target", Measurements: []v1alpha1.MeasurementRef{{Name: "throughput"}}}}}
	for name, tt := range map[string]struct {
		given []change
		state string
	}{
		"two comparisons": {
			[]change{second(40), stops()},
			"done: 80 trials planned: 1 cell x 2 targets x 40 blocks; 2 comparisons need 7 blocks; it ends when every compared ratio is known to within 2 %; " +
				"what they detect is not known before a pilot of 8 blocks: ratios of windows of 20 s and more on slices of a CPU spread, where that was measured, by 1.5 to 4 % where nothing uses up its CPU limit",
		},
		"the queue finds the same words in the status": {
			[]change{second(40), stops(), accepted(t), func(w *world) { w.in.Seen = true }},
			"done: 80 trials planned: 1 cell x 2 targets x 40 blocks; 2 comparisons need 7 blocks; it ends when every compared ratio is known to within 2 %; " +
				"what they detect is not known before a pilot of 8 blocks",
		},
		"a limit of time": {
			[]change{second(40), declares(one), design(within(59 * time.Minute))},
			"done: 80 trials planned: 1 cell x 2 targets x 40 blocks; 1 comparison needs 6 blocks; it ends when 59m0s are over; what they detect is not known before the run",
		},
		"a limit of time with nothing to compare": {
			[]change{spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Design.Blocks, s.Design.Order = 40, v1alpha1.OrderABBA }), design(within(59 * time.Minute))},
			"done: 40 trials planned: 1 cell x 1 target x 40 blocks; it ends when 59m0s are over",
		},
		"a reserve": {
			[]change{second(10), declares(one), design(v1alpha1.Design{ReserveBlocks: 3})},
			"done: 26 trials planned: 1 cell x 2 targets x 13 blocks; 1 comparison needs 6 blocks; up to 3 of the blocks are a reserve for those that do not count",
		},
		"no room for a pilot": {
			[]change{second(8), stops(), declares(one)},
			"fail InvalidSpec: spec.design.precision: the pilot of 1 comparison takes 8 blocks, and design.blocks is 8",
		},
		"a family that needs more than the maximum": {
			[]change{second(9), stops(), axis(100)}, "fail InvalidSpec: spec.design.precision: the pilot of 200 comparisons takes 14 blocks, and design.blocks is 9",
		},
		"nothing is compared": {
			[]change{stops(), spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Design.Blocks, s.Design.Order = 40, v1alpha1.OrderABBA })},
			"fail InvalidSpec: spec.design.precision: the run compares nothing",
		},
		"trials in sequence": {
			[]change{second(40), stops(), spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Design.Order = v1alpha1.OrderSequential })},
			"fail InvalidSpec: spec.design.precision: with design.order Sequential no block ends before the last target",
		},
		"what has no interval": {
			[]change{second(40), stops(), declares(v1alpha1.Analysis{Comparisons: []v1alpha1.Comparison{
				{Factor: "target", Baseline: new(intstr.FromString("db")), Measurements: []v1alpha1.MeasurementRef{{Name: costs.ServerMemory}}},
			}})},
			"fail InvalidSpec: spec.design.precision: " + costs.ServerMemory + " is the largest value since the server began",
		},
		"more comparisons than a run may have": {
			[]change{second(40), stops(), axis(20), func(w *world) { w.in.Catalogue.Config.Limits.Comparisons = 39 }},
			"fail InvalidSpec: spec.design.precision: 40 comparisons are more than the 39 that a run may have",
		},
		"the deadline holds all blocks": {
			[]change{second(40), stops(), spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Deadline.Duration /= 100 })},
			"fail InvalidSpec: spec.deadline: 1h0m0s is shorter than the 40 blocks that the run may need",
		},
		"a time behind the deadline": {
			[]change{second(40), design(within(200 * time.Hour))},
			"fail InvalidSpec: spec.design.within: 200h0m0s is longer than spec.deadline",
		},
		"a time without room for a verdict": {
			[]change{second(40), design(within(10 * time.Second))}, // timing: a field of a spec, and nobody waits
			"fail InvalidSpec: spec.design.within: 10s has no room for the 6 blocks without which nothing has a verdict",
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
	seed := spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Design.Seed = new(int64(7)) }) // one order, which gzip makes equally long
	fixed, may := newWorld(second(40), seed), newWorld(second(40), stops(), seed)
	fixed.decide(t)
	may.decide(t)
	if may.admitted.Bytes < fixed.admitted.Bytes || fixed.admitted.Bytes == 0 {
		t.Errorf("%d bytes for at most 40 blocks, and %d for 40", may.admitted.Bytes, fixed.admitted.Bytes)
	}
}

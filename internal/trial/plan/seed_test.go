package plan

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

func unseeded() v1alpha1.BenchmarkRunSpec {
	s := spec(v1alpha1.OrderRandomizedBlocks, 10, "mariadb mysql", numbers("threads", 3))
	s.Design.Seed = nil
	s.Workload.Sysbench = &v1alpha1.SysbenchWorkload{Test: "oltp_read_only", Threads: 4}
	s.Design.Duration = &metav1.Duration{Duration: 300 * time.Second}
	return s
}

func TestASpecWithoutASeedHasOneOfItsOwn(t *testing.T) {
	first := mustNew(t, unseeded())
	tests := map[string]struct {
		change func(*v1alpha1.BenchmarkRunSpec)
		same   bool
	}{
		"the same again":           {func(*v1alpha1.BenchmarkRunSpec) {}, true},
		"suspended":                {func(s *v1alpha1.BenchmarkRunSpec) { s.Suspend = true }, true},
		"retained":                 {func(s *v1alpha1.BenchmarkRunSpec) { s.Retain = v1alpha1.RetainAlways }, true},
		"urgent":                   {func(s *v1alpha1.BenchmarkRunSpec) { s.Priority = 10 }, true},
		"deleted later":            {func(s *v1alpha1.BenchmarkRunSpec) { s.TTLSecondsAfterFinished = new(int32(60)) }, true},
		"with more time":           {func(s *v1alpha1.BenchmarkRunSpec) { s.Deadline.Duration = time.Hour }, true},
		"beside other runs":        {func(s *v1alpha1.BenchmarkRunSpec) { s.Exclusive = new(false) }, true},
		"with its own seed, given": {func(s *v1alpha1.BenchmarkRunSpec) { s.Design.Seed = &first.Seed }, true},
		"another test":             {func(s *v1alpha1.BenchmarkRunSpec) { s.Workload.Sysbench.Test = "oltp_read_write" }, false},
		"another name of a target": {func(s *v1alpha1.BenchmarkRunSpec) { s.Targets[0].Name = "percona" }, false},
		"another window":           {func(s *v1alpha1.BenchmarkRunSpec) { s.Design.Duration.Duration = time.Minute }, false},
		"the default, given":       {func(s *v1alpha1.BenchmarkRunSpec) { s.Design.Warmup = &metav1.Duration{Duration: 30 * time.Second} }, true},
		"another matrix":           {func(s *v1alpha1.BenchmarkRunSpec) { s.Matrix[0] = numbers("threads", 4) }, false},
		"a seed":                   {func(s *v1alpha1.BenchmarkRunSpec) { s.Design.Seed = new(int64(42)) }, false},
		"the seed 0":               {func(s *v1alpha1.BenchmarkRunSpec) { s.Design.Seed = new(int64(0)) }, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := unseeded()
			tt.change(&s)
			got := mustNew(t, s)
			if (got.Seed == first.Seed) != tt.same {
				t.Errorf("seed %d beside %d, want the same: %v", got.Seed, first.Seed, tt.same)
			}
			if got.Seed < 0 || got.Seed > maxSeed {
				t.Errorf("seed %d is out of the bounds of the API", got.Seed)
			}
			if tt.same && got.SHA256() != first.SHA256() {
				t.Error("another plan with the same seed")
			}
		})
	}
	if s := unseeded(); mustNew(t, s).Seed != first.Seed || s.Design.Seed != nil || s.Retain != "" {
		t.Error("making the plan changed the spec")
	}
}

// The order of a run without a seed is as good as any: over many specs each of two targets
// is as often first in block 0.
func TestDerivedSeedsFavourNoTarget(t *testing.T) {
	first := make([]int, 2)
	for warmup := range 400 {
		s := unseeded()
		s.Design.Warmup = &metav1.Duration{Duration: time.Duration(warmup) * time.Second}
		first[mustNew(t, s).Trials[0].Target]++
	}
	if got := chiSquare(first); got > 10.83 { // the 99.9 % point
		t.Errorf("targets first: %v, chi-square %.1f", first, got)
	}
}

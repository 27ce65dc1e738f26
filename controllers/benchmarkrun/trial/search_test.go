package trial

import (
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/experiment/search"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/integrity"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/runners/runner"
)

// The digests of a load are in the first record of its target since then, although a search may have
// skipped the first trial that the plan has.
func TestTheLoadIsInTheFirstRecordOfASearch(t *testing.T) {
	run := &v1alpha1.BenchmarkRun{}
	run.Name = "run"
	run.Spec.Targets = []v1alpha1.Target{{Name: "a"}, {Name: "b"}}
	run.Status.Targets = []v1alpha1.TargetStatus{{Name: "a", LoadResult: "x"}, {Name: "b", LoadResult: "x"}}
	run.Status.ReleasedBeforeTrial, run.Status.Releases = 2, 1
	p := &plan.Plan{Targets: []string{"a", "b"}}
	for i := range int32(8) {
		p.Trials = append(p.Trials, plan.Trial{Index: i, Target: i % 2})
	}
	known := decision.Known{}
	for _, target := range p.Targets {
		name := contract.ResultName(contract.ReloadName("run", target, 1), 0)
		known = known.With(decision.GetStored{Name: name}, integrity.Stored{Exists: true, Digests: map[string]string{"result": "sha"}})
	}
	before := []contract.Record{{Index: 0, Target: "a"}, {Index: 1, Target: "b"}}
	for name, tt := range map[string]struct {
		recorded []contract.Record
		at       journal.Position
		want     bool
	}{
		"the first one since the release":          {before, journal.Position{Index: 2}, true},
		"of a target whose trials were skipped":    {append(before, contract.Record{Index: 2, Target: "a"}), journal.Position{Index: 5}, true},
		"the second one":                           {append(before, contract.Record{Index: 2, Target: "a"}), journal.Position{Index: 4}, false},
		"another attempt, of another trial":        {append(before, contract.Record{Index: 5, Target: "b"}), journal.Position{Index: 5, Attempt: 1}, false},
		"another attempt, after the nodes changed": {append(before, contract.Record{Index: 2, Target: "a"}), journal.Position{Index: 2, Attempt: 1}, true},
	} {
		t.Run(name, func(t *testing.T) {
			in := Input{Run: run, Plan: p, Recorded: tt.recorded, Work: experiment.Work{Tool: runner.Runner{Name: "tool"}, Search: &search.Search{}}}
			if got := loadDelivered(in, tt.at, known.Ask()); (len(got) == 1) != tt.want {
				t.Errorf("got %+v", got)
			}
		})
	}
}

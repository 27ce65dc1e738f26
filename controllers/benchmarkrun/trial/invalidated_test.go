package trial

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/trial/plan"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestLoadingFindsCommitsThatAreNotDurable(t *testing.T) {
	in := Input{Run: &v1alpha1.BenchmarkRun{}}
	got := LoadFindings(in, "innodb", []contract.Result{{
		State: contract.Succeeded, Trial: contract.TrialRef{Phase: "Prepare"},
		Server: &contract.Server{
			Version:    "10.11.19-MariaDB",
			Variables:  map[string]string{"innodb_flush_log_at_trx_commit": "1"},
			Durability: &contract.Durability{StorageEngine: "InnoDB", Commits: 50, Counters: map[string]int64{"innodb_data_fsyncs": 1}},
		},
	}}, decision.Known{}.Ask())
	if len(got) != 1 || got[0].Check != "durability" || got[0].Target != "innodb" || !got[0].IsInvalid() || !strings.Contains(got[0].Message, "requested 1 flushes") {
		t.Errorf("got %+v, want that commits are not durable", got)
	}
}

// What makes the trials of a target invalid is not looked for in status.findings, which is
// bounded: there it may have been displaced.
func TestATrialInheritsWhatInvalidatesItsTarget(t *testing.T) {
	found := v1alpha1.Finding{Target: "innodb", Check: "durability", Severity: "Invalid", Message: "not durable"}
	in := Input{
		Run: &v1alpha1.BenchmarkRun{
			Spec:   v1alpha1.BenchmarkRunSpec{Targets: []v1alpha1.Target{{Name: "innodb", External: &v1alpha1.ExternalTarget{}}, {Name: "myrocks", External: &v1alpha1.ExternalTarget{}}}},
			Status: v1alpha1.BenchmarkRunStatus{Targets: []v1alpha1.TargetStatus{{Name: "innodb", InvalidatedBy: []v1alpha1.Finding{found}}}},
		},
		Now:  time.Unix(1000, 0),
		Work: experiment.Work{Tool: runner.Runner{Expectations: func(contract.Trial) (runner.Expectations, error) { return runner.Expectations{}, nil }}},
		Plan: &plan.Plan{Targets: []string{"innodb", "myrocks"}, Cells: []plan.Cell{{}}, Trials: []plan.Trial{{Index: 0}, {Index: 1, Target: 1}}},
	}
	in.Run.Spec.SetDefaults()
	res := contract.Result{State: contract.Succeeded, Trial: contract.TrialRef{Phase: string(contract.PhaseRun)}}
	checks := map[string][]string{}
	for i, target := range in.Plan.Targets {
		at := journal.Position{Index: int32(i)}
		rec := Record(in, Measurement(in, at, nil, nil, runner.Length{}), at, End{Results: []contract.Result{res}}, decision.Known{}.Ask())
		for _, f := range rec.Findings {
			if f.Check == "durability" {
				checks[target] = append(checks[target], f.Message)
			}
		}
		if target == "innodb" && *rec.Valid {
			t.Error("a trial of a target whose commits are not durable is valid")
		}
	}
	if diff := cmp.Diff(map[string][]string{"innodb": {"not durable"}}, checks); diff != "" {
		t.Errorf("inherited (-want +got):\n%s", diff)
	}
	if got := in.Run.Status.Targets[0].InvalidatedBy[0]; got.Trial != nil {
		t.Errorf("the record wrote into the run: %+v", got)
	}
}

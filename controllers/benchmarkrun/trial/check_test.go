package trial

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/trial/validity"

	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/runners/sysbench"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// The counters of a server are those of all targets on it: loading the second one is no drift
// of the first.
func TestWhoseDataMayDrift(t *testing.T) {
	on := func(name, host string) v1alpha1.Target {
		return v1alpha1.Target{Name: name, External: &v1alpha1.ExternalTarget{Host: host, Port: 3306, Database: name}}
	}
	tests := map[string]struct {
		other string
		reset v1alpha1.DataReset
		want  bool
	}{
		"servers of their own":                         {"b.example", v1alpha1.ResetPerRun, true},
		"servers of their own, and data that is reset": {"b.example", v1alpha1.ResetPerTrial, false},
		"one server": {"a.example", v1alpha1.ResetPerRun, false},
	}
	for name, tc := range tests {
		in := Input{Run: &v1alpha1.BenchmarkRun{}, Work: experiment.Work{Tool: sysbench.Runner()}}
		in.Run.Spec.Targets = []v1alpha1.Target{on("first", "a.example"), on("second", tc.other)}
		in.Run.Spec.Design.DataReset = tc.reset
		in.Run.Spec.SetDefaults()
		workload := json.RawMessage(`{"test":"oltp_insert","threads":4,"tables":1,"tableSize":100,"percentile":95}`)
		trial := message(in, Execution{Ref: contract.TrialRef{Phase: "Run", Target: "first"}, Workload: workload, Clients: 1})
		if got := mayDrift(in, trial); got != tc.want {
			t.Errorf("%s: may drift: %v, want %v", name, got, tc.want)
		}
	}
}

// The more trials a run has, the less chance is left to each: the mix of one trial that is
// one of some thousand is a finding in a run of one trial, and none in a run of 1,000.
func TestChanceIsSharedByAllTrials(t *testing.T) {
	n, reads := int64(10000), 5215.0
	res := contract.Result{
		State: contract.Succeeded, Trial: contract.TrialRef{Phase: string(contract.PhaseRun)},
		Measurements: []contract.Measurement{
			{Name: contract.NameThroughput, Value: new(1000.0), N: &n},
			{Name: contract.NameOperationCount, Labels: map[string]string{contract.LabelOperation: "read"}, Value: &reads},
		},
	}
	for trials, want := range map[int]bool{1: true, 1000: false} {
		in := Input{
			Run:  &v1alpha1.BenchmarkRun{Spec: v1alpha1.BenchmarkRunSpec{Targets: []v1alpha1.Target{{Name: "a", External: &v1alpha1.ExternalTarget{}}}}},
			Plan: &plan.Plan{Trials: make([]plan.Trial, trials)},
			Work: experiment.Work{Tool: runner.Runner{Expectations: func(contract.Trial) (runner.Expectations, error) {
				return runner.Expectations{Mix: map[string]float64{"read": 0.5}}, nil
			}}},
		}
		in.Run.Spec.SetDefaults()
		findings, _ := check(in, Execution{Ref: contract.TrialRef{Target: "a"}}, outcome{working: []contract.Result{res}, measuring: []contract.Result{res}})
		if got := slices.ContainsFunc(findings, hasSeverity(validity.Invalid)); got != want {
			t.Errorf("of %d trials: invalid %v, want %v: %+v", trials, got, want, findings)
		}
	}
}

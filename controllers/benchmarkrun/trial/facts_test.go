package trial

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/runners/runner"
)

// The circumstances of a trial stand in its record, with those of its target and of its data.
func TestFactsAreRecorded(t *testing.T) {
	in := Input{
		Run: &v1alpha1.BenchmarkRun{
			Spec: v1alpha1.BenchmarkRunSpec{Targets: []v1alpha1.Target{{Name: "db", External: &v1alpha1.ExternalTarget{}}}},
			Status: v1alpha1.BenchmarkRunStatus{Targets: []v1alpha1.TargetStatus{{
				Name: "db", LoadResult: "run-db-load-result-0", ImageID: "sha256:server", FsyncsPerCommit: "1.00",
			}, {Name: "other", NonDefault: []v1alpha1.ServerSetting{{Name: "max_connections", Value: "200"}}}}},
		},
		Now:  time.Unix(1000, 0),
		Work: experiment.Work{Tool: runner.Runner{Expectations: func(contract.Trial) (runner.Expectations, error) { return runner.Expectations{}, nil }}},
		Plan: &plan.Plan{Targets: []string{"db"}, Cells: []plan.Cell{{}}, Trials: []plan.Trial{{}}},
	}
	in.Run.Spec.SetDefaults()
	loaded := contract.Result{State: contract.Succeeded, Data: &contract.Data{Tables: []contract.Table{{Name: "t", Rows: 3}}}}
	known := decision.Known{}.With(decision.GetResult{Name: "run-db-load-result-0"}, decision.Delivered{Result: loaded})
	res := contract.Result{State: contract.Succeeded, Server: &contract.Server{Version: "9.7.0", Variables: map[string]string{"log_bin": "ON", "max_connections": "151"}}}
	at := journal.Position{}
	record := func(end End) contract.Record {
		return Record(in, Measurement(in, at, nil, nil, runner.Length{}), at, end, known.Ask())
	}
	got := record(End{Results: []contract.Result{res}}).Facts.Map()
	want := map[string]string{
		"connection/cipher": "none", "connection/tls": "none", "data/rows": got["data/rows"], "log_bin": "ON", "server/fsyncs-per-commit": "1.00", "server/image": "sha256:server",
		"server/version": "9.7.0", "set/max_connections": "151", // another target has set it
	}
	if diff := cmp.Diff(want, got); diff != "" || got["data/rows"] == "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
	in.Run.Spec.Matrix = []v1alpha1.Axis{{Name: "threads"}, {Name: "config.log_bin"}, {Name: "config.max_connections"}}
	delete(want, "log_bin")
	delete(want, "set/max_connections")
	res.Server.NonDefault = map[string]string{"max_connections": "151"}
	if diff := cmp.Diff(want, record(End{Results: []contract.Result{res}}).Facts.Map()); diff != "" {
		t.Errorf("facts of a trial whose settings vary (-want +got):\n%s", diff)
	}
	if rec := record(End{Reason: "ToolFailed"}); rec.Facts != "" {
		t.Errorf("a trial without a result has the facts %q", rec.Facts)
	}
}

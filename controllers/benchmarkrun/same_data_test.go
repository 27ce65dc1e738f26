package benchmarkrun

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/test/helpers/kubelet"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Targets that hold other data, and trials that begin with other data than the first one,
// are findings, and two clients are judged by what the server did for both.
func TestDifferentDataIsFound(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	began := time.Now().Add(-time.Hour)
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: func(trial contract.Trial) *contract.Result {
		res := delivers(always(1000))(trial)
		if trial.Ref.Client > 0 {
			return counting(res)
		}
		res.Server = &contract.Server{Version: "9.7.4", VersionComment: "(Debian)", Rows: &contract.CountedRows{Started: began, Inserted: 20_000}}
		if res.Data != nil && trial.Ref.Target == "second" {
			tables := slices.Clone(res.Data.Tables)
			tables[0].Checksum, tables[1].Rows = new(int64(4712)), 9999
			res.Data = &contract.Data{Tables: tables}
		}
		if trial.Ref.Index == nil {
			return res
		}
		if *trial.Ref.Block > 0 {
			res.Server.Rows.Deleted = 5000
		}
		// Both clients do 5000 operations that update 2 rows, delete one and insert one.
		res.Server.StatusDelta = map[string]float64{"Innodb_rows_inserted": 10_000, "Innodb_rows_updated": 2000, "Innodb_rows_deleted": 10_000}
		return counting(res)
	}})
	run := newRun(t, ns, alsoTarget("second"), func(r *v1alpha1.BenchmarkRun) { r.Spec.Clients.Count, r.Spec.Design.Blocks = 2, 2 })
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))

	var compared []string
	for _, f := range got.Status.Findings {
		if f.Check == "same-data" {
			compared = append(compared, f.Target+" "+f.Severity+" "+f.Message)
		}
	}
	want := []string{"second Warning before the first trial, it does not hold what target " + got.Spec.Targets[0].Name + " holds: " +
		"table sbtest1 has the checksum 4712 instead of 4711; table sbtest2 has 9999 rows instead of 10000: their numbers are not of the same data"}
	if diff := cmp.Diff(want, compared); diff != "" {
		t.Errorf("findings of same-data (-want +got):\n%s", diff)
	}
	for _, rec := range records(t, got) {
		var checks []string
		for _, f := range rec.Findings {
			if f.Client == nil && (f.Check == "data-drift" || f.Check == "no-op-writes") {
				checks = append(checks, f.Check+" "+f.Severity)
			}
		}
		want := []string{"no-op-writes Invalid"}
		if rec.Block > 0 {
			want = append(want, "data-drift Warning")
		}
		if diff := cmp.Diff(want, checks); diff != "" {
			t.Errorf("trial %d: checks (-want +got):\n%s", rec.Index, diff)
		}
	}
}

// counting gives the throughput of a run a number of operations.
func counting(res *contract.Result) *contract.Result {
	for i := range res.Measurements {
		res.Measurements[i].N = new(int64(5000))
	}
	return res
}

package benchmarkrun

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/plan"

	"github.com/assay-bench/assay/runners/sysbench"
	"github.com/assay-bench/assay/test/helpers/kubelet"

	"github.com/assay-bench/assay/internal/contract"
)

func sysbenchTest(test string, threads string) json.RawMessage {
	return json.RawMessage(`{"test":"` + test + `","threads":` + threads + `,"tables":1,"tableSize":100,"percentile":95}`)
}

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
		res.Server = &contract.Server{Version: "9.7.4", Rows: &contract.CountedRows{Started: began, Inserted: 20_000}}
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
	want := []string{"second Warning after loading, it does not hold what target " + got.Spec.Targets[0].Name + " holds: " +
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
		s := &scope{run: &v1alpha1.BenchmarkRun{}, runner: sysbench.Runner()}
		s.run.Spec.SetDefaults()
		s.run.Spec.Targets = []v1alpha1.Target{on("first", "a.example"), on("second", tc.other)}
		s.run.Spec.Design.DataReset = tc.reset
		trial := s.trialOf(execution{ref: contract.TrialRef{Phase: "Run", Target: "first"}, workload: sysbenchTest("oltp_insert", "4"), clients: 1}, time.Now())
		if got := s.mayDrift(trial); got != tc.want {
			t.Errorf("%s: may drift: %v, want %v", name, got, tc.want)
		}
	}
}

// A run loads one data set: that of spec.workload.
func TestCellsNeedTheDataThatIsLoaded(t *testing.T) {
	tests := map[string]struct {
		workload, cell json.RawMessage
		want           string // empty: accepted
	}{
		"tests with the same tables":       {sysbenchTest("oltp_read_write", "4"), sysbenchTest("select_random_points", "8"), ""},
		"bulk_insert beside others":        {sysbenchTest("oltp_read_write", "4"), sysbenchTest("bulk_insert", "4"), "4 tables with 0 rows against 1 with 100"},
		"others beside bulk_insert":        {sysbenchTest("bulk_insert", "4"), sysbenchTest("oltp_delete", "4"), "make one run for each"},
		"bulk_insert with more threads":    {sysbenchTest("bulk_insert", "4"), sysbenchTest("bulk_insert", "8"), "needs other tables"},
		"bulk_insert with the same number": {sysbenchTest("bulk_insert", "4"), sysbenchTest("bulk_insert", "4"), ""},
		"a cell that cannot be read":       {sysbenchTest("bulk_insert", "4"), sysbenchTest("bulk_insert", "0"), "workload.sysbench.threads"},
		"a base that cannot be loaded":     {sysbenchTest("bulk_insert", "0"), sysbenchTest("bulk_insert", "4"), "spec.workload: it is what is loaded"},
	}
	cell := plan.Cell{"test": intstr.FromString("x")}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := &scope{runner: sysbench.Runner(), workload: tc.workload}
			err := s.checkData(3, cell, contract.Trial{Workload: tc.cell, Clients: 1})
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
	unknown := &scope{workload: sysbenchTest("bulk_insert", "4")}
	if err := unknown.checkData(0, cell, contract.Trial{}); err != nil {
		t.Errorf("a tool that knows nothing of its tables: %v", err)
	}
}

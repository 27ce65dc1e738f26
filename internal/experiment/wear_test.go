package experiment

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/experiment/wear"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/runners/sysbench"
)

// deleting is the work of a run that deletes at a rate: 1,000 rows per trial, 100 of them in the
// warm-up.
func deleting(t *testing.T, change ...func(*v1alpha1.BenchmarkRun)) (Work, *plan.Plan) {
	t.Helper()
	run := &v1alpha1.BenchmarkRun{Spec: v1alpha1.BenchmarkRunSpec{
		Targets:  []v1alpha1.Target{{Name: "db", MySQL: &v1alpha1.MySQLTarget{Flavor: "MariaDB", StorageEngine: "InnoDB"}}},
		Workload: v1alpha1.Workload{Sysbench: &v1alpha1.SysbenchWorkload{Test: "oltp_delete", Threads: 4, Tables: 2, TableSize: 5000, Rate: 10, Percentile: 95, RandType: "uniform"}},
		Design: v1alpha1.Design{
			Blocks: 3, Order: v1alpha1.OrderRandomizedBlocks, DataReset: v1alpha1.ResetPerRun,
			Warmup: &metav1.Duration{Duration: 10 * time.Second}, Duration: &metav1.Duration{Duration: 90 * time.Second},
		},
	}}
	for _, f := range change {
		f(run)
	}
	w, err := WorkOf(run.Spec, Catalogue{Tool: func(string) (runner.Runner, bool) { return sysbench.Runner(), true }})
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(run.Spec, nil, plan.Largest())
	if err != nil {
		t.Fatal(err)
	}
	return w, p
}

// checked are the checks of all cells of a plan.
func checked(t *testing.T, w Work, p *plan.Plan) checks {
	t.Helper()
	out := Planned{Plan: p, checks: checks{wanted: true, wear: wear.Data{Plan: p}}}
	for i := range p.Cells {
		if err := expandCell(w, &out, i); err != nil {
			t.Fatal(err)
		}
	}
	return out.checks
}

func TestWhatAPlanDoesToItsDataIsForeseen(t *testing.T) {
	const dry, grown = "data-runs-dry", "data-outgrows-memory"
	bench := func(f func(*v1alpha1.SysbenchWorkload)) func(*v1alpha1.BenchmarkRun) {
		return func(r *v1alpha1.BenchmarkRun) { f(r.Spec.Workload.Sysbench) }
	}
	closed := bench(func(w *v1alpha1.SysbenchWorkload) { w.Rate = 0 })
	perTrial := func(r *v1alpha1.BenchmarkRun) { r.Spec.Design.DataReset = v1alpha1.ResetPerTrial }
	inserts := bench(func(w *v1alpha1.SysbenchWorkload) { w.Test, w.TableSize, w.Rate = "oltp_insert", 100000, 10000 })
	tests := map[string]struct {
		change []func(*v1alpha1.BenchmarkRun)
		want   []v1alpha1.Finding
	}{
		"all three blocks miss some of their deletes": {
			nil, []v1alpha1.Finding{{Check: dry, Severity: "Warning", Message: "trial 0 (db block 0): at least 5.3 % of the deletes of its window find no row, " +
				"and 22 % in trial 2 (3 of 3 trials have more than 5 %): 10000 rows are loaded, and up to 3000 deletes follow one load: " +
				"set design.dataReset: PerTrial, load more rows (workload.sysbench.tableSize)"}},
		},
		"ten times the rows are enough": {[]func(*v1alpha1.BenchmarkRun){bench(func(w *v1alpha1.SysbenchWorkload) { w.TableSize = 50000 })}, nil},
		"reset before each trial":       {[]func(*v1alpha1.BenchmarkRun){perTrial, bench(func(w *v1alpha1.SysbenchWorkload) { w.TableSize = 10000 })}, nil},
		"a test that reads":             {[]func(*v1alpha1.BenchmarkRun){bench(func(w *v1alpha1.SysbenchWorkload) { w.Test = "oltp_read_only" })}, nil},
		"a closed loop for a time, reset before each trial": {
			[]func(*v1alpha1.BenchmarkRun){closed, perTrial}, []v1alpha1.Finding{{Check: dry, Severity: "Note", Message: "trial 0 (db block 0) deletes for as long " +
				"as its window lasts, so that it is not known before the trial whether the 10000 rows last: load more rows (workload.sysbench.tableSize)"}},
		},
		"a closed loop for a time, one block after the other": {
			[]func(*v1alpha1.BenchmarkRun){closed}, []v1alpha1.Finding{{Check: dry, Severity: "Warning", Message: "trial 0 (db block 0) deletes for as long " +
				"as its window lasts, so that it is not known before the trial whether the 10000 rows last; and others follow on what it leaves: " +
				"set design.dataReset: PerTrial, load more rows (workload.sysbench.tableSize)"}},
		},
		"keys of which three of four are of one row in a hundred": {
			[]func(*v1alpha1.BenchmarkRun){closed, perTrial, bench(func(w *v1alpha1.SysbenchWorkload) { w.RandType = "special" })},
			[]v1alpha1.Finding{{Check: dry, Severity: "Warning", Message: "trial 0 (db block 0) deletes for as long as its window lasts, so that it is not known before the trial " +
				"whether the 10000 rows last; 75 % of its deletes go to 1 % of the rows, which are soon gone: load more rows (workload.sysbench.tableSize), " +
				"use workload.sysbench.randType: uniform"}},
		},
		"inserts beyond the buffer pool": {
			[]func(*v1alpha1.BenchmarkRun){inserts}, []v1alpha1.Finding{{Target: "db", Check: grown, Severity: "Warning", Message: "with trial 1 (db block 1) the " +
				"tables take about 503 MiB, more than innodb_buffer_pool_size (384 MiB); before, they fit: later trials measure the storage, earlier ones the memory: " +
				"set design.dataReset: PerTrial, use fewer of workload.sysbench.events, or a lower rate"}},
		},
	}
	resolved := v1alpha1.Resolved{Targets: []v1alpha1.ResolvedTarget{{
		Name: "db", Shape: &v1alpha1.InstanceShapeSpec{Memory: resource.MustParse("1Gi")},
		Settings: []v1alpha1.ServerSetting{{Name: "innodb-buffer-pool-size", Value: "384M", Source: v1alpha1.SourceShape}},
	}}}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w, p := deleting(t, tt.change...)
			c := checked(t, w, p)
			got := w.WearFindings(Planned{checks: c}, resolved)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			if err := checkWear(w, c); err != nil {
				t.Errorf("refused: %v", err)
			}
		})
	}
}

func TestDeletesThatMostlyFindNothingAreRefused(t *testing.T) {
	w, p := deleting(t, func(r *v1alpha1.BenchmarkRun) {
		w := r.Spec.Workload.Sysbench
		w.Rate, w.Events = 0, 20000
		r.Spec.Design.DataReset = v1alpha1.ResetPerTrial
	})
	err := checkWear(w, checked(t, w, p))
	const want = "spec.workload.sysbench: cell 0 (no matrix) deletes 20000 times in a window, and 10000 rows are loaded: at least 57 % of the deletes " +
		"would find no row, however often the data is put back: load more rows (workload.sysbench.tableSize), use fewer of workload.sysbench.events"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// The cache of a server is known by its flavor and storage engine; of others the memory of the shape counts.
func TestCacheSetting(t *testing.T) {
	tests := map[string]struct{ flavor, storageEngine, want string }{
		"MariaDB with InnoDB":                   {"MariaDB", "InnoDB", "innodb_buffer_pool_size"},
		"the default storage engine":            {"MySQL", "", "innodb_buffer_pool_size"},
		"RocksDB, which has the page cache too": {"Percona", "RocksDB", ""},
		"a server of another kind":              {"TiDB", "", ""},
		"a flavor that is not known":            {"Other", "InnoDB", ""},
	}
	for name, tt := range tests {
		if got := cacheSetting(v1alpha1.MySQLTarget{Flavor: tt.flavor, StorageEngine: tt.storageEngine}); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// A workload that may write is refused where the data exists, unless that is allowed.
func TestWritesIntoDataThatExists(t *testing.T) {
	existing := func(allowed bool) func(*v1alpha1.BenchmarkRun) {
		return func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Targets = append(r.Spec.Targets, v1alpha1.Target{Name: "theirs", External: &v1alpha1.ExternalTarget{Host: "db", Data: v1alpha1.DataExisting, AllowWrites: allowed}})
		}
	}
	test := func(name string) func(*v1alpha1.BenchmarkRun) {
		return func(r *v1alpha1.BenchmarkRun) { r.Spec.Workload.Sysbench.Test = name }
	}
	for name, tt := range map[string]struct {
		change []func(*v1alpha1.BenchmarkRun)
		want   string
	}{
		"it deletes":                 {[]func(*v1alpha1.BenchmarkRun){existing(false)}, "spec.targets[1].external.allowWrites: cell 0 (no matrix) of spec.workload.sysbench may write into the tables of target theirs"},
		"it deletes, and that is ok": {[]func(*v1alpha1.BenchmarkRun){existing(true)}, ""},
		"it reads":                   {[]func(*v1alpha1.BenchmarkRun){existing(false), test("oltp_read_only")}, ""},
		"it updates":                 {[]func(*v1alpha1.BenchmarkRun){existing(false), test("oltp_update_index")}, "may write"},
		"it empties tables":          {[]func(*v1alpha1.BenchmarkRun){existing(true), test("bulk_insert")}, "spec.targets[1].external.data: cell 0 (no matrix) of spec.workload.sysbench cannot use tables that exist: bulk_insert empties its tables"},
		"all data is loaded":         {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w, p := deleting(t, tt.change...)
			out := Planned{Plan: p, checks: checks{wanted: true, wear: wear.Data{Plan: p}}}
			err := expandCell(w, &out, 0)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

package experiment

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners"
)

// everyTool is the catalogue of all tools and engines, as an operator has it by default.
var everyTool = Catalogue{Tool: runners.Find, Engine: engines.Find, Config: config.Default()}

// loadSpec is that of a run whose trials measure loads, over the number of rows.
func loadSpec() v1alpha1.BenchmarkRunSpec {
	return v1alpha1.BenchmarkRunSpec{
		Targets:  []v1alpha1.Target{{Name: "db", MySQL: &v1alpha1.MySQLTarget{Flavor: "MySQL", StorageEngine: "InnoDB"}}},
		Workload: v1alpha1.Workload{Sysbench: &v1alpha1.SysbenchWorkload{Test: "oltp_read_write", Threads: 4, Tables: 2, TableSize: 1000}},
		Matrix:   []v1alpha1.Axis{{Name: "tableSize", Values: []intstr.IntOrString{intstr.FromInt32(1000), intstr.FromInt32(5000)}}},
		Design:   v1alpha1.Design{Measures: v1alpha1.MeasuresLoad, DataReset: v1alpha1.ResetPerTrial, Blocks: 6, Order: v1alpha1.OrderRandomizedBlocks},
		Deadline: metav1.Duration{Duration: time.Hour},
	}
}

// What decides the data is an axis of a run that measures loads; a trial is what the tool does in Prepare, with the values of its cell.
func TestALoadIsMeasured(t *testing.T) {
	run := &v1alpha1.BenchmarkRun{Spec: loadSpec()}
	run.Spec.SetDefaults()
	if w := run.Spec.Design.Warmup.Duration; w != 0 {
		t.Errorf("the warm-up is %s", w)
	}
	f, err := Preview(run, everyTool)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Plan.Cells) != 2 || f.Least != 0 || f.Demand.All.Connections != 4 {
		t.Errorf("%d cells, at least %s, %+v", len(f.Plan.Cells), f.Least, f.Demand.All)
	}
	for i, trial := range f.Plan.Trials {
		if trial.Reset != (i > 0) {
			t.Errorf("trial %d: reset %v", i, trial.Reset)
		}
	}
	w, err := WorkOf(run.Spec, everyTool)
	if err != nil {
		t.Fatal(err)
	}
	trial, err := w.sketch(f.Plan.Cells[1])
	if err != nil {
		t.Fatal(err)
	}
	rows, err := w.Tool.Leaves(trial)
	if err != nil || rows["sbtest1"] != 5000 || len(rows) != 2 || !trial.Loads {
		t.Errorf("the trial leaves %v (%v), loads %v", rows, err, trial.Loads)
	}
	if rows, err := w.Tool.Rows(trial); err != nil || len(rows) > 0 {
		t.Errorf("%v (%v) are loaded before the trials", rows, err)
	}
	if w.Tool.Headline != contract.NameRowRate || w.Names()[0] != contract.NameRowRate {
		t.Errorf("the headline is %s of %v", w.Tool.Headline, w.Names())
	}
}

func TestWhatIsNoLoad(t *testing.T) {
	for want, change := range map[string]func(*v1alpha1.BenchmarkRunSpec){
		"spec.design.dataReset: a trial that measures a load (design.measures: Load) begins with an empty schema: set PerTrial": func(s *v1alpha1.BenchmarkRunSpec) { s.Design.DataReset = v1alpha1.ResetPerRun },
		"spec.design.warmup: nothing can warm up before a load": func(s *v1alpha1.BenchmarkRunSpec) {
			s.Design.Warmup = &metav1.Duration{Duration: time.Second}
		},
		"spec.search: no rate is offered to a load":      func(s *v1alpha1.BenchmarkRunSpec) { s.Search = &v1alpha1.Search{} },
		"spec.data: the trials load the data themselves": func(s *v1alpha1.BenchmarkRunSpec) { s.Data = &v1alpha1.DataSet{Name: "x"} },
		"spec.clients.count: one client loads with spec.workload.tpcc: set 1": func(s *v1alpha1.BenchmarkRunSpec) {
			s.Workload, s.Matrix, s.Clients.Count = v1alpha1.Workload{TPCC: &v1alpha1.TPCCWorkload{}}, nil, 2
		},
		"spec.design.measures: Load, and spec.workload.drivers: the tool loads nothing before its trials": func(s *v1alpha1.BenchmarkRunSpec) {
			s.Workload, s.Matrix = v1alpha1.Workload{Drivers: &v1alpha1.DriversWorkload{
				Drivers: []v1alpha1.Driver{{Language: "Go", Name: "go-sql-driver"}}, Benchmarks: []v1alpha1.DriverBenchmark{{Operation: "SelectOne"}},
			}}, nil
		},
	} {
		spec := loadSpec()
		change(&spec)
		spec.SetDefaults()
		if _, err := WorkOf(spec, everyTool); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want: %s", err, want)
		}
	}
}

// Cells that load nothing, or alike, are refused: what they differ in would be chance.
func TestCellsThatLoadNothingOrAlike(t *testing.T) {
	axis := func(name string, values ...int32) []v1alpha1.Axis {
		out := v1alpha1.Axis{Name: name}
		for _, v := range values {
			out.Values = append(out.Values, intstr.FromInt32(v))
		}
		return []v1alpha1.Axis{out}
	}
	external := []v1alpha1.Target{{Name: "db", External: &v1alpha1.ExternalTarget{Host: "db.example", Port: 3306, Database: "test", TLS: v1alpha1.TLSDisabled, InsecureSkipVerify: true}}}
	for name, tt := range map[string]struct {
		change func(*v1alpha1.BenchmarkRunSpec)
		want   string // empty where it is accepted
	}{
		"threads up to the tables":           {func(s *v1alpha1.BenchmarkRunSpec) { s.Matrix = axis("threads", 1, 2) }, ""},
		"more threads than tables":           {func(s *v1alpha1.BenchmarkRunSpec) { s.Matrix = axis("threads", 2, 4) }, "it loads as cell 0"},
		"a rate":                             {func(s *v1alpha1.BenchmarkRunSpec) { s.Matrix = axis("rate", 100, 200) }, "it loads as cell 0"},
		"a setting of the server":            {func(s *v1alpha1.BenchmarkRunSpec) { s.Matrix = axis("config.innodb_io_capacity", 100, 200) }, ""},
		"more clients than tables":           {func(s *v1alpha1.BenchmarkRunSpec) { s.Clients.Count = 3 }, "client 2 of 3 has nothing to load"},
		"other rows on an external server":   {func(s *v1alpha1.BenchmarkRunSpec) { s.Targets = external }, ""},
		"other tables on an external server": {func(s *v1alpha1.BenchmarkRunSpec) { s.Targets, s.Matrix = external, axis("tables", 2, 3) }, "it makes other tables than spec.workload"},
		"other tables on one of ours":        {func(s *v1alpha1.BenchmarkRunSpec) { s.Matrix = axis("tables", 2, 3) }, ""},
		"a JDBC driver": {func(s *v1alpha1.BenchmarkRunSpec) {
			s.Workload, s.Matrix = v1alpha1.Workload{YCSB: &v1alpha1.YCSBWorkload{RecordCount: 10}}, nil
			s.Targets = []v1alpha1.Target{{Name: "db", External: &v1alpha1.ExternalTarget{JDBC: &v1alpha1.JDBCEndpoint{URL: "jdbc:x://h", Driver: "x.Driver"}}}}
		}, "the data of an external.jdbc target cannot be reset"},
		"tables that stay empty": {func(s *v1alpha1.BenchmarkRunSpec) {
			s.Workload.Sysbench, s.Matrix = &v1alpha1.SysbenchWorkload{Test: "bulk_insert", Threads: 1}, nil
		}, "there is no load of rows"},
		"fewer records than clients": {func(s *v1alpha1.BenchmarkRunSpec) {
			s.Workload, s.Matrix, s.Clients.Count = v1alpha1.Workload{YCSB: &v1alpha1.YCSBWorkload{RecordCount: 1}}, nil, 2
		}, "client 1 of 2 has nothing to load"},
	} {
		run := &v1alpha1.BenchmarkRun{Spec: loadSpec()}
		tt.change(&run.Spec)
		run.Spec.SetDefaults()
		_, err := Preview(run, everyTool)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
}

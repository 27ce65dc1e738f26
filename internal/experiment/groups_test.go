package experiment

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
)

func groupsSpec() v1alpha1.BenchmarkRunSpec {
	spec := loadSpec()
	spec.Workload.Sysbench.Test, spec.Matrix = "oltp_point_select", nil
	spec.Design.Measures, spec.Design.DataReset, spec.Deadline.Duration = "", v1alpha1.ResetPerRun, 10*time.Hour
	return spec
}

func axisOf(name string, values ...int32) v1alpha1.Axis {
	a := v1alpha1.Axis{Name: name}
	for _, v := range values {
		a.Values = append(a.Values, intstr.FromInt32(v))
	}
	return a
}

// What is said of groups that cannot be, by the change that makes them so.
func TestGroupsThatCannotBe(t *testing.T) {
	second := func(fields map[string]intstr.IntOrString) func(*v1alpha1.BenchmarkRunSpec) {
		return func(s *v1alpha1.BenchmarkRunSpec) { s.Background = &v1alpha1.Background{Clients: 2, Workload: fields} }
	}
	writes := map[string]intstr.IntOrString{"test": intstr.FromString("oltp_write_only")}
	for want, change := range map[string]func(*v1alpha1.BenchmarkRunSpec){
		"spec.clients.count: 16 tenants x 5 clients + 0 of spec.background are 80 client pods, and a trial has at most 64": func(s *v1alpha1.BenchmarkRunSpec) {
			s.Tenants, s.Clients.Count = 16, 5
		},
		"spec.tenants: a trial that measures a load (design.measures: Load) is one load of one schema": func(s *v1alpha1.BenchmarkRunSpec) {
			s.Tenants, s.Design.Measures, s.Design.DataReset = 2, v1alpha1.MeasuresLoad, v1alpha1.ResetPerTrial
		},
		"spec.background: a trial that measures a load": func(s *v1alpha1.BenchmarkRunSpec) {
			second(writes)(s)
			s.Design.Measures, s.Design.DataReset = v1alpha1.MeasuresLoad, v1alpha1.ResetPerTrial
		},
		"spec.targets[0]: the data of target db exists before the run, and is that of one tenant": func(s *v1alpha1.BenchmarkRunSpec) {
			s.Tenants, s.Targets = 2, []v1alpha1.Target{{Name: "db", External: &v1alpha1.ExternalTarget{Host: "h", Data: v1alpha1.DataExisting}}}
		},
		"spec.targets[0].external.database: " + strings.Repeat("d", 63) + " is too long for the schemas of 2 tenants": func(s *v1alpha1.BenchmarkRunSpec) {
			s.Tenants, s.Targets = 2, []v1alpha1.Target{{Name: "db", External: &v1alpha1.ExternalTarget{Host: "h", Database: strings.Repeat("d", 63), InsecureSkipVerify: true}}}
		},
		"spec.targets[1].external.database: tenant 1 of target b has the schema bench_2, which spec.targets[0] has on the same server": func(s *v1alpha1.BenchmarkRunSpec) {
			s.Tenants, s.Targets = 2, []v1alpha1.Target{
				{Name: "a", External: &v1alpha1.ExternalTarget{Host: "H", Port: 3306, Database: "bench", InsecureSkipVerify: true}},
				{Name: "b", External: &v1alpha1.ExternalTarget{Host: "h", Port: 3306, Database: "bench_2", InsecureSkipVerify: true}},
			}
		},
		"background: it comes to its window in another way than the workload": func(s *v1alpha1.BenchmarkRunSpec) {
			s.Workload = v1alpha1.Workload{YCSB: &v1alpha1.YCSBWorkload{Workload: "a", RecordCount: 1000, Threads: 1}}
			second(map[string]intstr.IntOrString{"operationCount": intstr.FromInt32(1000)})(s)
		},
		"background: at most 10000 intervals fit into a result": func(s *v1alpha1.BenchmarkRunSpec) {
			s.Workload.Sysbench.ReportIntervalSeconds, s.Design.Duration, s.Deadline.Duration = 10, &metav1.Duration{Duration: 4 * time.Hour}, 200*time.Hour
			second(map[string]intstr.IntOrString{"reportIntervalSeconds": intstr.FromInt32(1)})(s)
		},
		"spec.targets[0].external.jdbc: its URL names one database": func(s *v1alpha1.BenchmarkRunSpec) {
			s.Tenants, s.Targets = 2, []v1alpha1.Target{{Name: "db", External: &v1alpha1.ExternalTarget{JDBC: &v1alpha1.JDBCEndpoint{URL: "jdbc:x", Driver: "d"}}}}
			s.Workload = v1alpha1.Workload{YCSB: &v1alpha1.YCSBWorkload{Workload: "a", RecordCount: 1000, Threads: 1}}
		},
		"spec.targets[0].mysql.tenancy: Servers: it is for a run with spec.tenants": func(s *v1alpha1.BenchmarkRunSpec) {
			s.Targets[0].MySQL.Tenancy = v1alpha1.TenancyServers
		},
		"spec.targets[0].mysql.tenancy: Servers: no server of a tenant has replicas": func(s *v1alpha1.BenchmarkRunSpec) {
			s.Tenants, s.Targets[0].MySQL.Tenancy = 2, v1alpha1.TenancyServers
			s.Targets[0].MySQL.Replication = &v1alpha1.Replication{Mode: v1alpha1.ReplicationAsync, Replicas: 1}
		},
		"at most 8 tenants have a server each": func(s *v1alpha1.BenchmarkRunSpec) {
			s.Tenants, s.Targets[0].MySQL.Tenancy = 9, v1alpha1.TenancyServers
		},
		"mysql.storage.retain, snapshot, fromRun and fromSnapshot are about one volume": func(s *v1alpha1.BenchmarkRunSpec) {
			s.Tenants, s.Targets[0].MySQL.Tenancy, s.Targets[0].MySQL.Storage.Retain = 2, v1alpha1.TenancyServers, true
		},
		"spec.data: a data set is that of one schema":                            func(s *v1alpha1.BenchmarkRunSpec) { s.Tenants, s.Data = 2, &v1alpha1.DataSet{Name: "d"} },
		"background: tableSize decides what is loaded":                           second(map[string]intstr.IntOrString{"tableSize": intstr.FromInt32(5)}),
		"background.workload.thread: the tool has no field and no option thread": second(map[string]intstr.IntOrString{"thread": intstr.FromInt32(5)}),
		"cell 2 (background.clients=3): background.clients: 3: use whole numbers from 0 to 2": func(s *v1alpha1.BenchmarkRunSpec) {
			second(writes)(s)
			s.Matrix = []v1alpha1.Axis{axisOf("background.clients", 0, 1, 3)}
		},
		"cell 1 (background.clients=01): background.clients: 01: use whole numbers from 0 to 2": func(s *v1alpha1.BenchmarkRunSpec) {
			second(writes)(s)
			s.Matrix = []v1alpha1.Axis{{Name: "background.clients", Values: []intstr.IntOrString{intstr.FromString("1"), intstr.FromString("01")}}}
		},
		"background: workload.sysbench.delay: round trips to a target with TLS cannot be delayed: use tls: Disabled (of an external target external.tls, whose default is Required), or no delay (spec.targets[0])": func(s *v1alpha1.BenchmarkRunSpec) {
			second(map[string]intstr.IntOrString{"delay": intstr.FromString("1ms")})(s)
			s.Targets[0].MySQL.TLS = v1alpha1.TLSRequired
		},
		"cell 1 (delay=1ms): workload.sysbench.delay: round trips to a target with TLS cannot be delayed": func(s *v1alpha1.BenchmarkRunSpec) {
			s.Targets[0].MySQL.TLS = v1alpha1.TLSPreferred
			s.Matrix = []v1alpha1.Axis{{Name: "delay", Values: []intstr.IntOrString{intstr.FromString("0s"), intstr.FromString("1ms")}}}
		},
		"workload.ycsb.delay: round trips to a target with jdbc cannot be delayed": func(s *v1alpha1.BenchmarkRunSpec) {
			s.Targets = []v1alpha1.Target{{Name: "db", External: &v1alpha1.ExternalTarget{JDBC: &v1alpha1.JDBCEndpoint{URL: "jdbc:x", Driver: "d"}}}}
			s.Workload = v1alpha1.Workload{YCSB: &v1alpha1.YCSBWorkload{Workload: "a", RecordCount: 1000, Threads: 1, Connecting: v1alpha1.Connecting{Delay: "1us"}}}
		},
		"spec.matrix[0]: clients: 3: use whole numbers from 1 to 2 (spec.clients.count)": func(s *v1alpha1.BenchmarkRunSpec) {
			s.Clients.Count, s.Matrix = 2, []v1alpha1.Axis{axisOf("clients", 1, 3)}
		},
		"spec.matrix[0]: clients: 0: use whole numbers from 1 to 1": func(s *v1alpha1.BenchmarkRunSpec) {
			s.Clients.Count, s.Matrix = 1, []v1alpha1.Axis{axisOf("clients", 0)}
		},
		"spec.matrix[0]: the axis clients is how many client pods work, and the workload has a parameter of that name": func(s *v1alpha1.BenchmarkRunSpec) {
			s.Workload = v1alpha1.Workload{Custom: &v1alpha1.CustomWorkload{
				Image: "registry.example/tool@sha256:" + strings.Repeat("a", 64), Run: v1alpha1.CustomPhase{Command: []string{"tool"}}, Format: "GoBenchmark", Parameters: map[string]string{"clients": "1"},
			}}
			s.Clients.Count, s.Matrix = 2, []v1alpha1.Axis{axisOf("clients", 1, 2)}
		},
		"spec.matrix[0]: clients: 01: use whole numbers from 1 to 2": func(s *v1alpha1.BenchmarkRunSpec) {
			s.Clients.Count, s.Matrix = 2, []v1alpha1.Axis{{Name: "clients", Values: []intstr.IntOrString{intstr.FromString("01"), intstr.FromInt32(2)}}}
		},
		"spec.clients.count: 4 client pods, of which at most 2 work (spec.matrix[0], clients): use count: 2": func(s *v1alpha1.BenchmarkRunSpec) {
			s.Clients.Count, s.Matrix = 4, []v1alpha1.Axis{axisOf("clients", 1, 2)}
		},
		"spec.matrix[0]: the axis clients: workload.drivers makes many measurements one after the other": func(s *v1alpha1.BenchmarkRunSpec) {
			s.Workload = v1alpha1.Workload{Drivers: &v1alpha1.DriversWorkload{
				Drivers: []v1alpha1.Driver{{Language: "Go", Name: "go-sql-driver"}}, Benchmarks: []v1alpha1.DriverBenchmark{{Operation: "SelectOne"}},
			}}
			s.Clients.Count, s.Matrix = 1, []v1alpha1.Axis{axisOf("clients", 1)}
		},
		"leave it out, or spec.tenants": func(s *v1alpha1.BenchmarkRunSpec) {
			s.Clients.Count, s.Tenants, s.Matrix = 2, 2, []v1alpha1.Axis{axisOf("clients", 1, 2)}
		},
		"background: workload.sysbench.tables: select_random_points reads one table": second(map[string]intstr.IntOrString{"test": intstr.FromString("select_random_points")}),
	} {
		t.Run(want, func(t *testing.T) {
			run := &v1alpha1.BenchmarkRun{Spec: groupsSpec()}
			change(&run.Spec)
			run.Spec.SetDefaults()
			_, err := Preview(run, everyTool)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// A second load is spec.workload with its own fields, whatever the axes of the workload say.
func TestGroupsOfACell(t *testing.T) {
	spec := groupsSpec()
	spec.Background = &v1alpha1.Background{Clients: 3, Workload: map[string]intstr.IntOrString{"test": intstr.FromString("oltp_write_only")}}
	spec.Matrix = []v1alpha1.Axis{axisOf("threads", 8), axisOf("background.threads", 2), axisOf("background.clients", 0, 1, 3)}
	spec.SetDefaults()
	w, err := WorkOf(spec, everyTool)
	if err != nil {
		t.Fatal(err)
	}
	for clients, want := range map[int32][]contract.Group{
		0: {{Clients: 1}, {Background: true, Idle: true, Clients: 3}},
		1: {{Clients: 1}, {Background: true, Clients: 1}, {Background: true, Idle: true, Clients: 2}},
		3: {{Clients: 1}, {Background: true, Clients: 3}},
	} {
		cell := plan.Cell{"threads": intstr.FromInt32(8), "background.threads": intstr.FromInt32(2), "background.clients": intstr.FromInt32(clients)}
		got, err := GroupsOf(w, cell)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if text := string(got[i].Workload); text != "" {
				if !strings.Contains(text, `"oltp_write_only"`) || !strings.Contains(text, `"threads":2}`) {
					t.Errorf("the second load is %s", text)
				}
				got[i].Workload = nil
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d clients: %s", clients, diff)
		}
		params, err := w.Cell(cell)
		if err != nil || !strings.Contains(string(params), `"threads":8}`) {
			t.Errorf("the workload of the cell is %s (%v)", params, err)
		}
	}
	f, err := Preview(&v1alpha1.BenchmarkRun{Spec: spec}, everyTool)
	if err != nil {
		t.Fatal(err)
	}
	if f.Demand.All.Connections != 8+3*2 || f.Demand.ClientFiles() != 8+contract.SpareFiles {
		t.Errorf("%+v, %d files", f.Demand.All, f.Demand.ClientFiles())
	}
}

// Of the client pods of a cell as many work as the axis says, and the others do nothing.
func TestClientsOfACell(t *testing.T) {
	spec := groupsSpec()
	spec.Clients.Count, spec.Matrix = 4, []v1alpha1.Axis{axisOf("threads", 8, 64), axisOf("clients", 1, 2, 4)}
	spec.Exclude = []v1alpha1.Exclusion{{"threads": intstr.FromInt32(64), "clients": intstr.FromInt32(4)}, {"threads": intstr.FromInt32(64), "clients": intstr.FromInt32(2)}}
	spec.SetDefaults()
	w, err := WorkOf(spec, everyTool)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Preview(&v1alpha1.BenchmarkRun{Spec: spec}, everyTool)
	if err != nil {
		t.Fatal(err)
	}
	for clients, want := range map[int32][]contract.Group{1: {{Clients: 1}, {Idle: true, Clients: 3}}, 2: {{Clients: 2}, {Idle: true, Clients: 2}}, 4: nil} {
		cell := plan.Cell{"threads": intstr.FromInt32(8), "clients": intstr.FromInt32(clients)}
		got, err := GroupsOf(w, cell)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%d clients: %v %s", clients, err, diff)
		}
		trial, err := w.sketch(cell)
		if err != nil || trial.Clients != int(clients) || !strings.Contains(string(trial.Workload), `"threads":8`) {
			t.Errorf("%d clients: %d of %s (%v)", clients, trial.Clients, trial.Workload, err)
		}
	}
	// 64 threads of one client are more than 8 of each of four.
	if f.Demand.All.Connections != 64 || !strings.HasPrefix(f.Demand.Words(), "64 connections") || len(f.Plan.Cells) != 4 {
		t.Errorf("%d cells, %+v, %s", len(f.Plan.Cells), f.Demand.All, f.Demand.Words())
	}
}

// Tenants are groups of as many clients, and records say how unequal they are.
func TestTenantsOfARun(t *testing.T) {
	spec := groupsSpec()
	spec.Tenants, spec.Clients.Count = 3, 2
	spec.SetDefaults()
	run := &v1alpha1.BenchmarkRun{Spec: spec}
	f, err := Preview(run, everyTool)
	if err != nil {
		t.Fatal(err)
	}
	if f.Demand.All.Connections != 3*2*4 || f.Demand.All.Tables != 3*2 || f.Threads != 3*2*4 || run.ClientCount() != 6 {
		t.Errorf("%+v, %d threads, %d clients", f.Demand.All, f.Threads, run.ClientCount())
	}
	if own := f.Demand.On(3); own.All.Connections != 2*4 || own.All.Tables != 2 || !strings.HasPrefix(own.Words(), "2 clients x 4 = 8 connections") {
		t.Errorf("on a server of its own a tenant needs %+v, %s", own.All, own.Words())
	}
	w, err := WorkOf(spec, everyTool)
	if err != nil {
		t.Fatal(err)
	}
	got, err := GroupsOf(w, f.Plan.Cells[0])
	if diff := cmp.Diff([]contract.Group{{Tenant: 1, Clients: 2}, {Tenant: 2, Clients: 2}, {Tenant: 3, Clients: 2}}, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if LoadersOf(w) != 6 || len(w.Names()) != len(w.Tool.Summary)+2+len(Work{}.Names()) {
		t.Errorf("%d loaders, %q", LoadersOf(w), w.Names())
	}
}

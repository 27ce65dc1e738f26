package benchmarkrun

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/plan"

	"github.com/assay-bench/assay/test/helpers/kubelet"

	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/settings"
)

func contains(text, part string) bool { return strings.Contains(text, part) }

// texts are the values of an axis.
func texts(values ...string) []intstr.IntOrString {
	var out []intstr.IntOrString
	for _, v := range values {
		out = append(out, intstr.FromString(v))
	}
	return out
}

// The settings of a server come from its shape, from what the workload needs, and from
// the user, whose word is the last; the status tells them apart, and which of them the
// server did not take over.
func TestSettingsHaveASource(t *testing.T) {
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	told := &diary{}
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: told.of(func(trial contract.Trial) *contract.Result {
		res := delivers(always(5))(trial)
		res.Server = &contract.Server{Version: "10.11", Variables: map[string]string{
			"default_storage_engine": "InnoDB", "max_connections": "151", "innodb_buffer_pool_size": "4096",
		}}
		return res
	})})
	run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Targets[0].MySQL.Sizing = v1alpha1.SizingShape
		alsoTarget("tuned")(r)
		r.Spec.Targets[1].MySQL.Config = map[string]string{"innodb_buffer_pool_size": "128M"}
		r.Spec.Workload.Sysbench.Threads, r.Spec.Clients.Count, r.Spec.Design.Blocks = 8, 2, 1
		r.Spec.Matrix = []v1alpha1.Axis{{Name: "threads", Values: ints(8, 400)}}
	})
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))

	resolved := func(target int) map[string]v1alpha1.ServerSetting {
		out := map[string]v1alpha1.ServerSetting{}
		for _, st := range got.Status.Resolved.Targets[target].Settings {
			out[st.Name] = st
		}
		return out
	}
	limit := resolved(0)["max_connections"]
	if n, _ := settings.Integer(limit.Value); n < 800 || limit.Source != v1alpha1.SourceWorkload {
		t.Errorf("max_connections %+v, want at least 2 clients x 400 for the workload", limit)
	}
	// Three quarters of what 1 GiB leaves, as docs/guide/write-a-run.md says.
	const pool = "innodb_buffer_pool_size"
	if n, _ := settings.Integer(resolved(0)[pool].Value); n != 384<<20 || resolved(0)[pool].Source != v1alpha1.SourceShape {
		t.Errorf("%+v, want 384 MiB from the shape", resolved(0)[pool])
	}
	if want := (v1alpha1.ServerSetting{Name: pool, Value: "128M", Source: v1alpha1.SourceSpec}); resolved(1)[pool] != want {
		t.Errorf("%+v, want %+v", resolved(1)[pool], want)
	}
	for i, source := range []v1alpha1.SettingSource{v1alpha1.SourceShape, v1alpha1.SourceSpec} {
		differs := map[string]v1alpha1.SettingSource{}
		for _, d := range got.Status.Targets[i].Differences {
			differs[d.Name] = d.Source
		}
		if differs[pool] != source || differs["max_connections"] != v1alpha1.SourceWorkload {
			t.Errorf("differences %+v", got.Status.Targets[i].Differences)
		}
	}
	for _, trial := range told.phase(contract.PhaseRun) {
		if trial.Demand.Connections != 800 || trial.Demand.PreparedStatements == 0 {
			t.Errorf("demand %+v, want the largest of all cells, of all clients", trial.Demand)
		}
	}
}

func TestMergeSettings(t *testing.T) {
	lists := []sourced{
		{v1alpha1.SourceShape, []contract.Setting{{Name: "a", Value: "1"}, {Name: "b", Value: "1"}, {Name: "c", Value: "1"}}},
		{v1alpha1.SourceWorkload, []contract.Setting{{Name: "b", Value: "2"}, {Name: "d", Value: "2"}}},
		{v1alpha1.SourceSpec, []contract.Setting{{Name: "loose-d", Value: "3"}, {Name: "c", Value: "1"}}},
	}
	want := []v1alpha1.ServerSetting{
		{Name: "a", Value: "1", Source: v1alpha1.SourceShape}, {Name: "b", Value: "2", Source: v1alpha1.SourceWorkload},
		{Name: "loose_d", Value: "3", Source: v1alpha1.SourceSpec}, {Name: "c", Value: "1", Source: v1alpha1.SourceSpec},
	}
	if diff := cmp.Diff(want, mergeSettings(lists)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The published sweep: 3,000 threads with 92 prepared statements each do not fit into
// the default of 16,382.
func TestDemandFits(t *testing.T) {
	of := func(clients, connections, each int64) demand {
		d := demand{clients: clients}
		d.add(contract.Demand{Connections: 2, PreparedStatements: 2, Tables: 7})
		d.add(contract.Demand{Connections: connections, PreparedStatements: connections * each, Tables: 10})
		return d
	}
	tests := map[string]struct {
		demand  demand
		config  map[string]string
		from    []contract.Setting
		refused string
	}{
		"no setting of the user":   {demand: of(1, 3000, 92)},
		"a setting that is enough": {demand: of(1, 3000, 92), config: map[string]string{"max_prepared_stmt_count": "276000"}},
		"a setting that is too low": {
			demand: of(1, 3000, 92), config: map[string]string{"max-prepared-stmt-count": "16382"},
			refused: "spec.targets[0].mysql.config.max_prepared_stmt_count: 16382 is too low: the workload needs 3000 connections, 3000 connections x 92 prepared statements = 276000, 10 tables, and Assay a few for itself: use at least 276000, leave it out, or use fewer threads or clients",
		},
		"of several clients": {
			demand: of(4, 750, 92), config: map[string]string{"loose_max_prepared_stmt_count": "16k"},
			refused: "needs 4 clients x 750 = 3000 connections, 4 clients x 750 connections x 92 prepared statements = 276000, 10 tables, and",
		},
		"in a ConfigMap": {
			demand: of(1, 3000, 92), from: []contract.Setting{{Name: "max_prepared_stmt_count", Value: "1"}},
			refused: "spec.targets[0].mysql.configFrom, max_prepared_stmt_count: 1 is too low",
		},
		"a value that is no number is the server's business": {demand: of(1, 3000, 92), config: map[string]string{"max_prepared_stmt_count": "x"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			user := tt.from
			parsed, err := settings.Parse(tt.config)
			if err != nil {
				t.Fatal(err)
			}
			user = append(user, parsed...)
			err = tt.demand.fits("spec.targets[0].mysql", &v1alpha1.MySQLTarget{Config: tt.config}, user, []contract.Setting{{Name: "max_prepared_stmt_count", Value: "276000"}})
			switch {
			case tt.refused == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.refused != "" && (err == nil || !strings.Contains(err.Error(), tt.refused)):
				t.Errorf("error %v\nwant %s", err, tt.refused)
			}
		})
	}
}

// A tool of which nothing is known asks for nothing.
func TestNoDemandIsKnown(t *testing.T) {
	s := &scope{run: &v1alpha1.BenchmarkRun{}}
	d, err := s.deriveDemand(&plan.Plan{Cells: []plan.Cell{{}}})
	if err != nil || !d.isZero() || limitSettings(engine.Engine{Limits: func(contract.Demand) []contract.Setting { return []contract.Setting{{Name: "x"}} }}, d) != nil {
		t.Errorf("demand %+v, %v", d, err)
	}
}

// A database behind JDBC is reached as the user wrote it.
func TestJDBCTarget(t *testing.T) {
	ns := server.Namespace(t)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "login", Namespace: ns}, StringData: map[string]string{"username": "u", "password": "p"}}
	if err := server.API.Create(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	startManager(t, ns, nil)
	told := &diary{}
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: told.of(func(trial contract.Trial) *contract.Result {
		res := delivers(always(5))(trial)
		res.Data = nil // nobody can ask
		return res
	})})
	run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Workload = v1alpha1.Workload{YCSB: &v1alpha1.YCSBWorkload{Driver: "SQLServer"}}
		r.Spec.Targets = []v1alpha1.Target{{Name: "db", External: &v1alpha1.ExternalTarget{
			JDBC: &v1alpha1.JDBCEndpoint{URL: "jdbc:sqlserver://h:1433", Driver: "a.B"}, TLS: v1alpha1.TLSRequired,
			Credentials: corev1.LocalObjectReference{Name: "login"},
		}}}
	})
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	if a := got.Status.Targets[0].Address; a != "jdbc:sqlserver://h:1433" {
		t.Errorf("address %s", a)
	}
	want := contract.Endpoint{TLS: contract.TLSRequired, JDBC: &contract.JDBC{URL: "jdbc:sqlserver://h:1433", Driver: "a.B"}}
	for _, trial := range append(told.phase(contract.PhasePrepare), told.phase(contract.PhaseRun)...) {
		if diff := cmp.Diff(want, trial.Endpoint); diff != "" {
			t.Errorf("endpoint (-want +got):\n%s", diff)
		}
	}
}

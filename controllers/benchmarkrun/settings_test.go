package benchmarkrun

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/test/helpers/kubelet"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/settings"
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
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	told := &diary{}
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: told.of(func(trial contract.Trial) *contract.Result {
		res := delivers(always(5))(trial)
		res.Server = &contract.Server{Version: "10.11.19-MariaDB", Variables: map[string]string{
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
	// Three quarters of what 1 GiB leaves, as docs/guide/compare.md says.
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

// A database behind JDBC is reached as the user wrote it.
func TestJDBCTarget(t *testing.T) {
	t.Parallel()
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

package benchmarkrun

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/groups"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// byGroup is a client whose throughput is 100 for each tenant's number, and 7 in a second load. One that is idle measures nothing.
func byGroup(trial contract.Trial) *contract.Result {
	g := trial.GroupOf(trial.Ref.Client)
	res := delivers(func(contract.Trial) float64 {
		if g.Background {
			return 7
		}
		return float64(100 * max(g.Tenant, 1))
	})(trial)
	if g.Idle {
		res.Measurements = nil
	}
	return res
}

// throughputs of the records by their labels, the same in each of a cell.
func throughputs(t *testing.T, run *v1alpha1.BenchmarkRun, cell int32) map[string]float64 {
	t.Helper()
	out := map[string]float64{}
	for _, rec := range records(t, run) {
		if rec.Valid == nil || !*rec.Valid {
			t.Errorf("trial %d: %+v", rec.Index, rec.Findings)
		}
		for _, v := range rec.Values {
			if rec.Cell == cell {
				out[v.Name+v.Labels[contract.LabelTenant]+v.Labels[contract.LabelLoad]] = v.Value
			}
		}
	}
	return out
}

// Tenants are loaded and measured in their own schemas, and their values stand beside that of all.
func TestTenantsAreMeasuredApart(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	var told diary
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: told.of(byGroup)})
	run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) { r.Spec.Tenants = 3 })
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkOnce(t, k, got, 3)
	schemas := map[string]int{}
	for _, trial := range slices.Concat(told.phase(contract.PhasePrepare), told.phase(contract.PhaseRun)) {
		schemas[trial.Ref.Phase+" "+trial.Of(trial.Ref.Client).Endpoint.Database]++
	}
	if diff := cmp.Diff(map[string]int{"Prepare assay": 1, "Prepare assay_2": 1, "Prepare assay_3": 1, "Run assay": 3, "Run assay_2": 3, "Run assay_3": 3}, schemas); diff != "" {
		t.Errorf("clients by phase and schema: %s", diff)
	}
	want := map[string]float64{
		"throughput": 600, "throughput1": 100, "throughput2": 200, "throughput3": 300, groups.Fairness: 600. * 600 / (3 * (100*100 + 200*200 + 300*300)), groups.Ratio: 1. / 3,
	}
	if diff := cmp.Diff(want, throughputs(t, got, 0)); diff != "" {
		t.Errorf("values: %s", diff)
	}
	i := slices.IndexFunc(got.Status.Summary, func(e v1alpha1.SummaryEntry) bool {
		return maps.Equal(e.Labels, map[string]string{contract.LabelTenant: "3"})
	})
	if i < 0 || got.Status.Summary[i].Median != "300" {
		t.Errorf("summary %+v", got.Status.Summary)
	}
}

// The clients of a second load work where their axis says so, and have no part in what the workload did.
func TestASecondLoadIsMeasuredApart(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	var told diary
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: told.of(byGroup)})
	run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Background = &v1alpha1.Background{Clients: 2, Workload: map[string]intstr.IntOrString{"test": intstr.FromString("oltp_write_only")}}
		r.Spec.Matrix = []v1alpha1.Axis{{Name: "background.clients", Values: []intstr.IntOrString{intstr.FromInt32(0), intstr.FromInt32(1)}}}
	})
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	if n := len(told.phase(contract.PhaseRun)); n != 6*3 {
		t.Errorf("%d clients ran for 6 trials, want 18", n)
	}
	if loaders := told.phase(contract.PhasePrepare); len(loaders) != 1 {
		t.Errorf("%d clients loaded", len(loaders))
	}
	for cell, want := range []map[string]float64{{"throughput": 100}, {"throughput": 100, "throughputbackground": 7}} {
		if diff := cmp.Diff(want, throughputs(t, got, int32(cell))); diff != "" {
			t.Errorf("cell %d: %s", cell, diff)
		}
	}
}

// Of the client pods of a trial as many work as their axis says, with what they measured together; the others do nothing, and make no trial invalid.
func TestTheClientsOfACellWork(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	var told diary
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: told.of(byGroup)})
	run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Clients.Count = 3
		r.Spec.Matrix = []v1alpha1.Axis{{Name: "clients", Values: ints(1, 2, 3)}}
	})
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	if n := len(told.phase(contract.PhaseRun)); n != 9*3 {
		t.Errorf("%d clients ran for 9 trials, want 27", n)
	}
	for cell, want := range []float64{100, 200, 300} {
		if diff := cmp.Diff(map[string]float64{"throughput": want}, throughputs(t, got, int32(cell))); diff != "" {
			t.Errorf("cell %d: %s", cell, diff)
		}
	}
}

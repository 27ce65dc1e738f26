package benchmarkrun

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// tablesOf a tenant have its number in their checksum.
func tablesOf(tenant int) []contract.Table {
	return []contract.Table{{Name: "sbtest1", Rows: 10000, Checksum: new(int64(4710 + tenant))}, {Name: "sbtest2", Rows: 10000}}
}

// windowsOf trials on servers begin at one instant: clients that each began when they were asked would not overlap on a busy machine, and have
// no throughput together.
var windowsOf = time.Now().UTC()

// onServers is a client like byGroup. The first one of each server says what its tables hold, and that its server used one CPU.
func onServers(trial contract.Trial) *contract.Result {
	res := byGroup(trial)
	res.Data = nil
	from := windowsOf
	to := from.Add(10 * time.Second)
	res.Times = contract.Times{MeasureStarted: &from, MeasureEnded: &to}
	if trial.Ref.Phase == string(contract.PhaseRun) {
		res.Times.WindowStarted, res.Times.WindowEnded = &from, &to
	}
	if !trial.First(trial.Ref.Client) {
		return res
	}
	tables := tablesOf(trial.GroupOf(trial.Ref.Client).Tenant)
	if schemas := trial.Schemas(); len(schemas) > 0 {
		tables = nil
		for i := range schemas {
			for _, table := range tablesOf(i + 1) {
				table.Name = contract.OfTenant(i+1, table.Name)
				tables = append(tables, table)
			}
		}
	}
	switch {
	case trial.Ref.Phase == string(contract.PhasePrepare):
		res.Data = &contract.Data{Tables: tables}
	case trial.Reset != nil:
		took := time.Duration(1+trial.Ref.Client) * time.Second
		res.Data = &contract.Data{Tables: tables, Reset: &contract.ResetReport{Method: trial.Reset.Method, Started: from, Ended: from.Add(took)}}
	}
	if trial.Ref.Phase == string(contract.PhaseRun) {
		res.Target = &contract.Environment{Before: &contract.Usage{At: from, CPUSeconds: new(1.0)}, After: &contract.Usage{At: to, CPUSeconds: new(11.0)}}
	}
	return res
}

// One target has a server for both tenants, the other one for each: clients, data, resets, costs and the status are of all of them, and all is
// torn down.
func TestTenantsHaveServersOfTheirOwn(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	var told diary
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: told.of(onServers)})
	run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Targets[0].Name = "shared"
		alsoTarget("own")(r)
		r.Spec.Targets[1].MySQL.Tenancy = v1alpha1.TenancyServers
		r.Spec.Tenants, r.Spec.Design.Blocks, r.Spec.Design.DataReset = 2, 2, v1alpha1.ResetPerTrial
	})
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkOnce(t, k, got, 4)
	checkServers(t, ns, got, told.phase(contract.PhasePrepare), told.phase(contract.PhaseRun))
	for _, f := range got.Status.Findings {
		if f.Check == "same-data" || f.IsInvalid() {
			t.Errorf("finding %+v", f)
		}
	}
	want := map[string]string{"shared": "3333.333333", "own": "6666.666667"} // one CPU, and two, for 300 operations a second
	for _, trial := range got.Status.Trials {
		i := slices.IndexFunc(trial.Values, func(v v1alpha1.Value) bool { return v.Name == "cost.cpu.server" })
		if i < 0 || string(trial.Values[i].Value)[:8] != want[trial.Target][:8] {
			t.Errorf("trial %d on %s: %+v, want that an operation costs %s", trial.Index, trial.Target, trial.Values, want[trial.Target])
		}
		if took := map[string]string{"shared": "1", "own": "2"}[trial.Target]; trial.Index > 0 && trial.ResetSeconds != "" && trial.ResetSeconds != took {
			t.Errorf("trial %d on %s: the reset took %s, want %s", trial.Index, trial.Target, trial.ResetSeconds, took)
		}
	}
	eventuallyGone(t, ns)
	for _, list := range []string{"NetworkPolicy", "PodDisruptionBudget"} {
		if left := children(t, ns)[list]; len(left) > 0 {
			t.Errorf("%s %v are left", list, left)
		}
	}
}

// checkServers of the target own: where each tenant's client works, what it finds after a reset, and what the status says of the second server.
func checkServers(t *testing.T, ns string, got *v1alpha1.BenchmarkRun, loads, trials []contract.Trial) {
	t.Helper()
	hosts := map[string]int{}
	for _, trial := range slices.Concat(loads, trials) {
		own := trial.Of(trial.Ref.Client)
		hosts[trial.Ref.Phase+" "+own.Endpoint.Host+" "+own.Endpoint.Database+" "+own.Agent]++
		if trial.Reset == nil || trial.Ref.Target != "own" {
			continue
		}
		if diff := cmp.Diff(tablesOf(own.Tenant), own.Reset.Tables); diff != "" {
			t.Errorf("tenant %d, after a reset: %s", own.Tenant, diff)
		}
	}
	shared, first, second := "run-shared-db."+ns+".svc", "run-own-db."+ns+".svc", "run-own-tenant-2."+ns+".svc"
	want := map[string]int{}
	for phase, n := range map[string]int{"Prepare": 1, "Run": 2} {
		want[phase+" "+shared+" assay "+shared+":8306"] = n
		want[phase+" "+shared+" assay_2 "+shared+":8306"] = n
		want[phase+" "+first+" assay "+first+":8306"] = n
		want[phase+" "+second+" assay "+second+":8306"] = n
	}
	if diff := cmp.Diff(want, hosts); diff != "" {
		t.Errorf("clients by phase, server and schema (-want +got):\n%s", diff)
	}
	st := got.TargetStatus("own")
	if diff := cmp.Diff([]v1alpha1.ServerStatus{{Tenant: 2, NodeName: "node-target", Ready: true, RestartCount: new(int32(0))}}, st.Servers); diff != "" || st.Replicas != nil {
		t.Errorf("servers of the status: %s, replicas %v", diff, st.Replicas)
	}
	if placed := got.PlacementOf("own"); !slices.Equal(placed.ReplicaNodeNames, []string{"node-target"}) || placed.NodeName != "node-target" {
		t.Errorf("placed %+v", placed)
	}
	if shown := got.TargetStatus("shared"); shown.Servers != nil {
		t.Errorf("the shared server has others beside it: %+v", shown.Servers)
	}
	rows := func(target string) string {
		for _, v := range got.TargetStatus(target).Load {
			if v.Name == contract.NameRowsLoaded {
				return string(v.Value)
			}
		}
		return ""
	}
	if rows("own") != "40000" || rows("shared") != "40000" {
		t.Errorf("%s rows in servers of their own, %s in one", rows("own"), rows("shared"))
	}
}

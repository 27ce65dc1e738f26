package benchmarkrun

import (
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/runners"

	"github.com/assay-bench/assay/test/helpers/kubelet"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func threeClients(r *v1alpha1.BenchmarkRun) { r.Spec.Clients.Count = 3 }

// perClient: the clients of a trial do not do the same.
func perClient(trial contract.Trial) float64 { return float64(100 * (trial.Ref.Client + 1)) }

func TestSeveralClientsMeasureAsOne(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	var told diary
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: told.of(delivers(perClient))})
	run := newRun(t, ns, threeClients)
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkOnce(t, k, got, 3)
	loaders := 1
	if tool, _ := runners.Find("sysbench"); tool.Data.SharesLoad {
		loaders = 3
	}
	if n := len(told.phase(contract.PhasePrepare)); n != loaders {
		t.Errorf("%d clients loaded the data, want %d", n, loaders)
	}
	if n := len(told.phase(contract.PhaseRun)); n != 9 {
		t.Errorf("%d clients ran for 3 trials, want 9", n)
	}
	for _, trial := range told.phase(contract.PhaseRun) {
		if trial.Clients != 3 || trial.SettleSeconds <= 0 {
			t.Errorf("client %d was told of %d clients and %g s to settle", trial.Ref.Client, trial.Clients, trial.SettleSeconds)
		}
	}
	for _, rec := range records(t, got) {
		if len(rec.Values) != 1 || rec.Values[0].Value != 600 || rec.Valid == nil || !*rec.Valid {
			t.Errorf("trial %d: values %+v, findings %+v, want a throughput of 600", rec.Index, rec.Values, rec.Findings)
		}
		if diff := cmp.Diff(new(0.002), rec.StartSkewSeconds); diff != "" {
			t.Errorf("trial %d: start skew (-want +got), the third client began 2 ms after the first:\n%s", rec.Index, diff)
		}
		if diff := cmp.Diff(new(0.0), rec.StartSkewUncertaintySeconds); diff != "" {
			t.Errorf("trial %d: how far the start skew is known (-want +got), the clients share a clock:\n%s", rec.Index, diff)
		}
		if diff := cmp.Diff([]string{"node-client", "node-client", "node-client"}, rec.ClientNodeNames); diff != "" {
			t.Errorf("trial %d: nodes differ (-want +got):\n%s", rec.Index, diff)
		}
		checkOneStart(t, ns, rec.Index)
	}
	if len(got.Status.Summary) == 0 || got.Status.Summary[0].Median != "600" || got.Status.Summary[0].TrialCount != 3 {
		t.Errorf("summary %+v", got.Status.Summary)
	}
}

// checkOneStart: each client has a result of its own, and all were given the same
// start, after the last of them was ready.
func checkOneStart(t *testing.T, namespace string, index int32) {
	t.Helper()
	var first *time.Time
	for i := range 3 {
		cm, res := readResult(t, namespace, contract.ResultName(contract.TrialName("run", index, 0), i))
		if res.Trial.Client != i {
			t.Errorf("the result of client %d says that it is of client %d", i, res.Trial.Client)
		}
		if first == nil {
			first = res.Times.Start
		}
		if res.Times.Start == nil || !res.Times.Start.Equal(*first) {
			t.Errorf("client %d of trial %d started at %v, the first one at %v", i, index, res.Times.Start, first)
		}
		ready, err := time.Parse(time.RFC3339Nano, cm.Annotations[v1alpha1.AnnotationReady])
		if err != nil || !first.After(ready) {
			t.Errorf("trial %d: the start %v was published before client %d was ready (%v, %v)", index, first, i, ready, err)
		}
	}
}

func TestOneClientThatFailsFailsTheTrial(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	good := delivers(perClient)
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: func(trial contract.Trial) *contract.Result {
		if isTrial(trial, 1) && trial.Ref.Client == 1 {
			return fails(good(trial), contract.ReasonToolFailed, "it had enough")
		}
		if isTrial(trial, 1) {
			// The others would go on for long.
			hold(t, nil)
		}
		return good(trial)
	}})
	run := newRun(t, ns, threeClients)
	create(t, run)
	got := failedWith(t, run, string(contract.ReasonToolFailed))
	all := records(t, got)
	if len(all) != 2 || all[1].State != contract.Failed || all[1].Reason != string(contract.ReasonToolFailed) || all[1].Message != "it had enough" || len(all[1].Values) > 0 {
		t.Errorf("the journal: %+v", all)
	}
	if len(got.Status.Summary) != 1 || got.Status.Summary[0].Median != "600" || got.Status.Summary[0].TrialCount != 1 {
		t.Errorf("summary %+v", got.Status.Summary)
	}
	if n := k.ToolStarts()["run-trial-00002"]; n != 0 {
		t.Errorf("the run went on after the failure")
	}
}

func TestClientsMayTouchOnlyTheirOwnTrial(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	var mu sync.Mutex
	var role rbacv1.Role
	good := delivers(perClient)
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: func(trial contract.Trial) *contract.Result {
		if isTrial(trial, 1) {
			mu.Lock()
			defer mu.Unlock()
			if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: contract.ClientName("run")}, &role); err != nil {
				t.Errorf("reading the Role: %v", err)
			}
		}
		return good(trial)
	}})
	run := newRun(t, ns, threeClients)
	create(t, run)
	await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	results := []string{"run-trial-00001-result-0", "run-trial-00001-result-1", "run-trial-00001-result-2"}
	want := []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"configmaps"}, ResourceNames: []string{"run-trial-00001"}, Verbs: []string{"get", "list", "watch"}},
		{APIGroups: []string{""}, Resources: []string{"configmaps"}, ResourceNames: results, Verbs: []string{"get", "patch"}},
	}
	mu.Lock()
	defer mu.Unlock()
	if diff := cmp.Diff(want, role.Rules); diff != "" {
		t.Errorf("the Role differs (-want +got):\n%s", diff)
	}
}

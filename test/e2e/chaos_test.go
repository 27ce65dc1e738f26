package e2e

import (
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/journal"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// chaos is how much a run has to bear.
type chaos struct {
	blocks string
	// trials of the plan, and the least number of kills of the manager.
	trials, kills int
	// stopAPI is how long the API server is stopped.
	stopAPI time.Duration
	limit   time.Duration
}

// A run loses its manager at random instants, its database and a client in the middle
// of a measured window, the place for a result, and the API server. Every trial that
// was planned ends once, in the state that is right.
func TestChaos(t *testing.T) {
	c := chaos{blocks: "12", trials: 12, kills: 20, stopAPI: 30 * time.Second, limit: 15 * time.Minute}
	if testing.Short() {
		c = chaos{blocks: "6", trials: 6, kills: 5, stopAPI: 10 * time.Second, limit: 8 * time.Minute}
	}
	ns := cluster.Namespace(t)
	run := cluster.Apply(t, ns, cluster.RunYAML("chaos", "",
		"  design: {blocks: "+c.blocks+", warmup: 0s, duration: 4s, onTrialFailure: Retry, maxRetries: 5}\n"))
	faults := []*fault{
		{name: "client", want: []string{v1alpha1.ReasonResultMissing, v1alpha1.ReasonClientLost}, do: func(t *testing.T, f *fault) {
			onNodeOf(t, f.clientNode, "pkill", "-KILL", "-x", "assay-agent")
		}},
		{name: "database", want: []string{v1alpha1.ReasonTargetCrashed, "ServerKilled", "ServerCrashed"}, do: func(t *testing.T, f *fault) {
			onNodeOf(t, f.targetNode, "pkill", "-KILL", "-x", "mariadbd")
		}},
		{name: "result", want: []string{v1alpha1.ReasonResultMissing}, do: func(t *testing.T, f *fault) {
			cm := &corev1.ConfigMap{}
			cm.Namespace, cm.Name = ns, contract.ResultName(f.job, 0)
			if err := cluster.API.Delete(t.Context(), cm); err != nil {
				t.Errorf("deleting the result: %v", err)
			}
		}},
		// A stopped API server costs time, not a trial.
		{name: "API server", do: func(t *testing.T, _ *fault) { stopAPIServer(t, c.stopAPI) }},
	}
	got, kills := underFire(t, run, c, faults)
	if cluster.Condition(got, v1alpha1.ConditionComplete) == nil {
		t.Fatalf("the run did not complete: %+v", got.Status.Conditions)
	}
	if kills < c.kills {
		t.Errorf("only %d kills of the manager, want %d", kills, c.kills)
	}
	checkJournal(t, got, c.trials, faults)
	t.Logf("%d kills of the manager, %d trials, %d retries", kills, got.Status.Progress.Done, got.Status.Progress.Retries)
}

// fault is done once to a run, in the middle of a measured window.
type fault struct {
	name string
	// want are the reasons that are right for the attempt; empty if it has to succeed.
	want []string
	do   func(*testing.T, *fault)

	// Set when it was done.
	job                    string
	clientNode, targetNode string
}

// underFire does one fault after the other, and kills the manager all the time.
func underFire(t *testing.T, run *v1alpha1.BenchmarkRun, c chaos, faults []*fault) (*v1alpha1.BenchmarkRun, int) {
	t.Helper()
	kills, next := 0, 0
	random := rand.New(rand.NewPCG(1, uint64(c.trials)))
	patience := time.Duration(0)
	hit := map[string]bool{}
	got := cluster.AwaitState(t, run, c.limit, "ended", func(r *v1alpha1.BenchmarkRun) bool {
		if cluster.Condition(r, v1alpha1.ConditionComplete) != nil || cluster.Condition(r, v1alpha1.ConditionFailed) != nil {
			return true
		}
		if next < len(faults) {
			if f := faults[next]; aim(t, r, f) && !hit[f.job] {
				t.Logf("the %s, in %s", f.name, f.job)
				hit[f.job] = true
				f.do(t, f)
				next++
			}
		}
		if pod := managerPod(t); pod != nil && running(pod) && time.Since(pod.CreationTimestamp.Time) > patience {
			killManager(t, pod)
			kills++
			patience = time.Second + time.Duration(random.Int64N(int64(4*time.Second)))
		}
		return false
	})
	if next < len(faults) {
		t.Errorf("the run ended before the fault %q could be done", faults[next].name)
	}
	return got, kills
}

// aim finds a trial whose measured window has begun and has a while to go.
func aim(t *testing.T, run *v1alpha1.BenchmarkRun, f *fault) bool {
	t.Helper()
	var trials corev1.ConfigMapList
	err := cluster.API.List(t.Context(), &trials, client.InNamespace(run.Namespace),
		client.MatchingLabels{v1alpha1.LabelRun: run.Name, v1alpha1.LabelRole: v1alpha1.RoleTrial, v1alpha1.LabelPhase: "Run"})
	if err != nil {
		return false
	}
	for _, cm := range trials.Items {
		start, err := time.Parse(time.RFC3339Nano, cm.Data[contract.KeyStart])
		age := time.Since(start)
		if err != nil || age < time.Second || age > 2500*time.Millisecond {
			continue
		}
		f.job = cm.Name
		f.clientNode, f.targetNode = run.Status.Placement.ClientNodeNames[0], run.Status.Placement.Targets[0].NodeName
		return true
	}
	return false
}

// onNodeOf runs a command on a node of the cluster, which is a container.
func onNodeOf(t *testing.T, node string, command ...string) {
	t.Helper()
	out, err := exec.Command("docker", append([]string{"exec", node}, command...)...).CombinedOutput()
	if err != nil {
		t.Errorf("%s on %s: %v: %s", strings.Join(command, " "), node, err, out)
	}
}

// stopAPIServer takes the manifest of its static pod away for a while: the kubelet
// stops it, and starts it again.
func stopAPIServer(t *testing.T, d time.Duration) {
	t.Helper()
	pod := managerPod(t)
	if pod == nil {
		t.Fatal("there is no manager to find the control plane by")
	}
	var nodes corev1.NodeList
	if err := cluster.API.List(t.Context(), &nodes, client.HasLabels{"node-role.kubernetes.io/control-plane"}); err != nil || len(nodes.Items) != 1 {
		t.Fatalf("finding the control plane: %v, %d nodes", err, len(nodes.Items))
	}
	node := nodes.Items[0].Name
	const manifest, aside = "/etc/kubernetes/manifests/kube-apiserver.yaml", "/etc/kubernetes/kube-apiserver.yaml.aside"
	onNodeOf(t, node, "mv", manifest, aside)
	time.Sleep(d)
	onNodeOf(t, node, "mv", aside, manifest)
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(500 * time.Millisecond) {
		if cluster.API.List(t.Context(), &nodes) == nil {
			return
		}
	}
	t.Fatal("the API server did not come back")
}

// checkJournal holds the journal of a run against what was done to it.
func checkJournal(t *testing.T, run *v1alpha1.BenchmarkRun, trials int, faults []*fault) {
	t.Helper()
	all := cluster.Records(t, run)
	want := journal.Position{}
	ended := 0
	for _, rec := range all {
		if at := (journal.Position{Index: rec.Index, Attempt: rec.Attempt}); at != want {
			t.Errorf("the journal goes on with trial %+v, want %+v", at, want)
		}
		want = journal.Position{Index: rec.Index, Attempt: rec.Attempt + 1}
		if rec.Final {
			want = journal.Position{Index: rec.Index + 1}
			ended++
		}
		if rec.State == contract.Succeeded {
			checkStored(t, run.Namespace, inJournal(rec), 1)
		}
		if rec.State == contract.Failed && len(rec.Values) > 0 {
			t.Errorf("trial %d failed and has values: %+v", rec.Index, rec.Values)
		}
	}
	if p := run.Status.Progress; ended != trials || int(p.Done) != trials || int(p.Succeeded) != trials || p.Failed != 0 {
		t.Errorf("%d trials ended, and the status counts %+v, want %d", ended, p.Totals, trials)
	}
	for _, f := range faults {
		i := slices.IndexFunc(all, func(r contract.Record) bool { return contract.TrialName(run.Name, r.Index, r.Attempt) == f.job })
		switch {
		case i < 0:
			t.Errorf("%s: no record of %s", f.name, f.job)
		case len(f.want) == 0 && all[i].State != contract.Succeeded:
			t.Errorf("%s: trial %d ended as %s: %s", f.name, all[i].Index, all[i].Reason, all[i].Message)
		case len(f.want) > 0 && !slices.Contains(f.want, all[i].Reason):
			t.Errorf("%s: attempt %s ended as %q (%s), want one of %v", f.name, f.job, all[i].Reason, all[i].Message, f.want)
		case len(f.want) > 0:
			t.Logf("%s: %s: %s", f.name, all[i].Reason, all[i].Message)
		}
	}
	// Nothing was done twice: each attempt that has a result has it once, of itself.
	for _, rec := range all {
		cm := &corev1.ConfigMap{}
		if err := cluster.API.Get(t.Context(), client.ObjectKey{Namespace: run.Namespace, Name: rec.Result}, cm); err != nil {
			if rec.State == contract.Succeeded {
				t.Errorf("trial %d: %v", rec.Index, err)
			}
			continue
		}
		if data := cm.BinaryData[contract.KeyResult]; len(data) > 0 {
			if res, err := contract.Decode(data); err != nil || res.Trial.Index == nil || *res.Trial.Index != int(rec.Index) {
				t.Errorf("trial %d has the result of %+v (%v)", rec.Index, res.Trial, err)
			}
		}
	}
}

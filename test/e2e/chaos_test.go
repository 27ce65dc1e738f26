package e2e

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

var (
	matrix  = flag.Bool("chaos", false, "all rows of the matrix of faults in place of the mixed one (make e2e-chaos)")
	killing = flag.Duration("chaos-kill", 30*time.Minute, "how long a row kills managers at most")
	pause   = flag.Duration("chaos-pause", 2500*time.Millisecond, "the longest time between two kills of the row kills, beside a second")
	add     = flag.String("chaos-add", "", "folder with what an earlier play of the rows of kills counted, which is added")
	reports = flag.String("chaos-report", "", "folder for what each row counts")
)

// rows of the matrix, in the order of their worth. Names are those of the table of docs/evidence/reliability.md.
var rows = []struct {
	name string
	play func(*testing.T, *tally)
}{
	{"sigkill", killedOnce},
	{"kills", killedAtEveryStep},
	{"two_managers", twoManagers},
	{"mixed", func(t *testing.T, c *tally) { mixed(t, c, "") }},
	{"mixed_standing", func(t *testing.T, c *tally) { mixed(t, c, ", clientPods: Standing") }},
	{"api_away", apiAway},
	{"apiserver", apiServerRestarted},
	{"node_lost", nodeLost},
	{"etcd_full", etcdFull},
	{"disk_full", diskFull},
	{"network_cut", networkCut},
	{"clock_step", clockStep},
	{"result_deleted", resultDeleted},
	{"store_away", storeAway},
	{"schedules", killedWhileSchedulesFire},
	{"two_releases", twoReleases},
	{"pool_without_nodes", poolWithoutNodes},
}

// TestChaos plays the matrix of faults, or the mixed row alone. Each row leaves what it counted.
func TestChaos(t *testing.T) {
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			if !*matrix && r.name != "mixed" {
				t.Skip("a row of make e2e-chaos")
			}
			r.play(t, newTally(t, r.name))
		})
	}
}

// chaos is how much the mixed run has to bear.
type chaos struct {
	// trials of the plan, and the least number of kills of the manager.
	trials, kills int
	// stopAPI is how long the API server is stopped.
	stopAPI time.Duration
	limit   time.Duration
}

// A run loses its manager at random instants, its database and a client in the middle
// of a measured window, the place for a result, and the API server. Every trial that
// was planned ends once, in the state that is right. Among the core stories only the manager, a
// client and the database die. The design may say more.
func mixed(t *testing.T, c *tally, design string) {
	much := chaos{trials: 12, kills: 20, stopAPI: 30 * time.Second, limit: 15 * time.Minute}
	if testing.Short() {
		much = chaos{trials: 2, kills: 3, limit: 5 * time.Minute}
	}
	run := c.apply(t, "chaos", much.trials, cluster.RunYAML("chaos", "", fmt.Sprintf(chaosDesign, much.trials, 4*time.Second, design)))
	faults := []*fault{
		{name: "client", want: []string{v1alpha1.ReasonResultMissing, v1alpha1.ReasonClientLost}, do: func(t *testing.T, f *fault) {
			onNodeOf(t, f.clientNode, "pkill", "-KILL", "-x", "assay-agent")
		}},
		{name: "database", want: []string{v1alpha1.ReasonTargetCrashed, "ServerKilled", "ServerCrashed"}, do: func(t *testing.T, f *fault) {
			onNodeOf(t, f.targetNode, "pkill", "-KILL", "-x", "mariadbd")
		}},
		deletedResult(c.ns),
		// A stopped API server costs time, not a trial.
		{name: "API server", do: func(t *testing.T, _ *fault) { stopAPIServer(t, much.stopAPI) }},
	}
	if testing.Short() {
		faults = faults[:2]
	}
	kill := func(pod *corev1.Pod) { killManager(t, pod) }
	if *matrix {
		// With a lease, a manager in another pod would wait for it.
		relaxBackOff(t, freshManager(t).Spec.NodeName)
		kill = func(pod *corev1.Pod) { sigkill(t, pod.Spec.NodeName) }
	}
	kills, last, patience := 0, time.Time{}, time.Duration(0)
	random := rand.New(rand.NewPCG(1, uint64(much.trials)))
	c.suffer(t, run, much.limit, faults, func(*v1alpha1.BenchmarkRun) {
		if pod := managerPod(t); pod != nil && running(pod) && time.Since(pod.CreationTimestamp.Time) > patience && time.Since(last) > patience {
			kill(pod)
			last = time.Now()
			kills++
			c.Injected++
			patience = time.Second + time.Duration(random.Int64N(int64(4*time.Second)))
		}
	})
	if kills < much.kills {
		t.Errorf("only %d kills of the manager, want %d", kills, much.kills)
	}
	c.Note = fmt.Sprintf("%d kills of the manager, and each other fault once", kills)
}

// fault is done once to a run, in the middle of a measured window.
type fault struct {
	name string
	// want are the reasons that are right for the attempt; empty if it has to succeed.
	want []string
	do   func(*testing.T, *fault)
	// shows says what is wrong with the record of the attempt; nil or empty for nothing.
	shows func(contract.Record) string

	// Set when it was done.
	job                    string
	clientNode, targetNode string
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
		if err != nil || age < time.Second || age > 2500*time.Millisecond { // timing: it picks a trial that has just begun
			continue
		}
		f.job = cm.Name
		f.clientNode, f.targetNode = run.Status.Placement.ClientNodeNames[0], run.Status.Placement.Targets[0].NodeName
		return true
	}
	return false
}

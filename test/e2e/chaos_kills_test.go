package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/cluster"
	"github.com/assay-bench/assay/test/helpers/reliability"
)

// killedOnce measures how long a manager that was killed is away: from SIGKILL to the first decision about a run that was
// created meanwhile. A pod of its own for each time, because the kubelet's back-off counts apart.
func killedOnce(t *testing.T, c *tally) {
	times := 10
	if testing.Short() {
		times = 3
	}
	var away []time.Duration
	for i := range times {
		pod := freshManager(t)
		name := fmt.Sprintf("back-%d", i)
		began := time.Now()
		if !sigkill(t, pod.Spec.NodeName) {
			t.Fatal("there was no manager to kill")
		}
		c.Injected++
		text := cluster.RunYAML(name, "", "  design: {blocks: 1, warmup: 0s, duration: 2s}\n")
		run := cluster.Apply(t, c.ns, strings.Replace(text, "kind-client", "no-such-shape", 1))
		c.Runs++
		got := cluster.AwaitState(t, run, time.Minute, "been refused", func(r *v1alpha1.BenchmarkRun) bool {
			return cluster.Condition(r, v1alpha1.ConditionFailed) != nil
		})
		took := time.Since(began)
		away = append(away, took)
		if reason := cluster.Condition(got, v1alpha1.ConditionFailed).Reason; reason != v1alpha1.ReasonShapeNotFound {
			c.Wrong++
			t.Errorf("%s: refused with %s", name, reason)
		}
		if after := managerPod(t); after == nil || after.UID != pod.UID {
			t.Errorf("%s: the manager is in another pod now", name)
		}
		if took > 3*time.Second { // timing: the bar of a figure, in a campaign of its own
			t.Errorf("the manager was back after %s, want 3 s", took)
		}
	}
	slices.Sort(away)
	c.Note = fmt.Sprintf("from SIGKILL to the first decision: median %.2f s (%.2f to %.2f s, n=%d); the bar is 3 s",
		away[len(away)/2].Seconds(), away[0].Seconds(), away[len(away)-1].Seconds(), len(away))
}

// freshManager replaces the manager's pod, which the kubelet starts without a back-off, and waits until it works.
func freshManager(t *testing.T) *corev1.Pod {
	t.Helper()
	var before types.UID
	if pod := managerPod(t); pod != nil {
		before = pod.UID
		if err := cluster.API.Delete(t.Context(), pod); client.IgnoreNotFound(err) != nil {
			t.Fatal(err)
		}
	}
	var pod *corev1.Pod
	eventually(t, time.Minute, func() string {
		var pods corev1.PodList
		err := cluster.API.List(t.Context(), &pods, client.InNamespace(managerNamespace), client.MatchingLabels{"app.kubernetes.io/name": "assay"})
		if err != nil || len(pods.Items) != 1 || pods.Items[0].UID == before || !running(&pods.Items[0]) {
			return fmt.Sprintf("%d pods of the manager, %v", len(pods.Items), err)
		}
		pod = &pods.Items[0]
		lease, err := cluster.Clientset.CoordinationV1().Leases(managerNamespace).Get(t.Context(), "assay-manager", metav1.GetOptions{})
		if err != nil || lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity != pod.Name+"_"+string(pod.UID) {
			return fmt.Sprintf("%s does not lead: %v, %+v", pod.Name, err, lease.Spec)
		}
		return ""
	})
	time.Sleep(2 * time.Second) // its caches are full
	return pod
}

// steps of a run, in their order; teardown follows the end.
var steps = []string{"accept", "place", "provision", "load", "measure", "conclude", "teardown"}

// stepOf a run, by its conditions.
func stepOf(r *v1alpha1.BenchmarkRun) string {
	for i, condition := range []string{
		v1alpha1.ConditionAccepted, v1alpha1.ConditionPlaced, v1alpha1.ConditionTargetsReady, v1alpha1.ConditionDataLoaded, v1alpha1.ConditionMeasured,
	} {
		if cluster.Condition(r, condition) == nil && !r.Finished() {
			return steps[i]
		}
	}
	if r.Finished() {
		return "teardown"
	}
	return "conclude"
}

// trialsOfKilled is how many trials a run of a campaign has.
const trialsOfKilled = 3

// campaign kills managers while runs come and go, two at a time: the second one waits for the nodes of the first.
type campaign struct {
	*tally
	kills  int
	random *rand.Rand
	// kill the manager; false when there was none.
	kill func() bool
	// time to kill; the runs that are there then may end.
	time time.Duration
	// pause is the longest time between two kills, beside the second that a manager needs to come back.
	pause time.Duration
	live  []*v1alpha1.BenchmarkRun
	made  int
	// next is when to kill.
	next time.Time
	// aims at steps that are brief too.
	aims bool
}

func (c *campaign) play(t *testing.T, limit time.Duration) {
	t.Helper()
	c.Steps = map[string]int{}
	began, hits := time.Now(), make(chan string, 100)
	ambushing, stop := context.WithTimeout(t.Context(), c.time)
	defer stop()
	if c.aims {
		go c.ambush(ambushing, hits)
	}
	for deadline := began.Add(limit); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		c.look(t)
		killing := c.Injected < c.kills && time.Since(began) < c.time
		if !killing {
			stop()
		}
		select {
		case key := <-hits:
			t.Logf("aimed at %s", key)
			c.struck(t)
			continue
		default:
		}
		if !killing && len(c.live) == 0 {
			break
		}
		if killing && len(c.live) < 2 {
			c.made++
			c.live = append(c.live, c.create(t, fmt.Sprintf("run-%d", c.made), trialsOfKilled, 2*time.Second, ""))
			c.next = time.Now().Add(time.Duration(c.random.Int64N(int64(500 * time.Millisecond))))
		}
		if killing && time.Now().After(c.next) {
			c.strike(t)
		}
	}
	for _, run := range c.live {
		c.hung(t, run)
	}
	if c.made == 0 || c.Injected == 0 {
		t.Error("nothing was killed")
	}
	if *add != "" {
		earlier, err := reliability.Load(*add)
		if err != nil {
			t.Fatal(err)
		}
		c.Add(earlier[c.Name])
	}
	var spread []string
	for _, s := range steps {
		spread = append(spread, fmt.Sprintf("%s %d", s, c.Steps[s]))
	}
	c.Note = "kills while a run was at a step (two runs at a time): " + strings.Join(spread, ", ")
}

// strike at random.
func (c *campaign) strike(t *testing.T) {
	t.Helper()
	if !c.kill() {
		c.next = time.Now().Add(100 * time.Millisecond)
		return
	}
	c.struck(t)
}

// struck notes where the runs are: nobody moves them now.
func (c *campaign) struck(t *testing.T) {
	t.Helper()
	c.Injected++
	c.next = time.Now().Add(time.Second + time.Duration(c.random.Int64N(int64(c.pause))))
	c.look(t)
	for _, run := range c.live {
		step, cm := stepOf(run), &corev1.ConfigMap{}
		// The status tells of the last record when it tells of the end.
		key := client.ObjectKey{Namespace: c.ns, Name: contract.RecordsName(run.Name, 0)}
		if step == "measure" && cluster.API.Get(t.Context(), key, cm) == nil && recordsAll(cm) {
			step = "conclude"
		}
		c.Steps[step]++
	}
	if c.Injected%10 == 0 {
		t.Logf("%d kills, %d runs have ended, %v", c.Injected, c.Runs, c.Steps)
	}
}

// look at the runs, and judge those that have ended and left no pod.
func (c *campaign) look(t *testing.T) {
	t.Helper()
	c.live = slices.DeleteFunc(c.live, func(run *v1alpha1.BenchmarkRun) bool {
		if err := cluster.API.Get(t.Context(), client.ObjectKeyFromObject(run), run); err != nil {
			t.Logf("reading %s: %v", run.Name, err)
			return false
		}
		var pods corev1.PodList
		err := cluster.API.List(t.Context(), &pods, client.InNamespace(c.ns), client.MatchingLabels{v1alpha1.LabelRun: run.Name})
		if !run.Finished() || err != nil || len(pods.Items) > 0 {
			return false
		}
		c.judge(t, run)
		return true
	})
}

// killedAtEveryStep: more than 200 kills, spread over every step of runs.
func killedAtEveryStep(t *testing.T, c *tally) {
	pod := freshManager(t)
	relaxBackOff(t, pod.Spec.NodeName)
	k := &campaign{
		tally: c, kills: 220, time: *killing, random: rand.New(rand.NewPCG(14, uint64(time.Now().UnixNano()))), pause: *pause, aims: true,
	}
	if testing.Short() {
		k.kills = 20
	}
	k.kill = newKiller(t, pod.Spec.NodeName).kill
	k.play(t, 40*time.Minute)
}

// twoManagers work at once: no lease keeps one of them back. Now the older one is killed, now the younger one.
func twoManagers(t *testing.T, c *tally) {
	node := freshManager(t).Spec.NodeName
	relaxBackOff(t, node)
	withoutLease(t)
	k := &campaign{tally: c, kills: 20, time: *killing, random: rand.New(rand.NewPCG(14, 2)), pause: 12 * time.Second}
	if testing.Short() {
		k.kills = 5
	}
	k.kill = func() bool { return sigkill(t, node, []string{"-o", "-n"}[c.Injected%2]) }
	k.play(t, 20*time.Minute)
	c.Note = "two replicas without leader election; " + c.Note
}

// withoutLease runs two managers without leader election until the test ends.
func withoutLease(t *testing.T) {
	t.Helper()
	// The context of the test is over when it cleans up.
	ctx := context.Background()
	change := func(replicas int32, from, to string) {
		set := &appsv1.Deployment{}
		if err := cluster.API.Get(ctx, client.ObjectKey{Namespace: managerNamespace, Name: "assay-manager"}, set); err != nil {
			t.Fatal(err)
		}
		before := set.DeepCopy()
		set.Spec.Replicas = &replicas
		args := set.Spec.Template.Spec.Containers[0].Args
		for i := range args {
			args[i] = strings.Replace(args[i], from, to, 1)
		}
		if err := cluster.API.Patch(ctx, set, client.MergeFrom(before)); err != nil {
			t.Fatal(err)
		}
		eventually(t, 2*time.Minute, func() string {
			err := cluster.API.Get(ctx, client.ObjectKeyFromObject(set), set)
			if s := set.Status; err != nil || s.ObservedGeneration < set.Generation || s.UpdatedReplicas != replicas || s.ReadyReplicas != replicas || s.Replicas != replicas {
				return fmt.Sprintf("the Deployment is not ready: %v, %+v", err, s)
			}
			return ""
		})
	}
	const on, off = "--leader-elect=true", "--leader-elect=false"
	change(2, on, off)
	t.Cleanup(func() { change(1, off, on) })
}

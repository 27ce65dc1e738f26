package benchmarkrun

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/test/helpers/kubelet"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// crowd watches every change of the runs and pods of a namespace from its beginning
// to the end of the test.
type crowd struct {
	mu sync.Mutex
	// order in which the runs got their nodes.
	order []string
	// phases of the runs, and the names of the pods of each run, as they are now.
	phases map[string]v1alpha1.Phase
	pods   map[string]map[string]bool
	// shared are the moments in which two runs were on the nodes at once.
	shared []string
}

func watchCrowd(t *testing.T, namespace string) *crowd {
	t.Helper()
	c := &crowd{phases: map[string]v1alpha1.Phase{}, pods: map[string]map[string]bool{}}
	watchAll(t, namespace, &v1alpha1.BenchmarkRunList{}, func(e watch.Event) { c.seeRun(e.Object.(*v1alpha1.BenchmarkRun)) })
	watchAll(t, namespace, &corev1.PodList{}, func(e watch.Event) { c.seePod(e.Type, e.Object.(*corev1.Pod)) })
	return c
}

// watchAll calls see with every event, none left out, until the test ends.
func watchAll(t *testing.T, namespace string, list client.ObjectList, see func(watch.Event)) {
	t.Helper()
	c, err := client.NewWithWatch(server.Config, client.Options{Scheme: server.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	w, err := c.Watch(context.Background(), list, client.InNamespace(namespace))
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for e := range w.ResultChan() {
			if e.Type == watch.Added || e.Type == watch.Modified || e.Type == watch.Deleted {
				see(e)
			}
		}
	}()
	t.Cleanup(func() { w.Stop(); <-ended })
}

func (c *crowd) seeRun(run *v1alpha1.BenchmarkRun) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if run.Status.Placement != nil && !slices.Contains(c.order, run.Name) {
		c.order = append(c.order, run.Name)
	}
	c.phases[run.Name] = run.Status.Phase
	var measuring []string
	for name, phase := range c.phases {
		if phase == v1alpha1.PhaseMeasuring {
			measuring = append(measuring, name)
		}
	}
	if len(measuring) > 1 {
		c.shared = append(c.shared, fmt.Sprintf("%v are Measuring", measuring))
	}
}

func (c *crowd) seePod(what watch.EventType, pod *corev1.Pod) {
	c.mu.Lock()
	defer c.mu.Unlock()
	run := pod.Labels[v1alpha1.LabelRun]
	if c.pods[run] == nil {
		c.pods[run] = map[string]bool{}
	}
	if c.pods[run][pod.Name] = true; what == watch.Deleted {
		delete(c.pods[run], pod.Name)
	}
	var present []string
	for name, pods := range c.pods {
		if len(pods) > 0 {
			present = append(present, name)
		}
	}
	if len(present) > 1 {
		c.shared = append(c.shared, fmt.Sprintf("%v have pods", present))
	}
}

// check holds what was seen against the order that was to be.
func (c *crowd) check(t *testing.T, order ...string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if diff := cmp.Diff(order, c.order); diff != "" {
		t.Errorf("the runs got their nodes in another order (-want +got):\n%s", diff)
	}
	if len(c.shared) > 0 {
		t.Errorf("%d times two runs were on the nodes at once, first: %s", len(c.shared), c.shared[0])
	}
}

func named(name string, priority int32) func(*v1alpha1.BenchmarkRun) {
	return func(r *v1alpha1.BenchmarkRun) {
		r.Name, r.Spec.Priority, r.Spec.Design.Blocks = name, priority, 2
	}
}

// queuedBehind waits until a run is queued and says so of the given run.
func queuedBehind(t *testing.T, run *v1alpha1.BenchmarkRun, words ...string) *v1alpha1.BenchmarkRun {
	t.Helper()
	return await(t, run, fmt.Sprint("Queued: ", words), func(r *v1alpha1.BenchmarkRun) bool {
		c := apimeta.FindStatusCondition(r.Status.Conditions, v1alpha1.ConditionPlaced)
		if c == nil || c.Reason != v1alpha1.ReasonQueued || r.Status.Phase != v1alpha1.PhaseQueued {
			return false
		}
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(c.Message, w) })
	})
}

func measures(r *v1alpha1.BenchmarkRun) bool { return r.Status.Phase == v1alpha1.PhaseMeasuring }

func patch(t *testing.T, run *v1alpha1.BenchmarkRun, spec string) {
	t.Helper()
	p := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{`+spec+`}}`))
	if err := server.API.Patch(t.Context(), run.DeepCopy(), p); err != nil {
		t.Fatal(err)
	}
}

func TestSecondRunWaitsForTheNodes(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	seen := watchCrowd(t, ns)
	client, open := gatedClient(t, delivers(always(1)))
	// The pods of the first run take their time to go.
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: client, Linger: 4 * time.Second})
	first, second := newRun(t, ns, named("first", 0)), newRun(t, ns, named("second", 0))
	create(t, first)
	await(t, first, "measuring", measures)
	create(t, second)
	got := queuedBehind(t, second, "position 1", "node-client is held by "+ns+"/first", "node-target is held by "+ns+"/first")
	if got.Status.StartTime != nil || got.Status.AcceptedTime == nil || got.Status.Placement != nil {
		t.Errorf("a queued run: accepted %v, started %v, placed %v", got.Status.AcceptedTime, got.Status.StartTime, got.Status.Placement)
	}
	time.Sleep(300 * time.Millisecond)
	var own []string
	for kind, names := range children(t, ns) {
		for _, n := range names {
			if strings.HasPrefix(n, "second-") {
				own = append(own, kind+" "+n)
			}
		}
	}
	if diff := cmp.Diff([]string{"ConfigMap second-plan-0000"}, own); diff != "" {
		t.Errorf("objects of a queued run (-want +got):\n%s", diff)
	}
	awaitEvent(t, second, v1alpha1.ReasonQueued, "held by "+ns+"/first")
	open()
	await(t, first, "Complete", isTrue(v1alpha1.ConditionComplete))
	await(t, second, "Complete", isTrue(v1alpha1.ConditionComplete))
	seen.check(t, "first", "second")
}

func TestPriorityGoesBeforeAge(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	seen := watchCrowd(t, ns)
	client, open := gatedClient(t, delivers(always(1)))
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: client})
	holder, old, young, last := newRun(t, ns, named("holder", 0)), newRun(t, ns, named("old", 0)), newRun(t, ns, named("young", 10)), newRun(t, ns, named("last", 0))
	create(t, holder)
	await(t, holder, "measuring", measures)
	create(t, old)
	queuedBehind(t, old, "position 1")
	time.Sleep(1100 * time.Millisecond) // ages are in whole seconds
	create(t, young)
	queuedBehind(t, young, "position 1")
	create(t, last)
	queuedBehind(t, last, "position 3", "after "+ns+"/old")
	// A priority that is changed counts.
	patch(t, last, `"priority":5`)
	queuedBehind(t, last, "position 2", "after "+ns+"/young")
	open()
	for _, run := range []*v1alpha1.BenchmarkRun{holder, young, last, old} {
		await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	}
	seen.check(t, "holder", "young", "last", "old")
}

func TestRunsShareNodesOnRequest(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	inFirst := make(chan struct{})
	good := delivers(always(1))
	var firstUID atomic.Value
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: func(trial contract.Trial) *contract.Result {
		if trial.Ref.RunUID == firstUID.Load() && trial.Ref.Phase == string(contract.PhaseRun) {
			hold(t, inFirst)
		}
		return good(trial)
	}})
	shares := func(r *v1alpha1.BenchmarkRun) { r.Spec.Exclusive = new(false) }
	first, second, alone := newRun(t, ns, named("first", 0), shares), newRun(t, ns, named("second", 0), shares), newRun(t, ns, named("alone", 0))
	create(t, first)
	firstUID.Store(string(first.UID))
	await(t, first, "measuring", measures)
	create(t, second)
	await(t, second, "Complete", isTrue(v1alpha1.ConditionComplete))
	create(t, alone)
	queuedBehind(t, alone, "held by "+ns+"/first")
	close(inFirst)
	await(t, first, "Complete", isTrue(v1alpha1.ConditionComplete))
	await(t, alone, "Complete", isTrue(v1alpha1.ConditionComplete))
}

// The manager is killed while one run measures and two wait, and when the nodes go
// from one to the next.
func TestKilledManagerKeepsTheQueue(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	seen := watchCrowd(t, ns)
	client, open := gatedClient(t, delivers(always(1)))
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: client, Linger: 150 * time.Millisecond})
	kill := startManager(t, ns, nil)
	holder, old, young := newRun(t, ns, named("holder", 0)), newRun(t, ns, named("old", 0)), newRun(t, ns, named("young", 10))
	create(t, holder)
	await(t, holder, "measuring", measures)
	create(t, old)
	queuedBehind(t, old, "position 1")
	create(t, young)
	queuedBehind(t, young, "position 1")
	kill()
	open()
	kills, done := 1, func() bool {
		got := &v1alpha1.BenchmarkRun{}
		return server.API.Get(t.Context(), ctrlKey(old), got) == nil && got.Finished()
	}
	for ; !done() && kills < 60; kills++ {
		kill := startManager(t, ns, nil)
		time.Sleep(time.Duration(250+kills*137%700) * time.Millisecond)
		kill()
	}
	// On a machine with much else to do, none of them got far.
	startManager(t, ns, nil)
	for _, run := range []*v1alpha1.BenchmarkRun{holder, young, old} {
		checkOnce(t, k, await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete)), 2)
	}
	seen.check(t, "holder", "young", "old")
	if kills < 6 {
		t.Errorf("the queue survived only %d kills: too few to prove anything", kills)
	}
	t.Logf("%d kills", kills)
}

func ctrlKey(run *v1alpha1.BenchmarkRun) client.ObjectKey { return client.ObjectKeyFromObject(run) }

func TestQueuedRunThatIsDeletedLeavesTheQueue(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	seen := watchCrowd(t, ns)
	client, open := gatedClient(t, delivers(always(1)))
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: client})
	holder, gone, next := newRun(t, ns, named("holder", 0)), newRun(t, ns, named("gone", 10)), newRun(t, ns, named("next", 0))
	create(t, holder)
	await(t, holder, "measuring", measures)
	create(t, gone)
	queuedBehind(t, gone, "position 1")
	create(t, next)
	queuedBehind(t, next, "position 2", "after "+ns+"/gone")
	if err := server.API.Delete(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	open()
	await(t, next, "Complete", isTrue(v1alpha1.ConditionComplete))
	seen.check(t, "holder", "next")
}

func TestRetainedRunKeepsItsNodes(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	seen := watchCrowd(t, ns)
	good := delivers(always(1))
	var firstUID atomic.Value
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: func(trial contract.Trial) *contract.Result {
		if trial.Ref.RunUID == firstUID.Load() && trial.Ref.Phase == string(contract.PhaseRun) {
			return fails(good(trial), contract.ReasonToolFailed, "to look at")
		}
		return good(trial)
	}})
	first := newRun(t, ns, named("first", 0), func(r *v1alpha1.BenchmarkRun) { r.Spec.Retain = v1alpha1.RetainOnFailure })
	second := newRun(t, ns, named("second", 0))
	firstUID.Store("")
	create(t, first)
	firstUID.Store(string(first.UID))
	failedWith(t, first, string(contract.ReasonToolFailed))
	create(t, second)
	queuedBehind(t, second, "node-target is held by "+ns+"/first")
	time.Sleep(time.Second)
	queuedBehind(t, second, "node-target is held by "+ns+"/first")
	patch(t, first, `"retain":"Never"`)
	await(t, second, "Complete", isTrue(v1alpha1.ConditionComplete))
	seen.check(t, "first", "second")
}

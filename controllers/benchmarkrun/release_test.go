package benchmarkrun

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// A suspended run announces when it gives its nodes back, and does so: another run gets them.
// It is resumed in the end, loads its data again, and goes on with the trials that are left.
// The manager is killed meanwhile.
func TestSuspendedRunGivesItsNodesBack(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	kill := startManager(t, ns, nil, holdsLong)
	seen := watchCrowd(t, ns)
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: delivers(always(1))})
	first, second := newRun(t, ns, named("first", 0)), newRun(t, ns, named("second", 0))
	first.Spec.Design.Blocks = 10
	create(t, first)
	await(t, first, "measuring", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Progress.Done > 1 })
	patch(t, first, `"suspend":true`)
	held := await(t, first, "held", func(r *v1alpha1.BenchmarkRun) bool {
		return r.Status.Placement != nil && r.Status.Placement.HeldUntil != nil
	})
	if c := apimeta.FindStatusCondition(held.Status.Conditions, v1alpha1.ConditionSuspended); !strings.Contains(c.Message, held.Status.Placement.HeldUntil.UTC().Format(time.RFC3339)) {
		t.Errorf("the condition Suspended does not announce %s: %s", held.Status.Placement.HeldUntil, c.Message)
	}
	create(t, second)
	queuedBehind(t, second, "is held by "+ns+"/first (suspended until "+held.Status.Placement.HeldUntil.UTC().Format(time.RFC3339))
	kill()
	passHold(t, first)
	kill = startManager(t, ns, nil, holdsLong)
	await(t, first, "no way back", func(r *v1alpha1.BenchmarkRun) bool {
		return r.Status.Placement == nil || r.Status.Placement.ReleaseTime != nil
	})
	kill()
	startManager(t, ns, nil, holdsLong)
	ended := await(t, second, "Complete", isTrue(v1alpha1.ConditionComplete)).Status.CompletionTime
	awaitEvent(t, first, "NodesGivenBack", "was suspended and gave its nodes back")
	got := await(t, first, "without nodes", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Placement == nil })
	if got.Status.Phase != v1alpha1.PhaseSuspended || got.Status.Releases != 1 || apimeta.IsStatusConditionTrue(got.Status.Conditions, v1alpha1.ConditionDataLoaded) {
		t.Errorf("phase %s, %d releases, conditions %+v", got.Status.Phase, got.Status.Releases, got.Status.Conditions)
	}
	checkHeld(t, got)
	before, budget := len(records(t, got)), got.Status.Results.BudgetBytes
	if want := held.Status.Results.BudgetBytes + held.Status.Results.ClientBudgetBytes; budget < want || got.Status.Results.TrialBytes <= 0 {
		t.Errorf("%+v: the budget has no room for another load, or the trials count with nothing", got.Status.Results)
	}
	patch(t, first, `"suspend":false`)
	got = await(t, first, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkOnce(t, k, got, 10)
	checkHeld(t, got)
	seen.check(t, "first", "second")
	for i, rec := range records(t, got) {
		want := contract.ResultName(contract.LoadName("first", "db"), 0)
		if i >= before {
			want = contract.ResultName(contract.ReloadName("first", "db", 1), 0)
		}
		if rec.Load != want {
			t.Errorf("trial %d was measured on the data of %s, want %s", i, rec.Load, want)
		}
		inChain := slices.ContainsFunc(rec.Delivered, func(d contract.RecordedDelivery) bool { return d.ConfigMap == want })
		if first := i == 0 || i == before; inChain != first {
			t.Errorf("trial %d: the digest of %s is in its record: %v, want %v", i, want, inChain, first)
		}
	}
	if !slices.ContainsFunc(got.Status.Findings, func(f v1alpha1.Finding) bool {
		return f.Check == "reloaded" && f.Severity == v1alpha1.SeverityWarning && strings.Contains(f.Message, fmt.Sprintf("after %d of 10 trials", before))
	}) {
		t.Errorf("no finding says that the data was loaded again: %+v", got.Status.Findings)
	}
	if d := got.Status.SuspendedDuration; d == nil || d.Duration < ended.Sub(held.Status.SuspendedTime.Time) {
		t.Errorf("the time without nodes counts towards the deadline: %v", d)
	}
}

// longHold is longer than a test takes: what is seen while nodes are held does not depend on how fast the machine is.
const longHold = time.Hour

func holdsLong(r *Reconciler) {
	r.Config.Queue.Hold.Suspended.Duration, r.Config.Queue.Hold.Retained.Duration = longHold, longHold
}

// passHold makes a run's nodes due, as if the time that its status announces had come.
func passHold(t *testing.T, run *v1alpha1.BenchmarkRun) {
	t.Helper()
	past := fmt.Appendf(nil, `{"status":{"placement":{"heldUntil":%q}}}`, time.Now().Add(-time.Second).UTC().Format(time.RFC3339))
	if err := server.API.Status().Patch(t.Context(), run.DeepCopy(), client.RawPatch("application/merge-patch+json", past)); err != nil {
		t.Fatal(err)
	}
}

// A run that is resumed in time keeps its nodes and its data, and what it was suspended counts
// the next time.
func TestResumedInTime(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	const limit = 10 * time.Minute
	startManager(t, ns, nil, func(r *Reconciler) { r.Config.Queue.Hold.Suspended.Duration = limit })
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: delivers(always(1))})
	run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) { r.Spec.Design.Blocks = 10 })
	create(t, run)
	// suspended suspends the run for a while, and returns for how long it had been suspended before: that is taken from the
	// time that it is held. Times in a status are whole seconds.
	suspended := func(done int32) (before time.Duration) {
		t.Helper()
		await(t, run, "measuring", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Progress.Done > done })
		from := time.Now()
		patch(t, run, `"suspend":true`)
		got := await(t, run, "held", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Placement.HeldUntil != nil })
		if d := got.Status.SuspendedDuration; d != nil {
			before = d.Duration
		}
		left := limit - before
		if until := got.Status.Placement.HeldUntil; until.Time.Before(from.Add(left-time.Second)) || until.After(time.Now().Add(left+time.Second)) {
			t.Errorf("suspended after %s, it would be held until %s, want %s from then on", from, until, left)
		}
		time.Sleep(2 * time.Second)
		patch(t, run, `"suspend":false`)
		await(t, run, "going on", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Placement.HeldUntil == nil })
		return before
	}
	if first, second := suspended(1), suspended(3); first != 0 || second < time.Second {
		t.Errorf("it had been suspended for %s at first, and for %s the second time: want 0, and what it was before", first, second)
	}
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkOnce(t, k, got, 10)
	if got.Status.Releases != 0 {
		t.Errorf("it gave its nodes back %d times", got.Status.Releases)
	}
}

// A retained run announces at its end when it gives its nodes back, and does so with an event.
func TestRetainedRunGivesItsNodesBack(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	kill := startManager(t, ns, nil, holdsLong)
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: delivers(always(1))})
	first, second := newRun(t, ns, named("first", 0)), newRun(t, ns, named("second", 0))
	first.Spec.Retain = v1alpha1.RetainAlways
	create(t, first)
	got := await(t, first, "Complete", isTrue(v1alpha1.ConditionComplete))
	until := got.Status.Placement.HeldUntil
	if until == nil || until.Sub(got.Status.CompletionTime.Time) != longHold {
		t.Fatalf("held until %v, completed at %v", until, got.Status.CompletionTime)
	}
	if c := apimeta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionPlaced); !strings.Contains(c.Message, "retained until "+until.UTC().Format(time.RFC3339)) {
		t.Errorf("the condition Placed does not announce %s: %s", until, c.Message)
	}
	create(t, second)
	queuedBehind(t, second, "is held by "+ns+"/first")
	kill()
	passHold(t, first)
	startManager(t, ns, nil, holdsLong)
	await(t, second, "Complete", isTrue(v1alpha1.ConditionComplete))
	awaitEvent(t, first, "NodesGivenBack", "queue.hold.retained")
	var pods corev1.PodList
	if err := server.API.List(t.Context(), &pods, client.InNamespace(ns), client.MatchingLabels{v1alpha1.LabelRun: "first"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(0, len(pods.Items)); diff != "" {
		t.Errorf("pods of the first run (-want +got):\n%s", diff)
	}
}

// A pod that somebody else made bears the labels of a run: it does not hold the nodes of that run.
func TestForgedPodHoldsNoNodes(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: delivers(always(1))})
	first, second := newRun(t, ns, named("first", 0)), newRun(t, ns, named("second", 0))
	create(t, first)
	got := await(t, first, "placed", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Placement != nil })
	forged := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "sleep", Image: "sleep"}}}}
	forged.Namespace, forged.Name = ns, "forged"
	forged.Labels = map[string]string{v1alpha1.LabelManagedBy: v1alpha1.ManagedBy, v1alpha1.LabelRun: "first", v1alpha1.LabelRunUID: string(got.UID)}
	if err := server.API.Create(t.Context(), forged); err != nil {
		t.Fatal(err)
	}
	await(t, first, "Complete", isTrue(v1alpha1.ConditionComplete))
	create(t, second)
	await(t, second, "Complete", isTrue(v1alpha1.ConditionComplete))
}

// A run that is deleted and kept by a finalizer of somebody else gives its nodes back all the same.
func TestFinalizerHoldsNoNodes(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: delivers(always(1))})
	first, second := newRun(t, ns, named("first", 0)), newRun(t, ns, named("second", 0))
	first.Spec.Design.Blocks, first.Finalizers = 50, []string{"example.com/theirs"}
	create(t, first)
	await(t, first, "measuring", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Progress.Done > 0 })
	if err := server.API.Delete(t.Context(), first.DeepCopy()); err != nil {
		t.Fatal(err)
	}
	create(t, second)
	await(t, second, "Complete", isTrue(v1alpha1.ConditionComplete))
	if err := server.API.Patch(t.Context(), first, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`))); err != nil {
		t.Fatal(err)
	}
}

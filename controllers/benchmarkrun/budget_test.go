package benchmarkrun

import (
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/budget"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// Of two runs whose results fit only one after the other, the second waits in the queue until the first
// has ended and holds no more than what it wrote, also when the manager is killed meanwhile. A run that
// is suspended before it has nodes keeps nobody waiting. One that is larger than the namespace is
// refused with the arithmetic.
func TestResultsHaveABudget(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	tune := func(r *Reconciler) { r.Config.Results.Budget.Namespace = resource.MustParse("5Mi") }
	kill := startManager(t, ns, nil, tune)
	gate := make(chan struct{})
	good := delivers(always(5))
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: func(trial contract.Trial) *contract.Result {
		<-gate
		return good(trial)
	}})
	open := sync.OnceFunc(func() { close(gate) })
	t.Cleanup(open) // the kubelet ends only then
	shared := func(name string) *v1alpha1.BenchmarkRun {
		return newRun(t, ns, named(name, 0), func(r *v1alpha1.BenchmarkRun) { r.Spec.Exclusive = new(false) })
	}
	suspended, first, second, third := shared("suspended"), shared("first"), shared("second"), shared("third")
	suspended.Spec.Suspend, third.Spec.Design.Blocks = true, 6
	create(t, suspended)
	await(t, suspended, "accepted", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Resolved != nil })
	create(t, first)
	await(t, first, "loading", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Phase == v1alpha1.PhaseLoading })
	create(t, second)
	create(t, third)
	refused := failedWith(t, third, v1alpha1.ReasonResultBudgetExceeded)
	if m := message(refused); !strings.Contains(m, "results.budget.namespace is 5 MiB") {
		t.Errorf("the message has no arithmetic: %s", m)
	}
	queuedBehind(t, second, "results.budget.namespace is 5 MiB: it waits for "+ns+"/first")
	kill()
	startManager(t, ns, nil, tune)
	patch(t, second, `"priority":1`)
	await(t, second, "looked at by the second manager", func(r *v1alpha1.BenchmarkRun) bool {
		return r.Status.ObservedGeneration == r.Generation && r.Generation > 1
	})
	queuedBehind(t, second, "it waits for "+ns+"/first")
	open()
	a := await(t, first, "Complete", isTrue(v1alpha1.ConditionComplete))
	b := await(t, second, "Complete", isTrue(v1alpha1.ConditionComplete))
	if b.Status.StartTime.Before(a.Status.CompletionTime) {
		t.Errorf("both runs had a budget at once: the first one ended at %s, the second one began at %s", a.Status.CompletionTime, b.Status.StartTime)
	}
	if n := len(k.ToolStarts()); n != 6 {
		t.Errorf("%d executions, want 6", n)
	}
	for _, run := range []*v1alpha1.BenchmarkRun{a, b} {
		checkHeld(t, run)
	}
}

// checkHeld compares what the status says with what the ConfigMaps hold.
func checkHeld(t *testing.T, run *v1alpha1.BenchmarkRun) {
	t.Helper()
	var all corev1.ConfigMapList
	if err := server.API.List(t.Context(), &all, client.InNamespace(run.Namespace), client.MatchingLabels{v1alpha1.LabelRun: run.Name}); err != nil {
		t.Fatal(err)
	}
	var holds int64
	for i := range all.Items {
		// The others go when the run is torn down.
		if role := all.Items[i].Labels[v1alpha1.LabelRole]; role != v1alpha1.RoleTrial && role != v1alpha1.RoleTarget {
			holds += budget.OfConfigMap(&all.Items[i])
		}
	}
	said := run.Status.Results.HeldBytes
	if said < holds*9/10 || said > holds*11/10 || said >= run.Status.Results.BudgetBytes {
		t.Errorf("%s: the status says %d of %d bytes, the ConfigMaps hold %d", run.Name, said, run.Status.Results.BudgetBytes, holds)
	}
}

package benchmarkrun

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/budget"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// Of two runs whose results fit only one after the other, the second waits until the first
// has ended and holds no more than what it wrote; a third one that is larger than the
// namespace is refused with the arithmetic.
func TestResultsHaveABudget(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil, func(r *Reconciler) { r.Config.Results.Budget.Namespace = resource.MustParse("5Mi") })
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: delivers(always(5))})
	named := func(name string) func(*v1alpha1.BenchmarkRun) {
		return func(r *v1alpha1.BenchmarkRun) { r.Name = name }
	}
	first, second, third := newRun(t, ns, named("first")), newRun(t, ns, named("second")), newRun(t, ns, named("third"), func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Design.Blocks = 6
	})
	create(t, first)
	create(t, second)
	create(t, third)
	refused := failedWith(t, third, v1alpha1.ReasonResultBudgetExceeded)
	if m := message(refused); !strings.Contains(m, "results.budget.namespace is 5 MiB") {
		t.Errorf("the message has no arithmetic: %s", m)
	}
	a := await(t, first, "Complete", isTrue(v1alpha1.ConditionComplete))
	b := await(t, second, "Complete", isTrue(v1alpha1.ConditionComplete))
	if overlap(a, b) {
		t.Errorf("both runs had a budget at once: %s to %s and %s to %s", a.Status.AcceptedTime, a.Status.CompletionTime, b.Status.AcceptedTime, b.Status.CompletionTime)
	}
	if n := len(k.ToolStarts()); n != 8 {
		t.Errorf("%d executions, want 8", n)
	}
	for _, run := range []*v1alpha1.BenchmarkRun{a, b} {
		checkHeld(t, run)
	}
}

// overlap of the times from acceptance to the end.
func overlap(a, b *v1alpha1.BenchmarkRun) bool {
	return a.Status.AcceptedTime.Before(b.Status.CompletionTime) && b.Status.AcceptedTime.Before(a.Status.CompletionTime)
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
		holds += budget.OfConfigMap(&all.Items[i])
	}
	said := run.Status.Results.HeldBytes
	if said < holds*8/10 || said > holds*13/10 || said >= run.Status.Results.BudgetBytes {
		t.Errorf("%s: the status says %d of %d bytes, the ConfigMaps hold %d", run.Name, said, run.Status.Results.BudgetBytes, holds)
	}
}

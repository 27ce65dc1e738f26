package benchmarkrun

import (
	"slices"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// A manifest without shapes is a run: the sizes stand in its status.
func TestRunWithoutShapes(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns})
	run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Targets[0].Shape, r.Spec.Clients, r.Spec.Exclusive = nil, v1alpha1.Clients{}, new(false)
	})
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkOnce(t, k, got, 3)
	if !slices.ContainsFunc(got.Status.Findings, func(f v1alpha1.Finding) bool { return f.Check == "shapes-chosen" }) {
		t.Errorf("it does not say what was chosen: %+v", got.Status.Findings)
	}
	if r := got.Status.Resolved; r.ClientShape.CPU.IsZero() || r.Targets[0].Shape == nil || r.Targets[0].Shape.Memory.IsZero() {
		t.Errorf("resolved %+v", r)
	}
}

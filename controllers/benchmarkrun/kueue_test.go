package benchmarkrun

import (
	"testing"

	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// A queueing system admits a run that was created suspended, takes its nodes for another one at once, and admits it again: by
// spec.suspend alone. It knows from the status when nothing of the run is left.
func TestQueueingSystem(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil, holdsLong)
	seen := watchCrowd(t, ns)
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: delivers(always(1))})
	run, other := newRun(t, ns, named("run", 0)), newRun(t, ns, named("other", 0))
	run.Labels = map[string]string{v1alpha1.LabelQueueName: "team-a"}
	run.Spec.Suspend, run.Spec.Design.Blocks = true, 10
	create(t, run)
	got := await(t, run, "suspended", isTrue(v1alpha1.ConditionSuspended))
	if got.Status.Placement != nil || len(children(t, ns)["StatefulSet"]) > 0 {
		t.Errorf("a run that was not admitted has nodes: %+v, objects %v", got.Status.Placement, children(t, ns))
	}
	patch(t, run, `"suspend":false`)
	await(t, run, "measuring", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Progress.Done > 1 })
	patch(t, run, `"suspend":true`)
	got = await(t, run, "without nodes", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Placement == nil })
	if c := apimeta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionSuspended); c == nil || c.Status != "True" || len(children(t, ns)["StatefulSet"])+len(children(t, ns)["Job"]) > 0 {
		t.Errorf("it is not at rest: %+v, objects %v", c, children(t, ns))
	}
	create(t, other)
	await(t, other, "Complete", isTrue(v1alpha1.ConditionComplete))
	patch(t, run, `"suspend":false`)
	got = await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkOnce(t, k, got, 10)
	seen.check(t, "run", "other")
}

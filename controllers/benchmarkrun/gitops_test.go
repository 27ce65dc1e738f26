package benchmarkrun

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/gitops"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// observer is how GitOps controllers see every version of the runs of a namespace.
type observer struct {
	mu sync.Mutex
	// seen is what they saw in each phase of each run, each once.
	seen map[string][]string
	// wrong are versions that they saw as something else than the run was.
	wrong []string
}

func watchHealth(t *testing.T, namespace string) *observer {
	t.Helper()
	s := &observer{seen: map[string][]string{}}
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("BenchmarkRunList"))
	watchAll(t, namespace, list, func(e watch.Event) {
		if e.Type != watch.Deleted {
			s.see(e.Object.(*unstructured.Unstructured))
		}
	})
	return s
}

func (s *observer) see(run *unstructured.Unstructured) {
	s.mu.Lock()
	defer s.mu.Unlock()
	phase, _, _ := unstructured.NestedString(run.Object, "status", "phase")
	observed, _, _ := unstructured.NestedInt64(run.Object, "status", "observedGeneration")
	gate, _, _ := unstructured.NestedString(run.Object, "spec", "gate", "health")
	want := "InProgress"
	switch {
	case run.GetDeletionTimestamp() != nil:
		phase, want = "deleted", "Terminating"
	case observed != run.GetGeneration():
		phase += " of an older spec"
	case phase == string(v1alpha1.PhaseComplete) && gate == string(v1alpha1.HealthRequired):
		want = "Failed" // there is no baseline here
	case phase == string(v1alpha1.PhaseComplete):
		want = "Current"
	case phase == string(v1alpha1.PhaseFailed):
		want = "Failed"
	}
	h, err := gitops.Judge(run)
	if err != nil || h.Flux != want {
		s.wrong = append(s.wrong, fmt.Sprintf("%s, which is %q: %s (%s), %v", run.GetName(), phase, h.Flux, h.Message, err))
	}
	key, said := run.GetName()+" "+phase, h.Flux+"/"+h.ArgoCD
	if !slices.Contains(s.seen[key], said) {
		s.seen[key] = append(s.seen[key], said)
	}
}

// check compares what was seen with what each phase of a run has to look like.
func (s *observer) check(t *testing.T, want map[string]string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.wrong {
		t.Error(w)
	}
	for phase, health := range want {
		if got := strings.Join(s.seen[phase], " "); got != health {
			t.Errorf("%q was seen as %q, want %q", phase, got, health)
		}
	}
}

// Flux (by kstatus) and Argo CD (by our script) see every version of a run as what it is: in progress before the
// manager has looked, while it waits, is suspended, measures and cleans up; current when it is complete; failed with
// the run's own message; and in progress again only until the manager has seen a change after the end.
func TestGitOpsControllersSeeEveryPhase(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	watched := watchHealth(t, ns)
	first, second := newRun(t, ns, named("first", 0)), newRun(t, ns, named("second", 0))
	create(t, first)
	unseen := gitops.Of(t, server.API, gitops.Assay("BenchmarkRun", ns, "first"))
	if want := "BenchmarkRun generation is 1, but latest observed generation is -1"; unseen.Flux != "InProgress" || unseen.Message != want {
		t.Errorf("before the manager has seen it: %+v, want InProgress: %s", unseen, want)
	}
	gate, good := make(chan struct{}), delivers(always(5))
	startManager(t, ns, nil)
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: func(trial contract.Trial) *contract.Result {
		<-gate
		return good(trial)
	}})
	open := sync.OnceFunc(func() { close(gate) })
	t.Cleanup(open) // the kubelet ends only then
	await(t, first, "loading", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Phase == v1alpha1.PhaseLoading })
	create(t, second)
	await(t, second, "queued", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Phase == v1alpha1.PhaseQueued })
	patch(t, second, `"suspend":true`)
	await(t, second, "suspended", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Phase == v1alpha1.PhaseSuspended })
	patch(t, second, `"suspend":false`)
	refused := newRun(t, ns, named("refused", 0), func(r *v1alpha1.BenchmarkRun) { r.Spec.Targets[0].MySQL.Version = "99.9" })
	create(t, refused)
	m := message(failedWith(t, refused, v1alpha1.ReasonVersionNotInCatalogue))
	if h := gitops.Of(t, server.API, gitops.Assay("BenchmarkRun", ns, "refused")); h.Message != m {
		t.Errorf("Flux says %q, and the run %q", h.Message, m)
	}
	gated := newRun(t, ns, named("gated", 0), func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Gate = &v1alpha1.Gate{Baseline: "nightly", Threshold: "25%", Health: v1alpha1.HealthRequired}
	})
	create(t, gated)
	open()
	await(t, second, "Complete", isTrue(v1alpha1.ConditionComplete))
	await(t, gated, "Complete", isTrue(v1alpha1.ConditionComplete))
	if h := gitops.Of(t, server.API, gitops.Assay("BenchmarkRun", ns, "gated")); !strings.Contains(h.Message, "nightly") {
		t.Errorf("the message of a run that did not pass its gate names no baseline: %+v", h)
	}

	// What may change after the end is seen, and makes no run unhealthy for longer than that takes.
	patch(t, first, `"priority":7`)
	again := await(t, first, "seen again", func(r *v1alpha1.BenchmarkRun) bool {
		return r.Generation > 1 && r.Status.ObservedGeneration == r.Generation
	})
	for _, c := range again.Status.Conditions {
		if c.ObservedGeneration != again.Generation {
			t.Errorf("kubectl wait does not believe %s, which is of generation %d, after a change to %d", c.Type, c.ObservedGeneration, again.Generation)
		}
	}

	// A run that somebody keeps by a finalizer is going.
	kept := await(t, second, "there", func(r *v1alpha1.BenchmarkRun) bool { return r.Name != "" })
	before := kept.DeepCopy()
	kept.Finalizers = []string{"example.com/keep"}
	if err := server.API.Patch(t.Context(), kept, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	if err := server.API.Delete(t.Context(), kept); err != nil {
		t.Fatal(err)
	}
	if h := gitops.Of(t, server.API, gitops.Assay("BenchmarkRun", ns, "second")); h.Flux != "Terminating" {
		t.Errorf("a deleted run is %+v, want Terminating", h)
	}
	watched.check(t, map[string]string{
		"first  of an older spec": "InProgress/Progressing", "first Provisioning": "InProgress/Progressing", "first Loading": "InProgress/Progressing",
		"first Measuring": "InProgress/Progressing", "first Complete": "Current/Healthy", "first Complete of an older spec": "InProgress/Progressing",
		"second Queued": "InProgress/Progressing", "second Suspended": "InProgress/Suspended", "refused Failed": "Failed/Degraded",
		"gated Complete": "Failed/Degraded",
	})
}

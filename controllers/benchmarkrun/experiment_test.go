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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/kubelet"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Equal experiments are found by one hash, whatever they are called and however
// they are handled.
func TestEqualExperimentsHaveEqualHashes(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	changes := map[string]func(*v1alpha1.BenchmarkRun){
		"as-it-is":  func(*v1alpha1.BenchmarkRun) {},
		"again":     func(*v1alpha1.BenchmarkRun) {},
		"suspended": func(r *v1alpha1.BenchmarkRun) { r.Spec.Suspend = true },
		"urgent":    func(r *v1alpha1.BenchmarkRun) { r.Spec.Priority = 10 },
		"retained":  func(r *v1alpha1.BenchmarkRun) { r.Spec.Retain = v1alpha1.RetainAlways },
		"kept":      func(r *v1alpha1.BenchmarkRun) { r.Spec.TTLSecondsAfterFinished = new(int32(3600)) },

		"other-seed":    func(r *v1alpha1.BenchmarkRun) { r.Spec.Design.Seed = new(int64(43)) },
		"other-threads": func(r *v1alpha1.BenchmarkRun) { r.Spec.Workload.Sysbench.Threads = 5 },
		"other-shape":   func(r *v1alpha1.BenchmarkRun) { r.Spec.Clients.Shape.Inline.CPU.Add(r.Spec.Clients.Shape.Inline.CPU) },
		"with-matrix": func(r *v1alpha1.BenchmarkRun) {
			r.Spec.Matrix = []v1alpha1.Axis{{Name: "threads", Values: ints(4)}}
		},
	}
	hashes := map[string]string{}
	for name, change := range changes {
		run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) { r.Name = name }, change)
		create(t, run)
		got := await(t, run, "marked", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.SpecHash != "" && r.Labels != nil })
		hash := got.Status.SpecHash
		if len(hash) != 64 || got.Annotations[v1alpha1.AnnotationSpecHash] != hash || got.Labels[v1alpha1.LabelSpecHash] != hash[:32] {
			t.Errorf("%s: status %q, annotation %q, label %q", name, hash, got.Annotations[v1alpha1.AnnotationSpecHash], got.Labels[v1alpha1.LabelSpecHash])
		}
		hashes[name] = hash
	}
	// A seed that followed from the spec, given by hand, is the same experiment.
	written := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) {
		r.Name, r.Spec.Suspend, r.Spec.Design.Seed = "written", true, plannedSeed(t, ns, "again")
	})
	create(t, written)
	got := await(t, written, "marked", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.SpecHash != "" && r.Labels != nil })
	if got.Status.SpecHash != hashes["again"] {
		t.Errorf("the seed of another run, given by hand: hash %.12s, want %.12s", got.Status.SpecHash, hashes["again"])
	}
	for name := range changes {
		equal := map[string]bool{"as-it-is": true, "again": true, "suspended": true, "urgent": true, "retained": true, "kept": true}[name]
		if (hashes[name] == hashes["as-it-is"]) != equal {
			t.Errorf("%s: equal=%v, want %v", name, !equal, equal)
		}
	}
	var list v1alpha1.BenchmarkRunList
	if err := server.API.List(t.Context(), &list, client.InNamespace(ns), client.MatchingLabels{v1alpha1.LabelSpecHash: hashes["again"][:32]}); err != nil {
		t.Fatal(err)
	}
	if len(list.Items) != 7 {
		t.Errorf("the label finds %d runs, want 7", len(list.Items))
	}
	cm := &corev1.ConfigMap{}
	eventually(t, "the journal bears the hash, too", func() string {
		if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: contract.PlanName("again", 0)}, cm); err != nil {
			return err.Error()
		}
		return cmp.Diff(hashes["again"][:32], cm.Labels[v1alpha1.LabelSpecHash])
	})
}

// plannedSeed of a run that has a plan and no seed of its own.
func plannedSeed(t *testing.T, namespace, name string) *int64 {
	t.Helper()
	run := &v1alpha1.BenchmarkRun{}
	run.Namespace, run.Name = namespace, name
	got := await(t, run, "planned", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Plan != nil })
	if got.Spec.Design.Seed != nil || got.Status.Plan.Seed == nil {
		t.Fatalf("spec.design.seed %v, status.plan.seed %v, want none and one", got.Spec.Design.Seed, got.Status.Plan.Seed)
	}
	return got.Status.Plan.Seed
}

func TestCooldownIsKept(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	const pause = 5 * time.Second
	// The good client says when it ran.
	startKubelet(t, &kubelet.Kubelet{Namespace: ns})
	run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) { r.Spec.Design.Cooldown = metav1.Duration{Duration: pause} })
	create(t, run)
	var said []string
	got := await(t, run, "Complete", func(r *v1alpha1.BenchmarkRun) bool {
		if c := apimeta.FindStatusCondition(r.Status.Conditions, v1alpha1.ConditionReconciling); c != nil {
			said = append(said, c.Message)
		}
		return isTrue(v1alpha1.ConditionComplete)(r)
	})
	all := records(t, got)
	for i := 1; i < len(all); i++ {
		if gap := all[i].WindowStartTime.Sub(*all[i-1].CompletionTime); gap < pause {
			t.Errorf("trial %d began %s after the end of the one before, want at least %s", i, gap, pause)
		}
	}
	cools := func(trial int) bool {
		return slices.ContainsFunc(said, func(m string) bool {
			return strings.Contains(m, fmt.Sprintf("cooling down for %s after trial %d", pause, trial))
		})
	}
	if last := len(all) - 1; !cools(0) || cools(last) {
		t.Errorf("it said %q, want that it cools down after the trials, and not after the last one", slices.Compact(said))
	}
}

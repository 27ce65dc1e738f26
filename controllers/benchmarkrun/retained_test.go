package benchmarkrun

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// retaining keeps the volume of the only target.
func retaining(r *v1alpha1.BenchmarkRun) {
	r.Name, r.Spec.Design.Blocks = "first", 2
	r.Spec.Targets[0].MySQL.Storage.Retain = true
}

// onVolumeOf a run measures again, and only reads.
func onVolumeOf(first string, change ...func(*v1alpha1.BenchmarkRun)) func(*v1alpha1.BenchmarkRun) {
	return func(r *v1alpha1.BenchmarkRun) {
		r.Name, r.Spec.Design.Blocks, r.Spec.Workload.Sysbench.Test = "again", 2, "oltp_read_only"
		r.Spec.Targets[0].MySQL.Storage.FromRun = &v1alpha1.RetainedVolume{Name: first}
		for _, f := range change {
			f(r)
		}
	}
}

// volumes of a namespace that are not being deleted, each with who used it last.
func volumes(t *testing.T, ns string) map[string]string {
	t.Helper()
	var list corev1.PersistentVolumeClaimList
	if err := server.API.List(t.Context(), &list, client.InNamespace(ns)); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, claim := range list.Items {
		if claim.DeletionTimestamp.IsZero() {
			user, _, _ := strings.Cut(claim.Annotations[v1alpha1.AnnotationUsedBy], "/")
			out[claim.Name] = user
		}
	}
	return out
}

// A run retains its volume when all else of it is gone. Runs after it measure on it one after the other, load nothing, say whose data that
// is, and leave it where it is.
func TestAVolumeIsMeasuredOnAgain(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	told := &diary{}
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: told.of(delivers(always(5)))})
	first := newRun(t, ns, retaining)
	create(t, first)
	done := await(t, first, "Complete", isTrue(v1alpha1.ConditionComplete))
	claim := "data-" + string(done.UID)[:8] + "-" + contract.TargetName("first", "db")
	eventually(t, "the server goes and its volume stays", func() string {
		return cmp.Diff(0, len(children(t, ns)["StatefulSet"])) + cmp.Diff(map[string]string{claim: "first"}, volumes(t, ns))
	})

	for _, name := range []string{"again", "once-more"} {
		again := newRun(t, ns, onVolumeOf("first", func(r *v1alpha1.BenchmarkRun) {
			r.Name, r.Spec.Targets[0].MySQL.Config = name, map[string]string{"innodb_buffer_pool_size": "256M"}
		}))
		create(t, again)
		got := await(t, again, "Complete", isTrue(v1alpha1.ConditionComplete))
		loaded := apimeta.FindStatusCondition(done.Status.Conditions, v1alpha1.ConditionDataLoaded).LastTransitionTime
		if diff := cmp.Diff(&v1alpha1.TargetData{Origin: v1alpha1.DataOriginRetained, MadeTime: loaded}, got.TargetStatus("db").Data); diff != "" {
			t.Errorf("%s: its data (-want +got):\n%s", name, diff)
		}
		if from := got.ResolvedTarget("db").Retained; from == nil || from.RunUID != string(done.UID) || from.ClaimName != claim {
			t.Errorf("%s measured on %+v", name, from)
		}
		if !slices.ContainsFunc(got.Status.Findings, func(f v1alpha1.Finding) bool {
			return f.Check == "data-existing" && strings.Contains(f.Message, "on the volume of run first (UID "+string(done.UID))
		}) {
			t.Errorf("%s does not say whose data it was: %+v", name, got.Status.Findings)
		}
		for _, rec := range records(t, got) {
			if origin := rec.Facts.Map()["data/origin"]; origin != "on the volume of run first ("+string(done.UID)+"), target db" {
				t.Errorf("%s: the record of trial %d has data of %q", name, rec.Index, origin)
			}
		}
		eventually(t, "the volume stays", func() string {
			return cmp.Diff(0, len(children(t, ns)["StatefulSet"])) + cmp.Diff(map[string]string{claim: name}, volumes(t, ns))
		})
	}
	var existing []bool
	for _, trial := range told.phase(contract.PhasePrepare) {
		existing = append(existing, trial.Existing)
	}
	if diff := cmp.Diff([]bool{false, true, true}, existing); diff != "" {
		t.Errorf("data exists (-want +got):\n%s", diff)
	}
	claims := &corev1.PersistentVolumeClaim{}
	if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: claim}, claims); err != nil || !metav1.IsControlledBy(claims, done) {
		t.Errorf("the volume belongs to %v (%v), want run first, with which it goes", claims.OwnerReferences, err)
	}

	other := newRun(t, ns, onVolumeOf("first", func(r *v1alpha1.BenchmarkRun) {
		r.Name, r.Spec.Targets[0].MySQL.Config = "other", map[string]string{"innodb_page_size": "4096"}
	}))
	create(t, other)
	failed := await(t, other, "Failed", isTrue(v1alpha1.ConditionFailed))
	if c := apimeta.FindStatusCondition(failed.Status.Conditions, v1alpha1.ConditionFailed); c.Reason != v1alpha1.ReasonRetainedVolumeUnfit ||
		!strings.Contains(c.Message, "innodb_page_size is 4096 here and not set there") {
		t.Errorf("another server is refused with %s: %s", c.Reason, c.Message)
	}
}

// A volume without data is kept for nobody.
func TestAVolumeWithoutDataGoes(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: func(contract.Trial) *contract.Result { return nil }})
	first := newRun(t, ns, retaining)
	create(t, first)
	await(t, first, "Failed", isTrue(v1alpha1.ConditionFailed))
	eventually(t, "its volume goes", func() string { return cmp.Diff(map[string]string{}, volumes(t, ns)) })
}

// A run that gave its nodes back loads into another volume, and retains that one.
func TestARunThatGaveItsNodesBackRetainsItsLastVolume(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	kill := startManager(t, ns, nil, holdsLong)
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: delivers(always(1))})
	first := newRun(t, ns, retaining, func(r *v1alpha1.BenchmarkRun) { r.Spec.Design.Blocks = 10 })
	create(t, first)
	await(t, first, "measuring", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Progress.Done > 1 })
	patch(t, first, `"suspend":true`)
	await(t, first, "held", func(r *v1alpha1.BenchmarkRun) bool {
		return r.Status.Placement != nil && r.Status.Placement.HeldUntil != nil
	})
	kill()
	passHold(t, first)
	startManager(t, ns, nil, holdsLong)
	await(t, first, "without nodes", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Placement == nil })
	if diff := cmp.Diff(map[string]string{}, volumes(t, ns)); diff != "" {
		t.Errorf("volumes of a run without nodes (-want +got):\n%s", diff)
	}
	patch(t, first, `"suspend":false`)
	got := await(t, first, "Complete", isTrue(v1alpha1.ConditionComplete))
	want := map[string]string{"data-" + string(got.UID)[:8] + "-r1-" + contract.TargetName("first", "db"): "first"}
	eventually(t, "the last volume stays", func() string { return cmp.Diff(want, volumes(t, ns)) })
}

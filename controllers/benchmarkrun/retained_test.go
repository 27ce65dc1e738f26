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

	written := ""
	for _, name := range []string{"again", "writes", "once-more"} {
		again := newRun(t, ns, onVolumeOf("first", func(r *v1alpha1.BenchmarkRun) {
			r.Name, r.Spec.Targets[0].MySQL.Config = name, map[string]string{"innodb_buffer_pool_size": "256M"}
			r.Spec.Targets[0].MySQL.Storage.FromRun.AllowWrites = name == "writes"
		}))
		create(t, again)
		got := await(t, again, "Complete", isTrue(v1alpha1.ConditionComplete))
		origin := "on the volume of run first (" + string(done.UID) + "), target db"
		data := got.TargetStatus("db").Data
		switch name {
		case "writes":
			written = data.Writer
			origin += ", while written into by " + written
			if !strings.HasPrefix(written, "run writes ("+string(got.UID)+") from ") {
				t.Errorf("it was written into by %q", written)
			}
		case "once-more":
			origin += ", written into by " + written
		}
		if diff := cmp.Diff(&v1alpha1.TargetData{Origin: v1alpha1.DataOriginRetained, MadeTime: done.TargetStatus("db").Data.MadeTime, Writer: written}, data); diff != "" {
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
		want := contract.NewFacts(map[string]string{"data/origin": origin}).Map()["data/origin"] // a long one has its digest
		for _, rec := range records(t, got) {
			if said := rec.Facts.Map()["data/origin"]; said != want {
				t.Errorf("%s: the record of trial %d has data %q, want %q", name, rec.Index, said, want)
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
	if diff := cmp.Diff([]bool{false, true, true, true}, existing); diff != "" {
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

// A run that is suspended gives the volume up with its nodes, and takes it again when another run has measured on it. Nobody deletes the run
// that retains it meanwhile.
func TestASuspendedRunGivesTheVolumeUp(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	kill := startManager(t, ns, nil, holdsLong)
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: delivers(always(5))})
	first := newRun(t, ns, retaining)
	create(t, first)
	first = await(t, first, "Complete", isTrue(v1alpha1.ConditionComplete))
	usedBy := func(want string) {
		t.Helper()
		first.Spec.SetDefaults()
		if user, err := (&Reconciler{Client: server.API}).volumeUser(t.Context(), first); err != nil || user != want {
			t.Errorf("the volume is used by %q (%v), want %q", user, err, want)
		}
	}
	usedBy("")
	suspended := newRun(t, ns, onVolumeOf("first", func(r *v1alpha1.BenchmarkRun) { r.Name, r.Spec.Design.Blocks = "suspended", 10 }))
	create(t, suspended)
	await(t, suspended, "measuring", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Progress.Done > 1 })
	patch(t, suspended, `"suspend":true`)
	await(t, suspended, "held", func(r *v1alpha1.BenchmarkRun) bool {
		return r.Status.Placement != nil && r.Status.Placement.HeldUntil != nil
	})
	usedBy("suspended")
	queued := newRun(t, ns, onVolumeOf("first"))
	create(t, queued)
	kill()
	passHold(t, suspended)
	startManager(t, ns, nil, holdsLong)
	await(t, queued, "Complete", isTrue(v1alpha1.ConditionComplete))
	eventually(t, "the volume stays", func() string {
		return cmp.Diff(map[string]string{"data-" + string(first.UID)[:8] + "-" + contract.TargetName("first", "db"): "again"}, volumes(t, ns))
	})
	patch(t, suspended, `"suspend":false`)
	await(t, suspended, "Complete", isTrue(v1alpha1.ConditionComplete))
	eventually(t, "the volume was taken again", func() string {
		return cmp.Diff(map[string]string{"data-" + string(first.UID)[:8] + "-" + contract.TargetName("first", "db"): "suspended"}, volumes(t, ns))
	})
	usedBy("")
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

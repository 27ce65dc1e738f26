package benchmarkrun

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/test/helpers/kubelet"
	"github.com/assay-bench/assay/test/helpers/snapshotter"
)

// snapshotting makes a VolumeSnapshot of the volume of the only target.
func snapshotting(r *v1alpha1.BenchmarkRun) {
	r.Name, r.Spec.Design.Blocks = "first", 2
	r.Spec.Targets[0].MySQL.Storage.Snapshot = &v1alpha1.MadeSnapshot{Name: "tables"}
}

// makingTables makes a VolumeSnapshot of the volume of the only target of any run.
func makingTables(r *v1alpha1.BenchmarkRun) {
	r.Spec.Targets[0].MySQL.Storage.Snapshot = &v1alpha1.MadeSnapshot{Name: "tables"}
}

// playSnapshotter has every VolumeSnapshot of a namespace taken.
func playSnapshotter(t *testing.T, ns string) {
	t.Helper()
	snapshotter.API.Install(t, server.Config)
	snapshotter.Play(t, server.API, ns)
}

// checkMadeOnce: there is one VolumeSnapshot, of the volume of the run, and when a manager has looked again, the volume is gone.
func checkMadeOnce(t *testing.T, run *v1alpha1.BenchmarkRun) {
	t.Helper()
	startManager(t, run.Namespace, nil)
	eventually(t, "the volume goes", func() string { return cmp.Diff(map[string]string{}, volumes(t, run.Namespace)) })
	var list unstructured.UnstructuredList
	list.SetGroupVersionKind(snapshotter.Kind.GroupVersion().WithKind("VolumeSnapshotList"))
	if err := server.API.List(t.Context(), &list, client.InNamespace(run.Namespace)); err != nil {
		t.Fatal(err)
	}
	var made []string
	for i := range list.Items {
		s := resources.SnapshotOf(&list.Items[i])
		made = append(made, fmt.Sprintf("%s of %s, of this run %v, ready %v", s.Name, s.Source, s.IsOf(volumeOfDB(run)), s.Ready))
		if st := run.TargetStatus("db").Snapshot; st == nil || st.UID != string(s.UID) {
			t.Errorf("the status says %+v, and there is %s", st, s.UID)
		}
	}
	if diff := cmp.Diff([]string{"tables of " + claimOf(run, 0) + ", of this run true, ready true"}, made); diff != "" {
		t.Errorf("VolumeSnapshots (-want +got):\n%s", diff)
	}
}

// fromTables has the volume of the only target made of that VolumeSnapshot. Its workload writes.
func fromTables(r *v1alpha1.BenchmarkRun) {
	r.Spec.Targets[0].MySQL.Storage.FromSnapshot = &v1alpha1.SourceSnapshot{Name: "tables"}
}

func ofTables(name string, blocks int32) func(*v1alpha1.BenchmarkRun) {
	return func(r *v1alpha1.BenchmarkRun) {
		r.Name, r.Spec.Design.Blocks = name, blocks
		fromTables(r)
	}
}

// snapshotOf the namespace by the name tables.
func snapshotOf(t *testing.T, ns string) *unstructured.Unstructured {
	t.Helper()
	found := snapshotter.Named(ns, "tables")
	if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(found), found); err != nil {
		t.Fatal(err)
	}
	return found
}

// playTables has a VolumeSnapshot of that name taken in a namespace.
func playTables(t *testing.T, ns string) {
	t.Helper()
	snapshotter.API.Install(t, server.Config)
	tables := snapshotter.Of(ns, "tables", "somebodys")
	if err := server.API.Create(t.Context(), tables); err != nil {
		t.Fatal(err)
	}
	if err := snapshotter.Take(t.Context(), server.API, tables); err != nil {
		t.Fatal(err)
	}
}

// volumeOfDB is the volume of the only target of a run.
func volumeOfDB(run *v1alpha1.BenchmarkRun) resources.Volume {
	return resources.Volume{Of: resources.Primary(run, run.Spec.Targets[0])}
}

// claimOf a run, by how often it gave its nodes back.
func claimOf(run *v1alpha1.BenchmarkRun, releases int) string {
	more := ""
	if releases > 0 {
		more = fmt.Sprintf("-r%d", releases)
	}
	return "data-" + string(run.UID)[:8] + more + "-" + contract.TargetName(run.Name, "db")
}

// A run makes a VolumeSnapshot of what it has loaded when its server is gone, says which, and leaves it when all else is gone. Two runs after
// it have volumes made of it at once, load nothing, may write, and say whose data that is. Then it is still there.
func TestVolumesAreMadeOfASnapshot(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	snapshotter.API.Install(t, server.Config)
	snapshotter.Play(t, server.API, ns)
	startManager(t, ns, nil)
	told := &diary{}
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: told.of(delivers(always(5)))})
	first := newRun(t, ns, snapshotting)
	create(t, first)
	done := await(t, first, "Complete, with its VolumeSnapshot", func(r *v1alpha1.BenchmarkRun) bool {
		return r.Finished() && r.TargetStatus("db").Snapshot != nil
	})
	eventually(t, "server and volume go", func() string {
		return cmp.Diff(0, len(children(t, ns)["StatefulSet"])) + cmp.Diff(map[string]string{}, volumes(t, ns))
	})
	made := resources.SnapshotOf(snapshotOf(t, ns))
	if !made.IsOf(volumeOfDB(done)) || !made.Data.Loaded.Equal(done.TargetStatus("db").Data.MadeTime.Time) {
		t.Fatalf("the VolumeSnapshot is of %+v", made.Data)
	}
	want := &v1alpha1.SnapshotStatus{Name: "tables", UID: string(made.UID), Handle: "handle-" + string(made.UID)}
	got := *done.TargetStatus("db").Snapshot
	want.TakenTime = got.TakenTime
	if diff := cmp.Diff(want, &got); diff != "" || !got.TakenTime.Time.Equal(made.TakenTime) {
		t.Errorf("the status says (-want +got):\n%s", diff)
	}
	if source, _, _ := unstructured.NestedString(snapshotOf(t, ns).Object, "spec", "source", "persistentVolumeClaimName"); source != claimOf(done, 0) {
		t.Errorf("it is of the claim %q, want %q", source, claimOf(done, 0))
	}

	var again []*v1alpha1.BenchmarkRun
	for _, name := range []string{"again", "beside"} {
		run := newRun(t, ns, ofTables(name, 3), func(r *v1alpha1.BenchmarkRun) { r.Spec.Exclusive = new(false) })
		create(t, run)
		again = append(again, run)
	}
	for _, run := range again {
		checkCopied(t, await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete)), done, made)
	}
	eventually(t, "their volumes go", func() string { return cmp.Diff(map[string]string{}, volumes(t, ns)) })
	if left := snapshotOf(t, ns); left.GetUID() != made.UID || left.GetDeletionTimestamp() != nil {
		t.Errorf("the VolumeSnapshot is %s, deleted %v", left.GetUID(), left.GetDeletionTimestamp())
	}
	var existing []bool
	for _, trial := range told.phase(contract.PhasePrepare) {
		existing = append(existing, trial.Existing)
	}
	if diff := cmp.Diff([]bool{false, true, true}, existing); diff != "" {
		t.Errorf("data exists (-want +got):\n%s", diff)
	}

	taken := newRun(t, ns, snapshotting, func(r *v1alpha1.BenchmarkRun) { r.Name = "taken" })
	create(t, taken)
	failed := await(t, taken, "Failed", isTrue(v1alpha1.ConditionFailed))
	if said := messageOf(failed, v1alpha1.ConditionFailed); !strings.HasPrefix(said, `VolumeSnapshotUnfit: spec.targets[0].mysql.storage.snapshot.name: there is a VolumeSnapshot "tables"`) {
		t.Errorf("a name that is taken: %s", said)
	}
	other := newRun(t, ns, ofTables("other", 1), func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Targets[0].MySQL.Config = map[string]string{"innodb_page_size": "4096"}
	})
	create(t, other)
	failed = await(t, other, "Failed", isTrue(v1alpha1.ConditionFailed))
	if said := messageOf(failed, v1alpha1.ConditionFailed); !strings.HasPrefix(said, "VolumeSnapshotUnfit: ") || !strings.Contains(said, "innodb_page_size is 4096 here and not set there") {
		t.Errorf("another server: %s", said)
	}
}

// checkCopied: a run says whose data it measured on.
func checkCopied(t *testing.T, run, first *v1alpha1.BenchmarkRun, made resources.VolumeSnapshot) {
	t.Helper()
	if diff := cmp.Diff(&v1alpha1.TargetData{Origin: v1alpha1.DataOriginSnapshot, MadeTime: first.TargetStatus("db").Data.MadeTime}, run.TargetStatus("db").Data); diff != "" {
		t.Errorf("%s: its data (-want +got):\n%s", run.Name, diff)
	}
	if s := run.ResolvedTarget("db").Snapshot; s == nil || s.UID != string(made.UID) || s.RunUID != string(first.UID) || s.Driver != snapshotter.Driver || s.Handle != "handle-"+string(made.UID) {
		t.Errorf("%s measured on %+v", run.Name, s)
	}
	origin := fmt.Sprintf("of VolumeSnapshot tables (%s) of run first (%s), target db, as its annotation says", made.UID, first.UID)
	want := contract.NewFacts(map[string]string{"data/origin": origin}).Map()["data/origin"] // a long one has its digest
	for _, rec := range records(t, run) {
		if said := rec.Facts.Map()["data/origin"]; said != want {
			t.Errorf("%s: the record of trial %d has data %q, want %q", run.Name, rec.Index, said, want)
		}
	}
	if !slices.ContainsFunc(run.Status.Findings, func(f v1alpha1.Finding) bool {
		return f.Check == "data-existing" && strings.Contains(f.Message, "made of VolumeSnapshot tables (UID "+string(made.UID))
	}) {
		t.Errorf("%s does not say whose data it was: %+v", run.Name, run.Status.Findings)
	}
}

// A run waits for a VolumeSnapshot that is not there yet, says what the driver says of it, and takes one that somebody made by hand. Its claim
// names it. The manager dies meanwhile.
func TestARunWaitsForItsSnapshot(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	snapshotter.API.Install(t, server.Config)
	kill := startManager(t, ns, nil)
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: delivers(always(5))})
	run := newRun(t, ns, ofTables("waits", 10))
	create(t, run)
	says := func(want string) {
		t.Helper()
		await(t, run, "waiting: "+want, func(r *v1alpha1.BenchmarkRun) bool {
			c := apimeta.FindStatusCondition(r.Status.Conditions, v1alpha1.ConditionAccepted)
			return c != nil && r.Status.Resolved == nil && c.Reason == v1alpha1.ReasonVolumeSnapshotNotReady && strings.HasPrefix(c.Message, "spec.targets[0].mysql.storage.fromSnapshot: "+want)
		})
	}
	says(`there is no VolumeSnapshot "tables" in namespace ` + ns)
	byHand := snapshotter.Of(ns, "tables", "somebodys")
	if err := server.API.Create(t.Context(), byHand); err != nil {
		t.Fatal(err)
	}
	says("VolumeSnapshot tables is not ready to use: it has no VolumeSnapshotContent yet")
	kill()
	if err := snapshotter.Say(t.Context(), server.API, byHand, map[string]any{"readyToUse": false, "error": map[string]any{"message": "rpc error: quota"}}); err != nil {
		t.Fatal(err)
	}
	kill = startManager(t, ns, nil, holdsLong)
	says("VolumeSnapshot tables is not ready to use: rpc error: quota")
	if err := snapshotter.Take(t.Context(), server.API, byHand); err != nil {
		t.Fatal(err)
	}
	measuring := await(t, run, "measuring", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Progress.Done > 1 })
	if diff := cmp.Diff(map[string]string{claimOf(measuring, 0): "waits"}, volumes(t, ns)); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
	claim := &corev1.PersistentVolumeClaim{}
	if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: claimOf(measuring, 0)}, claim); err != nil {
		t.Fatal(err)
	}
	if from := claim.Spec.DataSource; from == nil || from.APIGroup == nil || *from.APIGroup != snapshotter.Kind.Group || from.Kind != "VolumeSnapshot" || from.Name != "tables" {
		t.Errorf("the volume is made of %+v", from)
	}

	// Suspended for long, it has another volume made when it goes on.
	patch(t, run, `"suspend":true`)
	await(t, run, "held", func(r *v1alpha1.BenchmarkRun) bool {
		return r.Status.Placement != nil && r.Status.Placement.HeldUntil != nil
	})
	kill()
	passHold(t, run)
	startManager(t, ns, nil, holdsLong)
	await(t, run, "without nodes", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Placement == nil })
	if diff := cmp.Diff(map[string]string{}, volumes(t, ns)); diff != "" {
		t.Errorf("volumes of a run without nodes (-want +got):\n%s", diff)
	}
	patch(t, run, `"suspend":false`)
	eventually(t, "another volume is made", func() string {
		return cmp.Diff(map[string]string{claimOf(measuring, 1): "waits"}, volumes(t, ns))
	})
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	if d := got.TargetStatus("db").Data; d == nil || d.Origin != v1alpha1.DataOriginSnapshot || !d.MadeTime.Equal(&got.ResolvedTarget("db").Snapshot.TakenTime) {
		t.Errorf("its data: %+v", d)
	}
}

// A volume stays until its VolumeSnapshot was taken, also of a run whose time has come, and whatever stands in the way is said. A manager
// that starts anew goes on.
func TestAVolumeStaysUntilItsSnapshotIsTaken(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	snapshotter.API.Install(t, server.Config)
	kill := startManager(t, ns, nil)
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: delivers(always(5))})
	first := newRun(t, ns, snapshotting, func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Design.Blocks, r.Spec.TTLSecondsAfterFinished = 10, new(int32(0))
	})
	create(t, first)
	measuring := await(t, first, "measuring", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Progress.Done > 1 })
	foreign := snapshotter.Of(ns, "tables", "somebodys")
	if err := server.API.Create(t.Context(), foreign); err != nil {
		t.Fatal(err)
	}
	ended := await(t, first, "Complete", isTrue(v1alpha1.ConditionComplete))
	const another = "there is another VolumeSnapshot tables, which this run has not made: delete it"
	awaitEvent(t, first, "VolumeSnapshotNotMade", "target db: "+another)
	await(t, first, "says what stands in the way", func(r *v1alpha1.BenchmarkRun) bool {
		return strings.HasPrefix(r.TargetStatus("db").SnapshotMessage, another)
	})
	eventually(t, "the server goes and its volume stays", func() string {
		return cmp.Diff(0, len(children(t, ns)["StatefulSet"])) + cmp.Diff(map[string]string{claimOf(measuring, 0): "first"}, volumes(t, ns))
	})
	kill()
	if err := server.API.Delete(t.Context(), foreign); err != nil {
		t.Fatal(err)
	}
	kill = startManager(t, ns, nil)
	eventually(t, "that of the run is made", func() string {
		found := snapshotter.Named(ns, "tables")
		if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(found), found); err != nil {
			return err.Error()
		}
		return cmp.Diff(true, resources.SnapshotOf(found).IsOf(volumeOfDB(ended)))
	})
	if diff := cmp.Diff(map[string]string{claimOf(measuring, 0): "first"}, volumes(t, ns)); diff != "" {
		t.Errorf("volumes before it was taken (-want +got):\n%s", diff)
	}
	await(t, first, "says nothing any more", func(r *v1alpha1.BenchmarkRun) bool {
		st := r.TargetStatus("db")
		return st.SnapshotMessage == "" && st.Snapshot == nil
	})
	kill()
	if err := snapshotter.Take(t.Context(), server.API, snapshotOf(t, ns)); err != nil {
		t.Fatal(err)
	}
	startManager(t, ns, nil)
	eventually(t, "run and volume go", func() string {
		err := server.API.Get(t.Context(), client.ObjectKeyFromObject(first), &v1alpha1.BenchmarkRun{})
		return cmp.Diff(true, apierrors.IsNotFound(err)) + cmp.Diff(map[string]string{}, volumes(t, ns))
	})
	if left := resources.SnapshotOf(snapshotOf(t, ns)); !left.Ready || left.Deleting {
		t.Errorf("the VolumeSnapshot is %+v", left)
	}
}

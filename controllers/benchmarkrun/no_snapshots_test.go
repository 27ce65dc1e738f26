package benchmarkrun

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/experiment/queue"
	"github.com/assay-bench/assay/test/helpers/kubelet"
	"github.com/assay-bench/assay/test/helpers/snapshotter"
)

// unreadable VolumeSnapshots are in an API server, for as long as that is so.
type unreadable struct {
	client.Reader
	now *atomic.Bool
}

func (u unreadable) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if obj.GetObjectKind().GroupVersionKind() == snapshotter.Kind && u.now.Load() {
		return apierrors.NewInternalError(errors.New("storage is (re)initializing"))
	}
	return u.Reader.Get(ctx, key, obj, opts...)
}

// An API of VolumeSnapshots that fails keeps the volume that waits for it, and nothing else: server and nodes are given back.
func TestAnAPIThatFailsHoldsNoNodes(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	playSnapshotter(t, ns)
	var fails atomic.Bool
	var held *queue.Ledger
	startManager(t, ns, nil, func(r *Reconciler) { r.Live, held = unreadable{r.Live, &fails}, r.Queue })
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: delivers(always(5))})
	run := newRun(t, ns, snapshotting, func(r *v1alpha1.BenchmarkRun) { r.Spec.Design.Blocks = 10 })
	create(t, run)
	await(t, run, "measuring", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Progress.Done > 1 })
	fails.Store(true)
	done := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	eventually(t, "the server and the nodes are given back, and the volume stays", func() string {
		return cmp.Diff(0, len(children(t, ns)["StatefulSet"])) + cmp.Diff(map[string]string{claimOf(done, 0): "first"}, volumes(t, ns)) +
			cmp.Diff(0, len(held.Runs(client.ObjectKeyFromObject(run).String())))
	})
	await(t, run, "says what fails", func(r *v1alpha1.BenchmarkRun) bool {
		return strings.Contains(r.TargetStatus("db").SnapshotMessage, "storage is (re)initializing")
	})
	fails.Store(false)
	await(t, run, "made in the end", func(r *v1alpha1.BenchmarkRun) bool { return r.TargetStatus("db").Snapshot != nil })
	eventually(t, "the volume goes", func() string { return cmp.Diff(map[string]string{}, volumes(t, ns)) })
}

// A run that fails makes no VolumeSnapshot, and its volume goes.
func TestARunThatFailsMakesNoSnapshot(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	snapshotter.API.Install(t, server.Config)
	startManager(t, ns, nil)
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: failing(delivers(always(1)), func(index, _ int) bool { return index == 1 })})
	run := newRun(t, ns, snapshotting)
	create(t, run)
	await(t, run, "Failed", isTrue(v1alpha1.ConditionFailed))
	eventually(t, "its volume goes", func() string { return cmp.Diff(map[string]string{}, volumes(t, ns)) })
	found := snapshotter.Named(ns, "tables")
	if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(found), found); !apierrors.IsNotFound(err) {
		t.Errorf("there is a VolumeSnapshot: %v", err)
	}
}

// Without the API nothing is taken or made, and runs that do neither are measured as before. No other test is under way: those with the
// API are parallel, and wait for this one.
func TestClusterWithoutVolumeSnapshots(t *testing.T) {
	ns := server.Namespace(t)
	snapshotter.API.Remove(t, server.Config)
	startManager(t, ns, nil)
	startKubelet(t, &kubelet.Kubelet{Namespace: ns})
	for field, change := range map[string]func(*v1alpha1.BenchmarkRun){"fromSnapshot": ofTables("takes", 1), "snapshot": snapshotting} {
		run := newRun(t, ns, change)
		create(t, run)
		failed := await(t, run, "Failed", isTrue(v1alpha1.ConditionFailed))
		want := "NoVolumeSnapshots: spec.targets[0].mysql.storage." + field + ": the cluster has no API snapshot.storage.k8s.io/v1: " +
			"install the CRDs and the controller of kubernetes-csi/external-snapshotter, and a CSI driver that takes snapshots"
		if said := messageOf(failed, v1alpha1.ConditionFailed); said != want {
			t.Errorf("%s, want %s", said, want)
		}
	}
	other := newRun(t, ns)
	create(t, other)
	await(t, other, "Complete", isTrue(v1alpha1.ConditionComplete))
}

package benchmarkrun

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/conclude"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// volumeSnapshot of a name, from the API server: a cache would need an API that a cluster may lack. Its content belongs to the cluster, and
// a manager of some namespaces may not be let read it.
func volumeSnapshot(ctx context.Context, live client.Reader, key client.ObjectKey) (any, error) {
	found := resources.NamedSnapshot(key.Namespace, key.Name)
	switch err := live.Get(ctx, key, found); {
	case isUnserved(err):
		return decision.VolumeSnapshot{Refused: fmt.Sprintf("the cluster has no API %s: install the CRDs and the controller of kubernetes-csi/external-snapshotter, and a CSI driver that takes snapshots",
			resources.SnapshotAPI)}, nil
	case apierrors.IsForbidden(err):
		return decision.VolumeSnapshot{Refused: fmt.Sprintf("the manager may not use VolumeSnapshots (%v): give it the rights of the chart", err)}, nil
	case apierrors.IsNotFound(err):
		return decision.Absent{}, nil
	case err != nil:
		return nil, fmt.Errorf("reading VolumeSnapshot %s: %w", key.Name, err)
	}
	out := decision.VolumeSnapshot{VolumeSnapshot: resources.SnapshotOf(found)}
	if out.Content == "" {
		return out, nil
	}
	content := resources.NamedContent(out.Content)
	switch err := live.Get(ctx, client.ObjectKeyFromObject(content), content); {
	case isUnserved(err) || apierrors.IsForbidden(err) || apierrors.IsNotFound(err):
		return out, nil
	case err != nil:
		return nil, fmt.Errorf("reading VolumeSnapshotContent %s: %w", out.Content, err)
	}
	out.VolumeSnapshot = out.With(content)
	return out, nil
}

const (
	// snapshotPoll is how often a VolumeSnapshot is looked at that is being taken, or waits for its server to go.
	snapshotPoll = 2 * time.Second
	// snapshotRetry is how often it is tried again where something stands in its way.
	snapshotRetry = time.Minute
)

// makeSnapshots of the volumes of a run that is complete, once their servers are gone. Volumes are the claims that have to stay for that, and
// later is when to look again; zero for never.
func (r *Reconciler) makeSnapshots(ctx context.Context, run *v1alpha1.BenchmarkRun) (volumes []string, later time.Duration, err error) {
	for _, t := range run.Provided() {
		if !conclude.AwaitsSnapshot(run, t) {
			continue
		}
		claim := resources.Volume{Of: resources.Primary(run, t)}.ClaimName()
		volume, err := r.volumeOf(ctx, run, t)
		if err != nil {
			return nil, 0, err
		}
		next := volume.Next()
		if next.Keep {
			volumes = append(volumes, claim)
		}
		if next.Make != nil {
			switch err := r.Client.Create(ctx, next.Make); {
			case isUnserved(err) || apierrors.IsForbidden(err) || apierrors.IsInvalid(err):
				next.Problem = fmt.Sprintf("VolumeSnapshot %s cannot be made: %v", t.MakesSnapshot().Name, err)
			case client.IgnoreAlreadyExists(err) != nil:
				return nil, 0, fmt.Errorf("making VolumeSnapshot %s: %w", t.MakesSnapshot().Name, err)
			}
		}
		switch {
		case next.Problem != "":
			// Where the volume is gone, nobody can do anything about it.
			r.Events.Eventf(run, nil, corev1.EventTypeWarning, "VolumeSnapshotNotMade", "Reconcile", "target %s: %s", t.Name, next.Problem)
			if !volume.Lost && later == 0 {
				later = snapshotRetry
			}
		case !volume.Lost:
			later = snapshotPoll
		}
	}
	return volumes, later, nil
}

// volumeOf a target whose VolumeSnapshot is awaited, as the API server has it.
func (r *Reconciler) volumeOf(ctx context.Context, run *v1alpha1.BenchmarkRun, t v1alpha1.Target) (conclude.Volume, error) {
	out := conclude.Volume{Run: run, Target: t}
	found, err := volumeSnapshot(ctx, r.Live, client.ObjectKey{Namespace: run.Namespace, Name: t.MakesSnapshot().Name})
	if err != nil {
		return out, err
	}
	out.Snapshot, out.Exists = found.(decision.VolumeSnapshot)
	of := resources.Volume{Of: resources.Primary(run, t)}
	there := func(obj client.Object, name string) (bool, error) {
		err := r.Live.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: name}, obj)
		if client.IgnoreNotFound(err) != nil {
			return false, fmt.Errorf("reading what uses the volume of target %s: %w", t.Name, err)
		}
		return err == nil, nil
	}
	set, err := there(&appsv1.StatefulSet{}, of.User().StatefulSet)
	if err != nil {
		return out, err
	}
	pod, err := there(&corev1.Pod{}, of.User().Pod())
	if err != nil {
		return out, err
	}
	claim, err := there(&corev1.PersistentVolumeClaim{}, of.ClaimName())
	out.Used, out.Lost = set || pod, !claim
	return out, err
}

// recordSnapshots that were taken in the status of their run, which has ended.
func (r *Reconciler) recordSnapshots(ctx context.Context, run *v1alpha1.BenchmarkRun) error {
	for _, t := range run.Provided() {
		if !conclude.AwaitsSnapshot(run, t) {
			continue
		}
		found, err := volumeSnapshot(ctx, r.Live, client.ObjectKey{Namespace: run.Namespace, Name: t.MakesSnapshot().Name})
		if err != nil {
			return err
		}
		if s, is := found.(decision.VolumeSnapshot); is && s.IsOf(run, t.Name) && s.Taken {
			targetStatus(&run.Status, t.Name).Snapshot = s.Made()
		}
	}
	return nil
}

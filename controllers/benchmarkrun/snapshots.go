package benchmarkrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/conclude"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
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

// makerBefore is the run that is to make a VolumeSnapshot of a name before another run that wants the same; one that was accepted rather than
// one that was not.
func makerBefore(ctx context.Context, cache client.Reader, run *v1alpha1.BenchmarkRun, name string) (any, error) {
	var runs v1alpha1.BenchmarkRunList
	var first decision.Maker
	if err := cache.List(ctx, &runs, client.InNamespace(run.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("listing the runs that may make VolumeSnapshot %s: %w", name, err)
	}
	for i := range runs.Items {
		other := &runs.Items[i]
		if !conclude.MakesBefore(other, run, name) {
			continue
		}
		if other.Status.Resolved != nil {
			return decision.Maker{Run: other.Name, Accepted: true}, nil
		}
		if first.Run == "" || other.Name < first.Run { // the same one with each look: the cache has no order
			first.Run = other.Name
		}
	}
	if first.Run == "" {
		return decision.Absent{}, nil
	}
	return first, nil
}

const (
	// snapshotPoll is how often a VolumeSnapshot is looked at that is being taken, or waits for its server to go.
	snapshotPoll = 2 * time.Second
	// snapshotRetry is how often it is tried again where something stands in its way.
	snapshotRetry = time.Minute
	// snapshotLongest is for how long a run whose time has come waits for its VolumeSnapshots: then it is deleted without them.
	snapshotLongest = 7 * 24 * time.Hour
)

// snapshots is what the VolumeSnapshots that a run makes at its end need of the rest of that.
type snapshots struct {
	// keep are the names of the claims that have to stay.
	keep []string
	// stuck are the targets that something stands in the way of.
	stuck []string
	// later is when to look again; zero for never.
	later time.Duration
	// err is what could not be read. It keeps the claims, and holds nothing else up.
	err error
}

// snapshotMaker makes the VolumeSnapshots of runs that have ended.
type snapshotMaker struct{ *Reconciler }

// awaited are the VolumeSnapshots of a run, by the status that is saved: their claims stay whatever was seen since.
func awaited(run *v1alpha1.BenchmarkRun) (out snapshots) {
	for _, t := range run.Provided() {
		if run.AwaitsSnapshot(t) {
			out.keep = append(out.keep, resources.Volume{Of: resources.Primary(run, t)}.ClaimName())
			out.later = snapshotPoll
		}
	}
	return out
}

// next step for the volumes of a run that is complete, once their servers are gone. What became of their VolumeSnapshots, or stands in their
// way, is set in the status of the run, in memory.
func (r snapshotMaker) next(ctx context.Context, run *v1alpha1.BenchmarkRun) (out snapshots) {
	for _, t := range run.Provided() {
		if !run.AwaitsSnapshot(t) {
			continue
		}
		next, err := r.nextOf(ctx, run, t)
		if err != nil {
			next = conclude.Next{Keep: true, Problem: err.Error()}
			out.err = errors.Join(out.err, err)
		}
		if next.Keep {
			out.keep = append(out.keep, resources.Volume{Of: resources.Primary(run, t)}.ClaimName())
		}
		st := targetStatus(&run.Status, t.Name)
		st.Snapshot, st.SnapshotOver = next.Made, next.Over && next.Made == nil
		if next.Problem != "" {
			out.stuck = append(out.stuck, t.Name)
		}
		message := contract.CutInside(cmp.Or(next.Problem, next.Waits), maxNote-len(noteOn(t.Name, "")))
		if !next.Over { // the last words stay
			message = r.steady(toldOf{run.UID, t.Name}, st.SnapshotMessage, message)
		}
		st.SnapshotMessage = message
		switch {
		case next.Over:
		case next.Problem == "" && next.Waits == "":
			out.later = snapshotPoll
		case out.later == 0:
			out.later = snapshotRetry
		}
	}
	return out
}

// steady is what stands in the way, said anew once a minute at most: with each look it may have other words, such as the number of a request,
// and the run is looked at again after each write of its status.
func (r snapshotMaker) steady(of toldOf, was, is string) string {
	if was == is {
		return is
	}
	now := r.Clock.Now()
	if last, said := r.snapshotSaid.Load(of); said && was != "" && is != "" && now.Sub(last.(time.Time)) < snapshotRetry {
		return was
	}
	r.snapshotSaid.Store(of, now)
	return is
}

// toldOf is the target of a run of whose VolumeSnapshot something was said.
type toldOf struct {
	run    types.UID
	target string
}

// forgetSaid of a run that is gone.
func (r *Reconciler) forgetSaid(run types.UID) {
	r.snapshotSaid.Range(func(key, _ any) bool {
		if key.(toldOf).run == run {
			r.snapshotSaid.Delete(key)
		}
		return true
	})
}

// nextOf the volume of a target. What the API server refuses is tried again, because somebody may change a quota, a right or a policy; a webhook
// may answer as the API does where it has no room for an object.
func (r snapshotMaker) nextOf(ctx context.Context, run *v1alpha1.BenchmarkRun, t v1alpha1.Target) (conclude.Next, error) {
	volume, err := r.volumeOf(ctx, run, t)
	if err != nil {
		return conclude.Next{}, err
	}
	next := volume.Next()
	if next.Make == nil {
		return next, nil
	}
	if err := r.Client.Create(ctx, next.Make); err != nil && !apierrors.IsAlreadyExists(err) {
		next.Problem = fmt.Sprintf("VolumeSnapshot %s cannot be made: %v", t.MakesSnapshot().Name, err)
	}
	return next, nil
}

// volumeOf a target whose VolumeSnapshot is awaited, as the API server has it.
func (r snapshotMaker) volumeOf(ctx context.Context, run *v1alpha1.BenchmarkRun, t v1alpha1.Target) (conclude.Volume, error) {
	out := conclude.Volume{Run: run, Target: t, Now: r.Clock.Now()}
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
	out.Used = set || pod
	claim := &corev1.PersistentVolumeClaim{}
	if is, err := there(claim, of.ClaimName()); err != nil || !is {
		return out, err
	}
	out.Claim = claim
	return out, nil
}

// announceSnapshots tells of what stands in the way of VolumeSnapshots since the status was written last. What is only waited for is no warning.
func announceSnapshots(to events.EventRecorder, before, after *v1alpha1.BenchmarkRun, waits snapshots) {
	for _, t := range after.Status.Targets {
		if slices.Contains(waits.stuck, t.Name) && t.SnapshotMessage != before.TargetStatus(t.Name).SnapshotMessage {
			tell(to, after, corev1.EventTypeWarning, "VolumeSnapshotNotMade", noteOn(t.Name, t.SnapshotMessage))
		}
	}
}

// noteOn what the status says of a target.
func noteOn(target, message string) string { return fmt.Sprintf("target %s: %s", target, message) }

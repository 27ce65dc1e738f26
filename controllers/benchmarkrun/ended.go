package benchmarkrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/conclude"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/controllers/benchmarkrun/holds"
	"github.com/assay-bench/assay/controllers/benchmarkrun/provision"
)

// afterwards is all that happens to a run that has ended: tear down what is not retained,
// give its nodes back when its last pod is gone, and delete the run when its time has come.
// What could not be read of its VolumeSnapshots is an error in the end: it holds no nodes.
func (r *Reconciler) afterwards(ctx context.Context, run *v1alpha1.BenchmarkRun, waits snapshots) (ctrl.Result, error) {
	// Here, and not in release: a run that was refused never was in the queue.
	r.plans.forget(run.UID)
	r.checked.Delete(run.UID)
	r.asksForNothing.Delete(run.UID)
	if err := r.nodes().keepResults(ctx, run); err != nil {
		return ctrl.Result{}, err
	}
	kept := conclude.Keeps(run.Spec.Retain, run.HasFailed())
	until := holds.Retained(run, r.Config.Queue.Hold)
	held := until.Sub(r.Clock.Now())
	var unseen time.Duration
	var err error
	if kept && held > 0 {
		err = r.nodes().update(ctx, func() bool { return r.Queue.Idle(run.UID, "retained", until) })
	} else {
		held = 0
		unseen, err = r.tearDown(ctx, run, kept, waits)
	}
	if err != nil {
		return ctrl.Result{}, err
	}
	left, err := r.nodes().release(ctx, client.ObjectKeyFromObject(run), "")
	if err != nil {
		return ctrl.Result{}, err
	}
	res, err := r.expire(ctx, run, waits, ctrl.Result{RequeueAfter: cmp.Or(held, again(left).RequeueAfter, unseen)})
	if err := errors.Join(err, waits.err); err != nil {
		return ctrl.Result{}, err
	}
	return res, nil
}

// ended is a pass over a run that had ended before. Priority, retain and others may change even then, and
// until the status has their generation, GitOps controllers see a run in progress, and kubectl wait believes
// no condition. What the conditions say holds for the changed spec, too.
func (r *Reconciler) ended(ctx context.Context, run *v1alpha1.BenchmarkRun) (ctrl.Result, error) {
	after := run.DeepCopy()
	after.Status.ObservedGeneration = run.Generation
	for i := range after.Status.Conditions {
		after.Status.Conditions[i].ObservedGeneration = run.Generation
	}
	waits := snapshotMaker{r}.next(ctx, after)
	// A status that cannot be written holds no nodes, but the volumes of VolumeSnapshots that it does not name.
	saveErr := r.saveStatus(ctx, run, after)
	if saveErr == nil {
		announceSnapshots(r.Events, run, after, waits)
	} else {
		waits = awaited(run)
	}
	res, err := r.afterwards(ctx, after, waits)
	if err := errors.Join(saveErr, err); err != nil {
		return ctrl.Result{}, err
	}
	return res, nil
}

// deleted is a pass over a run that is being deleted, or that is gone: nothing is known of one but its name.
func (r *Reconciler) deleted(ctx context.Context, name types.NamespacedName, run *v1alpha1.BenchmarkRun) (ctrl.Result, error) {
	r.plans.forget(run.UID)
	if !run.DeletionTimestamp.IsZero() && !slices.Contains(run.Finalizers, metav1.FinalizerOrphanDependents) {
		// Kubernetes removes what belongs to a run when its last finalizer is gone, which may be
		// never: its databases would hold their nodes for as long.
		run.Spec.SetDefaults()
		if _, err := r.tearDown(ctx, run, false, snapshots{}); err != nil {
			return ctrl.Result{}, err
		}
	}
	left, err := r.nodes().release(ctx, name, "")
	return again(left), err
}

// expireAgain is when to look again for a run on whose volume another one measures.
const expireAgain = 30 * time.Second

// expire deletes a run whose time has come, but not while another run measures on a volume that it retains, nor, for a week, before the
// VolumeSnapshots of its volumes are ready. Otherwise is when to look again for another reason.
func (r *Reconciler) expire(ctx context.Context, run *v1alpha1.BenchmarkRun, waits snapshots, otherwise ctrl.Result) (ctrl.Result, error) {
	at := conclude.Expires(run)
	switch left := at.Sub(r.Clock.Now()); {
	case at.IsZero():
		return otherwise, nil
	case left > 0:
		return ctrl.Result{RequeueAfter: min(left, cmp.Or(otherwise.RequeueAfter, left))}, nil
	case waits.later > 0 && left > -snapshotLongest:
		return ctrl.Result{RequeueAfter: cmp.Or(otherwise.RequeueAfter, waits.later)}, nil
	}
	user, err := r.volumeUser(ctx, run)
	switch {
	case err != nil:
		return ctrl.Result{}, err
	case user != "":
		return ctrl.Result{RequeueAfter: expireAgain}, nil
	}
	err = r.Client.Delete(ctx, run, client.Preconditions{UID: &run.UID}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if err := client.IgnoreNotFound(err); err != nil {
		return ctrl.Result{}, fmt.Errorf("deleting the run after ttlSecondsAfterFinished: %w", err)
	}
	return ctrl.Result{}, nil
}

const (
	// unseenPoll is when an ended run is looked at again first that may have left what cannot be seen.
	unseenPoll = 5 * time.Minute
	// unseenLongest is for how long it is looked at. Cluster Autoscaler gives a request up after as long.
	unseenLongest = 7 * 24 * time.Hour
)

// tearDown deletes what is left of a run that has ended. What was found to be gone is not
// looked for again. Retained is a run that was kept until now. Where not all could be seen, or a volume waits for its VolumeSnapshot, it returns
// when to look again.
func (r *Reconciler) tearDown(ctx context.Context, run *v1alpha1.BenchmarkRun, retained bool, waits snapshots) (later time.Duration, err error) {
	if _, done := r.tornDown.Load(run.UID); done {
		return 0, nil
	}
	found, hidden, err := r.leftovers(ctx, run)
	if err != nil {
		return 0, err
	}
	later = cmp.Or(waits.later, r.searchAgain(run, hidden))
	found = slices.DeleteFunc(found, func(o decision.Object) bool {
		_, is := o.(*corev1.PersistentVolumeClaim)
		return is && slices.Contains(waits.keep, o.GetName())
	})
	actions := conclude.TearDown(run, found)
	if len(actions) == 0 {
		if hidden == "" && waits.later == 0 {
			r.tornDown.Store(run.UID, true)
		}
		return later, nil
	}
	if retained {
		r.Events.Eventf(run, nil, corev1.EventTypeNormal, "NodesGivenBack", "Reconcile",
			"the run has been retained for as long as the operator allows (queue.hold.retained): its pods and volumes are removed")
	}
	_, err = actor{client: r.Client, live: r.Live, now: r.Clock.Now(), run: run}.perform(ctx, actions)
	return later, err
}

// searchAgain for what a run may have left that cannot be seen, as these words say: each time after as long as that was so, for a week. After
// that, it is looked at only when something else has it looked at, such as a start of the manager. An event says so once.
func (r *Reconciler) searchAgain(run *v1alpha1.BenchmarkRun, hidden string) time.Duration {
	if hidden == "" {
		r.unseen.Delete(run.UID)
		return 0
	}
	now := r.Clock.Now()
	first, told := r.unseen.LoadOrStore(run.UID, now)
	if !told {
		tell(r.Events, run, corev1.EventTypeWarning, "RequestsUnseen", hidden+
			"; the manager looks for it again for a week, ever less often, and it goes with the run")
	}
	since := now.Sub(first.(time.Time))
	if since > unseenLongest {
		return 0
	}
	return max(since, unseenPoll)
}

// leftovers of a run: what the cache knows by the run's label, and what has a name of the
// run on the API server; and what there may be that could not be seen, in words.
func (r *Reconciler) leftovers(ctx context.Context, run *v1alpha1.BenchmarkRun) (found []decision.Object, hidden string, err error) {
	configMaps := &metav1.PartialObjectMetadataList{}
	configMaps.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMapList"))
	for _, list := range []client.ObjectList{&batchv1.JobList{}, &appsv1.StatefulSetList{}, configMaps} {
		err := r.Client.List(ctx, list, client.InNamespace(run.Namespace), client.MatchingFields{indexRun: string(run.UID)})
		if err != nil {
			return nil, "", fmt.Errorf("listing what to tear down: %w", err)
		}
		err = apimeta.EachListItem(list, func(o runtime.Object) error {
			found = append(found, o.(decision.Object))
			return nil
		})
		if err != nil {
			return nil, "", err
		}
	}
	for _, obj := range conclude.NamedChildren(run) {
		err := r.Live.Get(ctx, client.ObjectKeyFromObject(obj), obj)
		if client.IgnoreNotFound(err) != nil {
			return nil, "", fmt.Errorf("reading what to tear down: %w", err)
		}
		if err == nil {
			found = append(found, obj)
		}
	}
	requested, err := requestedOf(ctx, r.Live, run)
	if err != nil { // the API of another project's definition: what is found goes all the same
		return found, unseen(provision.Names(run), err.Error()), nil
	}
	return append(found, requested.Removable()...), unseen(requested.Unseen, requested.Refused), nil
}

// unseen says what a run may have left; empty for nothing.
func unseen(names []string, why string) string {
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("what this run requested of the autoscaler may be left and cannot be seen (ProvisioningRequest and PodTemplate %s): %s", strings.Join(names, ", "), why)
}

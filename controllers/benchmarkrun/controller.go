package benchmarkrun

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/experiment/queue"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/runners/runner"
)

// Reading is held by the one pass that reads results or many records, for others who read as much: so
// that their memory does not add up.
func Reading(r *Reconciler) sync.Locker { return &r.reading }

// poll is how often a run that waits is looked at without an event: limits of
// time expire without one.
const poll = 10 * time.Second

// Reconciler carries out BenchmarkRuns.
type Reconciler struct {
	// Client reads from the cache and writes.
	Client client.Client
	// Live reads from the API server.
	Live client.Reader
	// Clock tells the time.
	Clock clock.PassiveClock
	// Events receives what happened.
	Events events.EventRecorder
	// Config of the operator.
	Config config.Config
	// Engine finds the facts of a flavor.
	Engine func(flavor string) (engine.Engine, bool)
	// Runner finds the adapter of a tool.
	Runner func(name string) (runner.Runner, bool)
	// Logs reads what a container of a pod wrote last.
	Logs LogReader
	// Queue knows which run holds which nodes; one for all runs.
	Queue *queue.Ledger
	// Store of objects for what outgrows ConfigMaps; nil for none.
	Store ObjectStore
	// Workers is the number of runs that are looked at side by side.
	Workers int

	// plans of the runs that go on.
	plans plans
	// checked by the UID of their run: how far its results were compared with its records.
	checked sync.Map
	// alive are the UIDs of the runs by their names, as they were read last: what is kept of a run goes
	// when it is gone.
	alive sync.Map
	// reading is held by the one pass that reads results or many records: so their memory does not
	// add up over the workers.
	reading sync.Mutex
	// tornDown are the UIDs of runs that have ended and are cleaned up.
	tornDown sync.Map
	// unseen are the UIDs of runs that have ended, with the time at which something that they may have left could not be seen first.
	unseen sync.Map
	// snapshotSaid are targets of runs that have ended, with the time at which their status said last what stands in the way of a VolumeSnapshot.
	snapshotSaid sync.Map
	// asksForNothing are the UIDs of runs with nodes whose requests for them are gone.
	asksForNothing sync.Map
	// outgrew are the UIDs of runs that were too large for a status: their nodes were given back and
	// their objects removed, so that there is no way back when they are made smaller.
	outgrew sync.Map
	// wake lets a run be looked at for which nodes became free.
	wake chan event.GenericEvent
	// quotas of namespaces, and the runs that have a claim on them.
	quotas quotas
	// recalled says that Queue knows what was held before the manager started.
	recalling sync.Mutex
	recalled  bool
}

// LogReader reads the last lines of a container's log.
type LogReader func(ctx context.Context, namespace, pod, container string, previous bool, lines int64) (string, error)

// +kubebuilder:rbac:groups=assay.dev,resources=benchmarkruns,verbs=get;list;watch;patch;delete
// +kubebuilder:rbac:groups=assay.dev,resources=benchmarkruns/status,verbs=update
// +kubebuilder:rbac:groups=assay.dev,resources=benchmarkruns/finalizers,verbs=update
// +kubebuilder:rbac:groups=assay.dev,resources=instanceshapes,verbs=get;list;watch
// +kubebuilder:rbac:groups=assay.dev,resources=benchmarkbaselines,verbs=get
// +kubebuilder:rbac:groups=apps,resources=statefulsets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create;delete
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups="",resources=secrets;services;serviceaccounts,verbs=get;create;delete
// +kubebuilder:rbac:groups="",resources=persistentvolumeclaims,verbs=get;create;patch;delete
// +kubebuilder:rbac:groups="",resources=podtemplates,verbs=get;create;delete
// +kubebuilder:rbac:groups=autoscaling.x-k8s.io,resources=provisioningrequests,verbs=get;create;delete
// +kubebuilder:rbac:groups=snapshot.storage.k8s.io,resources=volumesnapshots,verbs=get;create
// +kubebuilder:rbac:groups=snapshot.storage.k8s.io,resources=volumesnapshotcontents,verbs=get
// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=pods/log,verbs=get
// +kubebuilder:rbac:groups="",resources=nodes,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=events,verbs=list
// +kubebuilder:rbac:groups="",resources=resourcequotas;limitranges,verbs=list
// +kubebuilder:rbac:groups=discovery.k8s.io,resources=endpointslices,verbs=list
// +kubebuilder:rbac:groups=networking.k8s.io,resources=networkpolicies,verbs=get;create;delete
// +kubebuilder:rbac:groups=policy,resources=poddisruptionbudgets,verbs=get;create;delete
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=roles,verbs=get;create;update;delete
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=rolebindings,verbs=get;create;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// SetupWithManager registers the controller.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	r.wake = make(chan event.GenericEvent)
	configMap := &metav1.PartialObjectMetadata{}
	configMap.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	for _, o := range []client.Object{&appsv1.StatefulSet{}, &batchv1.Job{}, &corev1.Pod{}, configMap} {
		if err := mgr.GetFieldIndexer().IndexField(context.Background(), o, indexRun, runUID); err != nil {
			return fmt.Errorf("indexing %T by run: %w", o, err)
		}
	}
	// Of ConfigMaps only the metadata is held: results may have gigabytes.
	return ctrl.NewControllerManagedBy(mgr).
		Named("benchmarkrun").
		For(&v1alpha1.BenchmarkRun{}).
		Owns(&appsv1.StatefulSet{}).
		Owns(&batchv1.Job{}).
		Owns(&corev1.ConfigMap{}, builder.OnlyMetadata, builder.WithPredicates(predicate.NewPredicateFuncs(isResult))).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(runOf)).
		WatchesRawSource(source.Channel(r.wake, &handler.EnqueueRequestForObject{})).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: max(r.Workers, 1),
			// After an outage of the API server no run shall sleep for minutes.
			RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](5*time.Millisecond, poll),
		}).
		Complete(r)
}

// isResult picks the ConfigMaps that others than the manager write.
func isResult(o client.Object) bool { return o.GetLabels()[v1alpha1.LabelRole] == v1alpha1.RoleResult }

// runOf finds the run of a pod by its label: a pod belongs to a Job or a
// StatefulSet, and only those belong to the run.
func runOf(_ context.Context, o client.Object) []reconcile.Request {
	name := o.GetLabels()[v1alpha1.LabelRun]
	if name == "" {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: o.GetNamespace(), Name: name}}}
}

// Reconcile does one pass.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	kept, had := r.alive.Load(req.NamespacedName)
	before, _ := kept.(types.UID)
	if r.plans.hasToWait(before, r.Clock.Now()) {
		// Without a look at it: there may be thousands.
		return ctrl.Result{RequeueAfter: planningPoll, Priority: new(planningPriority)}, nil
	}
	run := &v1alpha1.BenchmarkRun{}
	// Live, not from the cache: a decision from a status that lags behind could
	// start a trial for the second time.
	err := r.Live.Get(ctx, req.NamespacedName, run)
	if client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, err
	}
	if err == nil {
		r.alive.Store(req.NamespacedName, run.UID)
	} else {
		r.alive.Delete(req.NamespacedName)
	}
	gone := had && before != run.UID
	if gone {
		r.plans.forget(before)
		r.checked.Delete(before)
		r.tornDown.Delete(before)
		r.asksForNothing.Delete(before)
		r.unseen.Delete(before)
		r.forgetSaid(before)
		r.outgrew.Delete(before)
		r.quotas.forget(before)
	}
	if gone || err != nil {
		if err := r.nodes().dropResults(ctx, req.NamespacedName, run.UID); err != nil {
			return ctrl.Result{}, err
		}
	}
	if err != nil || !run.DeletionTimestamp.IsZero() {
		return r.deleted(ctx, req.NamespacedName, run)
	}
	run.Spec.SetDefaults()
	if run.Finished() {
		r.outgrew.Delete(run.UID)
		return r.ended(ctx, run)
	}
	// What one that outgrew its status makes now has to be removed again.
	r.tornDown.Delete(run.UID)
	after, wait, passErr := r.pass(ctx, run)
	// What went wrong stands in the status too: the user does not read our log.
	saveErr := r.saveStatus(ctx, run, after)
	if isTooLarge(saveErr) {
		// The rest of the object fills what the API server takes. It ends as any other run, so that it
		// holds no node, and an event says why.
		tell(r.Events, run, corev1.EventTypeWarning, v1alpha1.ReasonSpecTooLarge,
			fmt.Sprintf("the run is too large for a status (%v), and so cannot be carried out: delete it, or remove labels and annotations", saveErr))
		r.outgrew.Store(run.UID, true)
		_, err := r.afterwards(ctx, run, snapshots{})
		return ctrl.Result{RequeueAfter: queuePoll}, err
	}
	if err := errors.Join(passErr, saveErr); err != nil {
		return ctrl.Result{}, err
	}
	r.announce(run, after)
	if err := r.nodes().freeNodes(ctx, run, after); err != nil {
		return ctrl.Result{}, err
	}
	if after.Finished() {
		return r.afterwards(ctx, after, awaited(after))
	}
	return next(wait, r.plans.isPlanned(run.UID)), nil
}

// planningPriority is that of a run whose plan takes more than one pass. Those that measure, and
// those whose plan is small, go first.
const planningPriority = -10

// planningPoll is how often a run looks whether it is its turn to be planned.
const planningPoll = 200 * time.Millisecond

// next is when to look at a run again, and how urgent that is.
func next(wait time.Duration, planned bool) ctrl.Result {
	priority := 0
	if planned {
		wait, priority = time.Millisecond, planningPriority
	}
	return ctrl.Result{RequeueAfter: wait, Priority: &priority}
}

// pass decides from the world and acts, as often as there is something more to decide at
// once: the next trial begins in the pass that records the one before it. It returns the
// run with its new status, and when to look again.
func (r *Reconciler) pass(ctx context.Context, run *v1alpha1.BenchmarkRun) (after *v1alpha1.BenchmarkRun, wait time.Duration, err error) {
	after = run.DeepCopy()
	known, refused := decision.Known{}, map[string]decision.Failed{}
	for {
		w, err := r.gather(ctx, after, known)
		if err != nil {
			after.Status = unread(after, r.Clock.Now(), err)
			return after, 0, err
		}
		w.Refused = maps.Clone(refused)
		if run.Status.Integrity != nil {
			w.SavedHead = run.Status.Integrity.Head
		}
		w, p, askErr := r.consult(ctx, w)
		done := r.act(ctx, actor{client: r.Client, live: r.Live, now: w.Now, store: r.Store, run: after}, p)
		after.Status = status(w, done.steps)
		switch err := errors.Join(askErr, done.err); {
		case err != nil:
			return after, 0, err
		case !done.again:
			return after, patience(done.last().state, w.Now), nil
		}
		known = done.known
		maps.Copy(refused, done.refused)
	}
}

// again looks at a run whose pods have not gone yet; their deletion is an event too.
func again(left bool) ctrl.Result {
	if left {
		return ctrl.Result{RequeueAfter: poll}
	}
	return ctrl.Result{}
}

// patience is how long a wait is left alone: limits of time expire without an event.
func patience(state decision.State, now time.Time) time.Duration {
	wait, waits := state.(decision.Waiting)
	switch {
	case !waits:
		return 0
	case !wait.Until.IsZero():
		return max(wait.Until.Sub(now), time.Millisecond)
	case wait.Reason == v1alpha1.ReasonQueued, wait.Reason == v1alpha1.ReasonSuspended:
		return queuePoll
	}
	return poll
}

// saveStatus writes the status if it changed, under the optimistic lock of the
// version that was read.
func (r *Reconciler) saveStatus(ctx context.Context, before, after *v1alpha1.BenchmarkRun) error {
	var err error
	if after.Status, err = bounded(after); err != nil {
		return err
	}
	if equality.Semantic.DeepEqual(before.Status, after.Status) {
		return nil
	}
	if err := client.IgnoreNotFound(r.Client.Status().Update(ctx, after)); err != nil {
		return fmt.Errorf("writing the status: %w", err)
	}
	return nil
}

package benchmarkschedule

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
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
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/experiment/queue"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/runners/runner"
)

const (
	// lookAgain is how long a schedule is left alone at most: timers do not follow a clock that is
	// set, or a machine that sleeps.
	lookAgain = 10 * time.Minute
	// checkInputs is how often what a template names is looked at.
	checkInputs = 5 * time.Minute
	// tryAgain is when a run that was refused is created again.
	tryAgain = time.Minute
	// waitingForOne is how many passes may wait, for each that is worked on: they hold next to nothing.
	waitingForOne = 16
	// maxBackoff of a pass that fails.
	maxBackoff = 10 * time.Second
)

// Reconciler starts the runs of schedules.
type Reconciler struct {
	// Client reads from the cache and writes, Live reads from the API server; Clock tells the time.
	Client client.Client
	Live   client.Reader
	Clock  clock.PassiveClock
	// Events receives what happened.
	Events events.EventRecorder
	// Config of the operator.
	Config config.Config
	// Engine finds the facts of a flavor, Runner the adapter of a tool.
	Engine func(flavor string) (engine.Engine, bool)
	Runner func(name string) (runner.Runner, bool)
	// Tags of images are looked up with it; nil for none.
	Tags Tags
	// Queue knows what the results of a namespace take: histories are among them.
	Queue *queue.Ledger
	// Workers is the number of schedules that are looked at side by side.
	Workers int

	// places of the passes that are worked on. One that waits for a registry, or for its turn in a lane, gives its place away
	// meanwhile.
	places places
	// fetching is for a pass that reads what the template names.
	fetching lane
	// reading is for a pass that has a history in memory, or records of a run: they may be large. One whose history is small is
	// glancing, and does not wait for those.
	reading, glancing lane
	// judging is held by the one that judges a history, which takes longer: nobody waits for it.
	judging sync.Mutex
	// waiting are the schedules that are to be judged, by their names: each is an inTurn, and reads its history again when its turn may
	// have come.
	waiting sync.Map
}

// inTurn is a schedule that waits until another one is judged.
type inTurn struct {
	// version of the schedule, and how many of its runs had ended, when all but that was done.
	version string
	ended   int
	// until nothing else is to be done.
	until time.Time
}

// +kubebuilder:rbac:groups=assay.dev,resources=benchmarkschedules,verbs=get;list;watch
// +kubebuilder:rbac:groups=assay.dev,resources=benchmarkschedules/status,verbs=update
// +kubebuilder:rbac:groups=assay.dev,resources=benchmarkschedules/finalizers,verbs=update
// +kubebuilder:rbac:groups=assay.dev,resources=benchmarkruns,verbs=get;list;watch;create;delete
// What the policies of the chart take for a manager: only one creates runs of a schedule.
// +kubebuilder:rbac:groups=manager.assay.dev,resources=benchmarkruns,verbs=create
// +kubebuilder:rbac:groups=assay.dev,resources=instanceshapes,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;create;update;delete
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// SetupWithManager registers the controller.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	r.places = make(places, max(r.Workers, 1))
	err := mgr.GetFieldIndexer().IndexField(context.Background(), &v1alpha1.BenchmarkRun{}, indexSchedule, scheduleUID)
	if err != nil {
		return fmt.Errorf("indexing runs by schedule: %w", err)
	}
	return ctrl.NewControllerManagedBy(mgr).
		Named("benchmarkschedule").
		For(&v1alpha1.BenchmarkSchedule{}, builder.WithPredicates(
			predicate.Or(predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{}))).
		Owns(&v1alpha1.BenchmarkRun{}, builder.WithPredicates(endedOrGone())).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: max(r.Workers, 1)*waitingForOne + lanes*waitInLane,
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](5*time.Millisecond, maxBackoff),
		}).
		Complete(r)
}

// endedOrGone picks what a schedule waits for: the end of a run, and its deletion.
func endedOrGone() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(event.CreateEvent) bool { return false },
		UpdateFunc: func(e event.UpdateEvent) bool {
			before, ok1 := e.ObjectOld.(*v1alpha1.BenchmarkRun)
			after, ok2 := e.ObjectNew.(*v1alpha1.BenchmarkRun)
			return !ok1 || !ok2 || before.Finished() != after.Finished()
		},
	}
}

// Reconcile does one pass.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	r.places.enter()
	defer r.places.leave()
	schedule := &v1alpha1.BenchmarkSchedule{}
	// Live, not from the cache: a status that lags behind would start what was started.
	if err := r.Live.Get(ctx, req.NamespacedName, schedule); err != nil {
		if apierrors.IsNotFound(err) {
			r.Queue.Drop(ledgerName(req.NamespacedName), "")
			r.waiting.Delete(req.NamespacedName)
		}
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !schedule.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	w, err := r.gather(ctx, schedule)
	if err != nil {
		return ctrl.Result{}, err
	}
	if r.waitsForTurn(w) { // its history, and what its template names, may take seconds to read
		return ctrl.Result{RequeueAfter: turnOf(&r.waiting)}, nil
	}
	if schedule.Spec.OnChange {
		if w.Inputs, err = r.inputs(ctx, schedule); err != nil {
			return again(err)
		}
	}
	needs, release := mayNeedHistory(w), func() {}
	if needs { // those that need no history do not wait for those that do
		alone := &r.reading
		if isSmall(w) {
			alone = &r.glancing
		}
		if release, err = alone.enter(r.places, schedule.Namespace); err != nil {
			return again(err)
		}
		defer release()
	}
	if needs || schedule.Spec.OnChange { // it may have waited
		if is, err := unchanged(ctx, r.Live, schedule); !is {
			return ctrl.Result{RequeueAfter: time.Millisecond}, err
		}
	}
	if needs {
		if err := r.readHistory(ctx, &w); err != nil {
			return ctrl.Result{}, err
		}
	}
	return r.pass(ctx, w, release)
}

// again lets a pass for which there was no room in a lane try later.
func again(err error) (ctrl.Result, error) {
	if errors.Is(err, errBusy) {
		return ctrl.Result{RequeueAfter: 250 * time.Millisecond}, nil
	}
	return ctrl.Result{}, err
}

// unchanged says whether a schedule is still the one that this pass has read, which has waited since.
func unchanged(ctx context.Context, live client.Reader, schedule *v1alpha1.BenchmarkSchedule) (bool, error) {
	now := &v1alpha1.BenchmarkSchedule{}
	err := live.Get(ctx, client.ObjectKeyFromObject(schedule), now)
	return err == nil && now.ResourceVersion == schedule.ResourceVersion, client.IgnoreNotFound(err)
}

// turnOf is when that of a schedule may have come: those that wait share a second each.
func turnOf(waiting *sync.Map) (turn time.Duration) {
	waiting.Range(func(any, any) bool { turn += time.Second; return true })
	return turn
}

// waitsForTurn says whether nothing is to be done for a schedule but to judge it, and another one is judged.
func (r *Reconciler) waitsForTurn(w World) bool {
	found, is := r.waiting.Load(client.ObjectKeyFromObject(w.Schedule))
	if !is {
		return false
	}
	if one := found.(inTurn); one.version != w.Schedule.ResourceVersion || one.ended != endedOf(w) || !w.Now.Before(one.until) {
		return false
	}
	if r.judging.TryLock() {
		r.judging.Unlock()
		return false
	}
	return true
}

// endedOf the runs of a schedule.
func endedOf(w World) (n int) {
	for _, run := range w.Runs {
		if run.Ended {
			n++
		}
	}
	return n
}

// asBefore leaves the conditions that follow from a judgement as they were, while there is none.
func asBefore(was []metav1.Condition, is *[]metav1.Condition) {
	for _, name := range []string{v1alpha1.ConditionRegressed, v1alpha1.ConditionScheduleReady, v1alpha1.ConditionStalled} {
		if c := apimeta.FindStatusCondition(was, name); c != nil {
			apimeta.SetStatusCondition(is, *c)
		}
	}
}

// ledgerName of a schedule, which no run has.
func ledgerName(of types.NamespacedName) string { return of.Namespace + "/schedule/" + of.Name }

// pass with all that it decides from. What it needs no longer than until it judges is released then.
func (r *Reconciler) pass(ctx context.Context, w World, release func()) (ctrl.Result, error) {
	tellLost(r.Events, w)
	schedule, d := w.Schedule, decide(w)
	a, err := r.act(ctx, w, d)
	if err != nil {
		return ctrl.Result{}, err
	}
	// Whoever waits for the room looks again within a minute. A schedule of the name may have been before.
	name := client.ObjectKeyFromObject(schedule)
	r.Queue.Drop(ledgerName(name), schedule.UID)
	r.Queue.Keep(queue.Kept{UID: schedule.UID, Name: ledgerName(name), Bytes: a.historyBytes})
	found, turn := judgement{slower: schedule.Status.Regressions}, time.Duration(0)
	if schedule.Spec.Alarm != nil && toJudge(w, a) {
		if r.judging.TryLock() {
			defer r.judging.Unlock()
			release()
		} else {
			r.waiting.Store(name, inTurn{})
			turn = turnOf(&r.waiting)
		}
	}
	if turn == 0 {
		r.waiting.Delete(name)
		if found, err = judge(ctx, w, a); err != nil {
			return ctrl.Result{}, err
		}
	}
	after := schedule.DeepCopy()
	after.Status = settle(w, d, a, found)
	if turn > 0 {
		asBefore(schedule.Status.Conditions, &after.Status.Conditions)
	}
	if a.scheduleVersion != "" {
		after.ResourceVersion = a.scheduleVersion
	}
	if a.scheduleVersion != "" || !equality.Semantic.DeepEqual(schedule.Status, after.Status) {
		if err := r.Client.Status().Update(ctx, after); err != nil {
			r.refused(schedule, err)
			return ctrl.Result{}, client.IgnoreNotFound(fmt.Errorf("writing the status: %w", err))
		}
	}
	r.announce(w, d, a, after)
	wait := patience(w, d, a)
	switch {
	case turn > 0: // another schedule is judged
		r.waiting.Store(name, inTurn{after.ResourceVersion, endedOf(w), w.Now.Add(wait)})
		wait = min(wait, turn)
	case toConfirm(w, a, after): // what is to be confirmed is known since this pass
		wait = time.Second
	}
	return ctrl.Result{RequeueAfter: wait}, nil
}

// patience is how long a schedule is left alone.
func patience(w World, d decision, a done) time.Duration {
	wait := lookAgain
	sooner := func(at time.Time) {
		if !at.IsZero() {
			wait = min(wait, max(at.Sub(w.Now), time.Second))
		}
	}
	spec := w.Schedule.Spec
	if d.invalid == "" && !spec.Suspend {
		sooner(d.times.next())
		if late := spec.StartingDeadlineSeconds; late != nil && !d.times.due.IsZero() && a.started.Name == "" {
			sooner(d.times.deadline(d.times.due, *late).Add(time.Second))
		}
	}
	if !d.times.ahead.IsZero() && !d.times.corrected() {
		sooner(w.Now.Add(time.Minute)) // what the API server has stamped by now tells which clock is wrong
	}
	if spec.OnChange && !spec.Suspend {
		sooner(w.Now.Add(checkInputs))
	}
	if a.refused != "" {
		sooner(w.Now.Add(tryAgain))
	}
	if w.MoreEnded || len(d.waiting) > 0 && d.why == "" && a.refused == "" {
		sooner(w.Now)
	}
	return wait
}

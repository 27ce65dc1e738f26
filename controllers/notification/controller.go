package notification

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/retry"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/show/metrics"
	"github.com/assay-bench/assay/internal/show/notify"
)

// workers of a receiver are the attempts that it may keep waiting at a time.
const workers = 4

// reasonFailed is that of the event about a notification that was refused or given up.
const reasonFailed = "NotificationFailed"

// Reconciler tells one receiver of the runs that have ended.
type Reconciler struct {
	// Client reads from the cache and writes, Live reads from the API server; Clock tells the time.
	Client client.Client
	Live   client.Reader
	Clock  clock.PassiveClock
	// Events receives what could not be told.
	Events events.EventRecorder
	// Config of all receivers, and Receiver is the one that is told.
	Config   config.Notifications
	Receiver config.Receiver
	// Metrics counts.
	Metrics metrics.Notifications
	// Send attempts to deliver an event by its id.
	Send func(ctx context.Context, id string, body []byte) notify.Outcome

	// runs whose events were attempted, by their names: *tries.
	runs sync.Map
}

// +kubebuilder:rbac:groups=assay.dev,resources=benchmarkruns,verbs=get;list;watch
// +kubebuilder:rbac:groups=assay.dev,resources=benchmarkruns/status,verbs=update
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// SetupWithManager registers the controller of the receiver.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	hasEnded := predicate.NewPredicateFuncs(func(o client.Object) bool {
		run, is := o.(*v1alpha1.BenchmarkRun)
		return is && run.Finished()
	})
	return ctrl.NewControllerManagedBy(mgr).
		Named("notify-"+r.Receiver.Name).
		For(&v1alpha1.BenchmarkRun{}, builder.WithPredicates(hasEnded)).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: workers,
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](time.Second, time.Minute),
		}).
		Complete(r)
}

// Reconcile sends what is due about one run, and records what has ended.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	run := &v1alpha1.BenchmarkRun{}
	// The cache first: of most runs there is nothing to tell, and that costs no request.
	err := r.Client.Get(ctx, req.NamespacedName, run)
	if err == nil && r.isDone(run) {
		r.forget(req.NamespacedName, "")
		return ctrl.Result{}, nil
	}
	if err == nil {
		// The payload has texts that the cache drops.
		err = r.Live.Get(ctx, req.NamespacedName, run)
	}
	if client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, fmt.Errorf("reading the run: %w", err)
	}
	if err != nil {
		r.forget(req.NamespacedName, "")
		return ctrl.Result{}, nil
	}
	return r.tell(ctx, run)
}

// isDone says that a run has no event that is to be sent or recorded.
func (r *Reconciler) isDone(run *v1alpha1.BenchmarkRun) bool {
	t := r.triesOf(run)
	for _, e := range notify.Pending(run, r.Receiver) {
		if decide(e, t.byType[e.Type], r.Clock.Now(), r.Config.GiveUpAfter.Duration) != stepIgnore {
			return false
		}
	}
	return true
}

// tell the receiver what is due, one event after the other.
func (r *Reconciler) tell(ctx context.Context, run *v1alpha1.BenchmarkRun) (ctrl.Result, error) {
	t := r.triesOf(run)
	var left time.Duration
	for _, e := range notify.Pending(run, r.Receiver) {
		one := t.byType[e.Type]
		switch decide(e, one, r.Clock.Now(), r.Config.GiveUpAfter.Duration) {
		case stepSend:
			if one == nil {
				one = &try{backoff: backoff()}
			}
			if err := r.attempt(ctx, run, e, one); err != nil {
				return ctrl.Result{}, err
			}
			t.byType[e.Type] = one
			r.runs.Store(client.ObjectKeyFromObject(run), t)
		case stepGiveUp:
			one.end(r.Receiver.Name, e.Type, v1alpha1.NotificationGivenUp, r.Clock.Now())
			r.Metrics.Waiting(r.Receiver.Name, -1)
			r.complain(run, e, one)
		}
		if one == nil {
			continue
		}
		if one.ended.Outcome == "" {
			next := max(one.next.Sub(r.Clock.Now()), time.Millisecond)
			if left == 0 || next < left {
				left = next
			}
			continue
		}
		if err := r.record(ctx, run, one.ended); err != nil {
			return ctrl.Result{}, err
		}
		delete(t.byType, e.Type)
		r.Metrics.Ended(r.Receiver.Name, e.Type, outcomeLabel(one.ended.Outcome))
	}
	return ctrl.Result{RequeueAfter: left}, nil
}

// attempt to deliver an event once. An error is one of ours: the event cannot be written.
func (r *Reconciler) attempt(ctx context.Context, run *v1alpha1.BenchmarkRun, e notify.Event, t *try) error {
	body, err := notify.CloudEvent(run, e, r.Config.Source)
	if err != nil {
		return err
	}
	out := r.Send(ctx, notify.ID(run, e.Type), body)
	if ctx.Err() != nil {
		return fmt.Errorf("the manager ends: %w", ctx.Err())
	}
	r.Metrics.Attempted(r.Receiver.Name, strings.ToLower(string(out.State)))
	now, again := r.Clock.Now(), t.reason != ""
	switch out.State {
	case notify.Delivered:
		t.end(r.Receiver.Name, e.Type, v1alpha1.NotificationDelivered, now)
	case notify.Refused:
		t.reason = out.Reason
		t.end(r.Receiver.Name, e.Type, v1alpha1.NotificationRefused, now)
		r.complain(run, e, t)
	default:
		t.failed(out, now, e.Time.Add(r.Config.GiveUpAfter.Duration))
		ctrl.LoggerFrom(ctx).Info("a notification was not delivered", "receiver", r.Receiver.Name, "type", e.Type, "reason", out.Reason, "next", t.next)
	}
	switch failed := t.ended.Outcome == ""; {
	case failed && !again:
		r.Metrics.Waiting(r.Receiver.Name, 1)
	case !failed && again:
		r.Metrics.Waiting(r.Receiver.Name, -1)
	}
	return nil
}

// complain of a notification that will not be delivered. Tenants read the event: what the receiver
// answered, and where it is, stands in the log only.
func (r *Reconciler) complain(run *v1alpha1.BenchmarkRun, e notify.Event, t *try) {
	r.Events.Eventf(run, nil, corev1.EventTypeWarning, reasonFailed, "Notify",
		"receiver %s did not get %s: %s", r.Receiver.Name, e.Type, strings.ReplaceAll(outcomeLabel(t.ended.Outcome), "_", " "))
}

// record the end of an event, under the lock of the version that is read for it.
func (r *Reconciler) record(ctx context.Context, run *v1alpha1.BenchmarkRun, one v1alpha1.NotificationStatus) error {
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		now := &v1alpha1.BenchmarkRun{}
		if err := r.Live.Get(ctx, client.ObjectKeyFromObject(run), now); err != nil {
			return err
		}
		if now.UID != run.UID || notify.IsRecorded(now, one.Receiver, one.Type) {
			return nil
		}
		now.Status.Notifications = notify.Record(now.Status.Notifications, one)
		return r.Client.Status().Update(ctx, now)
	})
	if err := client.IgnoreNotFound(err); err != nil {
		return fmt.Errorf("recording the notification of receiver %s: %w", one.Receiver, err)
	}
	return nil
}

// triesOf a run; empty for one that was not attempted. One of an earlier run of the name is dropped.
func (r *Reconciler) triesOf(run *v1alpha1.BenchmarkRun) *tries {
	r.forget(client.ObjectKeyFromObject(run), run.UID)
	if known, has := r.runs.Load(client.ObjectKeyFromObject(run)); has {
		return known.(*tries)
	}
	return &tries{run: run.UID, byType: map[v1alpha1.NotificationType]*try{}}
}

// forget the tries of a name, but for those of the run with the UID. What was not delivered is lost.
func (r *Reconciler) forget(name types.NamespacedName, except types.UID) {
	known, has := r.runs.Load(name)
	if !has || known.(*tries).run == except {
		return
	}
	for kind, t := range known.(*tries).byType {
		if t.ended.Outcome == "" {
			r.Metrics.Waiting(r.Receiver.Name, -1)
			r.Metrics.Ended(r.Receiver.Name, kind, metrics.NotificationLost)
		}
	}
	r.runs.Delete(name)
}

// outcomeLabel is an outcome as Prometheus writes values.
func outcomeLabel(outcome v1alpha1.NotificationOutcome) string {
	if outcome == v1alpha1.NotificationGivenUp {
		return metrics.NotificationGivenUp
	}
	return strings.ToLower(string(outcome))
}

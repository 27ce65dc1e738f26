package runreport

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/client-go/tools/events"
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
	"github.com/assay-bench/assay/internal/ground/store"
	"github.com/assay-bench/assay/internal/show/metrics"
)

// Writer makes the parts of a report.
type Writer interface {
	// Tables by their keys in the ConfigMap. It fails when the run cannot be read.
	Tables(ctx context.Context, run *v1alpha1.BenchmarkRun) (map[string]string, error)
	// Page is HTML. An error that is contract.ErrTooLarge is one that comes again.
	Page(ctx context.Context, run *v1alpha1.BenchmarkRun) ([]byte, error)
}

// ObjectStore holds the pages.
type ObjectStore interface {
	// Write an item, once; the error says why the state is not Present.
	Write(ctx context.Context, item store.Item, mediaType string, data []byte) (store.State, error)
	// URL of an object, without a signature.
	URL(key string) string
}

// Reconciler stores the reports of runs that have ended.
type Reconciler struct {
	// Client reads from the cache and writes, Live reads from the API server; Clock tells the time.
	Client client.Client
	Live   client.Reader
	Clock  clock.PassiveClock
	// Events receives what could not be stored.
	Events events.EventRecorder
	// Metrics counts.
	Metrics metrics.Reports
	// Writer makes the reports.
	Writer Writer
	// Reading is held while a report is made: what is read of runs takes memory.
	Reading sync.Locker
	// Store for the pages; nil for none. Config says where in it.
	Store  ObjectStore
	Config config.Store
	// Pause from the first attempt at a page to the next one.
	Pause time.Duration
}

// +kubebuilder:rbac:groups=assay.dev,resources=benchmarkruns,verbs=get;list;watch
// +kubebuilder:rbac:groups=assay.dev,resources=benchmarkruns/status,verbs=update
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;create;update
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// SetupWithManager registers the controller. Its one worker makes one report at a time.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	hasEnded := predicate.NewPredicateFuncs(func(o client.Object) bool {
		run, is := o.(*v1alpha1.BenchmarkRun)
		return is && run.Finished()
	})
	return ctrl.NewControllerManagedBy(mgr).
		Named("report").
		For(&v1alpha1.BenchmarkRun{}, builder.WithPredicates(hasEnded)).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: 1,
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](time.Second, 5*time.Minute),
		}).
		Complete(r)
}

// Reconcile does the next step about the report of one run. An error is one of the API server, and is tried again
// until the run ended too long ago.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	run := &v1alpha1.BenchmarkRun{}
	// The cache first: of most runs the report is stored, and that costs no request.
	if err := r.Client.Get(ctx, req.NamespacedName, run); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	switch step, _ := decide(run, r.Clock.Now(), r.Pause); step {
	case stepIgnore:
		return ctrl.Result{}, nil
	case stepDone:
		if gone, err := r.gone(ctx, run); err != nil || !gone {
			return ctrl.Result{}, err
		}
	}
	if err := r.Live.Get(ctx, req.NamespacedName, run); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	step, wait := decide(run, r.Clock.Now(), r.Pause)
	switch step {
	case stepIgnore, stepWait:
		return ctrl.Result{RequeueAfter: wait}, nil
	case stepDone:
		if gone, err := r.gone(ctx, run); err != nil || !gone {
			return ctrl.Result{}, err
		}
	}
	if err := r.advance(ctx, run, step); err != nil {
		return ctrl.Result{}, fmt.Errorf("the report of the run: %w", err)
	}
	r.tell(run)
	_, wait = decide(run, r.Clock.Now(), r.Pause)
	return ctrl.Result{RequeueAfter: wait}, nil
}

// advance does a step, and records in the run what became of it.
func (r *Reconciler) advance(ctx context.Context, run *v1alpha1.BenchmarkRun, step step) error {
	switch step {
	case stepDone:
		return r.record(ctx, run, without(run))
	case stepGiveUp:
		return r.record(ctx, run, ended(run, *run.Status.Report, v1alpha1.ReasonReportNotStored, "the page is not stored: the manager ended in the last attempt"))
	}
	report, err := r.begin(ctx, run)
	if err != nil {
		return err
	}
	if err := r.record(ctx, run, report); err != nil || !pending(&report) {
		return err
	}
	if report, err = r.storePage(ctx, run, report); err != nil {
		return err
	}
	return r.record(ctx, run, report)
}

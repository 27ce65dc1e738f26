// Package benchmarkbaseline validates BenchmarkBaselines. In: BenchmarkBaselines, as somebody wrote
// them. Out: the conditions Ready, Reconciling and Stalled, which kstatus reads, and the number of
// measurements. It refuses numbers that contradict themselves, and changes nothing but the status.
package benchmarkbaseline

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/health"
	"github.com/assay-bench/assay/internal/verdict/baseline"
)

// Reconciler keeps the status of BenchmarkBaselines.
type Reconciler struct {
	// Client writes the status. Live reads: the cache has no numbers.
	Client client.Client
	Live   client.Reader
	// Clock has the times of the conditions.
	Clock clock.PassiveClock
}

// +kubebuilder:rbac:groups=assay.dev,resources=benchmarkbaselines,verbs=get;list;watch
// +kubebuilder:rbac:groups=assay.dev,resources=benchmarkbaselines/status,verbs=update

// SetupWithManager registers the controller.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		Named("benchmarkbaseline").
		For(&v1alpha1.BenchmarkBaseline{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Complete(r)
}

// Reconcile validates one baseline.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1alpha1.BenchmarkBaseline{}
	if err := r.Live.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	before := b.Status.DeepCopy()
	b.Status = statusOf(b, r.Clock.Now())
	if equality.Semantic.DeepEqual(*before, b.Status) {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, client.IgnoreNotFound(r.Client.Status().Update(ctx, b))
}

// maxMessage of a condition, in bytes.
const maxMessage = 4096

// statusOf a baseline: whether a gate can use it.
func statusOf(b *v1alpha1.BenchmarkBaseline, now time.Time) v1alpha1.BenchmarkBaselineStatus {
	out := *b.Status.DeepCopy()
	out.ObservedGeneration = b.Generation
	said := health.Said{Generation: b.Generation, Now: now, Reason: v1alpha1.ReasonSucceeded}
	all, err := baseline.Read(b.Spec)
	out.MeasurementCount = int32(len(all))
	if err != nil {
		said.Reason, said.Message = v1alpha1.ReasonInvalidSpec, contract.Cut(err.Error(), maxMessage)
		health.Stalled(&out.Conditions, said)
		return out
	}
	said.Message = fmt.Sprintf("%d measurements of run %s", len(all), b.Spec.Run.Name)
	health.Ready(&out.Conditions, said)
	return out
}

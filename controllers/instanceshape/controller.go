// Package instanceshape counts the nodes that offer each InstanceShape. In: InstanceShapes and
// nodes. Out: the count and the condition Offered in the status of each InstanceShape.
package instanceshape

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/experiment/placement"
)

// Reconciler keeps the status of InstanceShapes.
type Reconciler struct {
	Client client.Client
}

// +kubebuilder:rbac:groups=assay.dev,resources=instanceshapes,verbs=get;list;watch
// +kubebuilder:rbac:groups=assay.dev,resources=instanceshapes/status,verbs=update
// +kubebuilder:rbac:groups="",resources=nodes,verbs=get;list;watch

// SetupWithManager registers the controller.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		Named("instanceshape").
		For(&v1alpha1.InstanceShape{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&corev1.Node{}, handler.EnqueueRequestsFromMapFunc(r.all), builder.WithPredicates(offerChanged())).
		Complete(r)
}

// offerChanged ignores the heartbeats of nodes.
func offerChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		a, ok1 := e.ObjectOld.(*corev1.Node)
		b, ok2 := e.ObjectNew.(*corev1.Node)
		return !ok1 || !ok2 || a.Spec.Unschedulable != b.Spec.Unschedulable || placement.Ready(a) != placement.Ready(b) ||
			!equality.Semantic.DeepEqual(a.Labels, b.Labels) || !equality.Semantic.DeepEqual(a.Spec.Taints, b.Spec.Taints) ||
			!equality.Semantic.DeepEqual(a.Status.Allocatable, b.Status.Allocatable)
	}}
}

// all shapes may be offered by a node that changed.
func (r *Reconciler) all(ctx context.Context, _ client.Object) []reconcile.Request {
	var shapes v1alpha1.InstanceShapeList
	if err := r.Client.List(ctx, &shapes); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "listing InstanceShapes for a node that changed")
		return nil
	}
	var out []reconcile.Request
	for _, s := range shapes.Items {
		out = append(out, reconcile.Request{NamespacedName: types.NamespacedName{Name: s.Name}})
	}
	return out
}

// Reconcile counts the nodes that offer one shape.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	shape := &v1alpha1.InstanceShape{}
	if err := r.Client.Get(ctx, req.NamespacedName, shape); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var nodes corev1.NodeList
	if err := r.Client.List(ctx, &nodes); err != nil {
		return ctrl.Result{}, fmt.Errorf("listing nodes: %w", err)
	}
	before := shape.DeepCopy()
	setStatus(shape, placement.Offering(nodes.Items, shape.Spec))
	if equality.Semantic.DeepEqual(before.Status, shape.Status) {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, client.IgnoreNotFound(r.Client.Status().Update(ctx, shape))
}

func setStatus(shape *v1alpha1.InstanceShape, offering []string) {
	shape.Status.ObservedGeneration = shape.Generation
	shape.Status.NodeCount = new(int32(len(offering)))
	c := metav1.Condition{
		Type: v1alpha1.ConditionOffered, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonOffered,
		Message: fmt.Sprintf("%d nodes offer this shape", len(offering)), ObservedGeneration: shape.Generation,
	}
	if len(offering) == 0 {
		c.Status, c.Reason = metav1.ConditionFalse, v1alpha1.ReasonNoNodeOffersShape
		c.Message = "no node is ready, schedulable, large enough, and has the labels of nodeSelector with all its taints tolerated"
	}
	apimeta.SetStatusCondition(&shape.Status.Conditions, c)
}

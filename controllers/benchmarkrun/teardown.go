package benchmarkrun

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// afterwards is all that happens to a run that has ended: tear down what is not
// retained, and delete the run when its time has come.
func (r *Reconciler) afterwards(ctx context.Context, run *v1alpha1.BenchmarkRun) (ctrl.Result, error) {
	if !retained(run) {
		if err := r.tearDown(ctx, run); err != nil {
			return ctrl.Result{}, err
		}
	}
	ttl := run.Spec.TTLSecondsAfterFinished
	if ttl == nil || run.Status.FinishTime == nil {
		return ctrl.Result{}, nil
	}
	left := run.Status.FinishTime.Add(time.Duration(*ttl) * time.Second).Sub(r.Clock.Now())
	if left > 0 {
		return ctrl.Result{RequeueAfter: left}, nil
	}
	err := r.Client.Delete(ctx, run, client.Preconditions{UID: &run.UID}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if err := client.IgnoreNotFound(err); err != nil {
		return ctrl.Result{}, fmt.Errorf("deleting the run after ttlSecondsAfterFinished: %w", err)
	}
	return ctrl.Result{}, nil
}

// retained says whether the objects of a run that has ended stay.
func retained(run *v1alpha1.BenchmarkRun) bool {
	return keeps(run.Spec.Retain, apimeta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionFailed))
}

// keeps says whether a policy keeps the objects of a run that ends so.
func keeps(policy v1alpha1.RetainPolicy, failing bool) bool {
	return policy == v1alpha1.RetainAlways || policy == v1alpha1.RetainOnFailure && failing
}

// tearDown deletes everything of a run but its results. The volume of a database
// goes with its StatefulSet.
func (r *Reconciler) tearDown(ctx context.Context, run *v1alpha1.BenchmarkRun) error {
	for _, list := range []client.ObjectList{
		&batchv1.JobList{}, &appsv1.StatefulSetList{}, &corev1.ServiceList{}, &corev1.SecretList{},
		&corev1.ConfigMapList{}, &networkingv1.NetworkPolicyList{}, &policyv1.PodDisruptionBudgetList{},
		&rbacv1.RoleBindingList{}, &rbacv1.RoleList{}, &corev1.ServiceAccountList{},
	} {
		err := r.Live.List(ctx, list, client.InNamespace(run.Namespace), client.MatchingLabels{v1alpha1.LabelRun: run.Name})
		if err != nil {
			return fmt.Errorf("listing what to tear down: %w", err)
		}
		err = apimeta.EachListItem(list, func(o runtime.Object) error {
			obj := o.(client.Object)
			if obj.GetLabels()[v1alpha1.LabelRole] == v1alpha1.RoleResult || !metav1.IsControlledBy(obj, run) {
				return nil
			}
			return r.remove(ctx, obj)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// removeEnded deletes the Jobs and trial ConfigMaps of executions whose outcome
// stands in the status, unless they are to be retained.
func (r *Reconciler) removeEnded(ctx context.Context, s *scope) error {
	if s.run.Spec.Retain == v1alpha1.RetainAlways {
		return nil
	}
	var names []string
	for _, t := range s.run.Status.Trials {
		if t.State == v1alpha1.TrialSucceeded {
			names = append(names, v1alpha1.TrialName(s.run.Name, t.Index))
		}
	}
	for _, t := range s.run.Status.Targets {
		if t.LoadResult != "" {
			names = append(names, v1alpha1.LoadName(s.run.Name, t.Name))
		}
	}
	for _, name := range names {
		if job := s.jobs[name]; job != nil && job.DeletionTimestamp.IsZero() {
			if err := r.remove(ctx, job); err != nil {
				return err
			}
		}
		if cm := s.configMaps[name]; cm != nil {
			if err := r.remove(ctx, cm); err != nil {
				return err
			}
		}
	}
	return nil
}

// remove deletes an object and, in the background, what belongs to it.
func (r *Reconciler) remove(ctx context.Context, obj client.Object) error {
	if !obj.GetDeletionTimestamp().IsZero() {
		return nil
	}
	uid := obj.GetUID()
	err := r.Client.Delete(ctx, obj, client.Preconditions{UID: &uid}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if err := client.IgnoreNotFound(err); err != nil {
		return fmt.Errorf("deleting %T %s: %w", obj, obj.GetName(), err)
	}
	return nil
}

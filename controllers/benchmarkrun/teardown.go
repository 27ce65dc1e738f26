package benchmarkrun

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/internal/contract"
)

// afterwards is all that happens to a run that has ended: tear down what is not
// retained, give its nodes back when its last pod is gone, and delete the run when
// its time has come.
func (r *Reconciler) afterwards(ctx context.Context, run *v1alpha1.BenchmarkRun) (ctrl.Result, error) {
	// Here, and not in release: a run that was refused never was in the queue.
	r.plans.Delete(run.UID)
	if !retained(run) {
		if err := r.tearDown(ctx, run); err != nil {
			return ctrl.Result{}, err
		}
	}
	left, err := r.release(ctx, client.ObjectKeyFromObject(run), "")
	if err != nil {
		return ctrl.Result{}, err
	}
	ttl := run.Spec.TTLSecondsAfterFinished
	if ttl == nil || run.Status.CompletionTime == nil {
		return again(left), nil
	}
	due := run.Status.CompletionTime.Add(time.Duration(*ttl) * time.Second).Sub(r.Clock.Now())
	if due > 0 {
		return ctrl.Result{RequeueAfter: due}, nil
	}
	err = r.Client.Delete(ctx, run, client.Preconditions{UID: &run.UID}, client.PropagationPolicy(metav1.DeletePropagationBackground))
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

// tearDown deletes everything of a run but its results, their inputs and its journal. The volume
// of a database goes with its StatefulSet. What was found to be gone is not looked
// for again.
func (r *Reconciler) tearDown(ctx context.Context, run *v1alpha1.BenchmarkRun) error {
	if _, done := r.torn.Load(run.UID); done {
		return nil
	}
	found, err := r.tearDownListed(ctx, run)
	if err != nil {
		return err
	}
	for _, obj := range namedChildren(run) {
		err := r.Live.Get(ctx, client.ObjectKeyFromObject(obj), obj)
		if apierrors.IsNotFound(err) || err == nil && !metav1.IsControlledBy(obj, run) {
			continue
		}
		if err != nil {
			return fmt.Errorf("reading what to tear down: %w", err)
		}
		found = true
		if err := r.remove(ctx, obj); err != nil {
			return err
		}
	}
	if !found {
		r.torn.Store(run.UID, true)
	}
	return nil
}

// kept are the roles of what stays until the run is deleted: what was measured, what
// with, and what is shown beside it.
var kept = []string{v1alpha1.RoleResult, v1alpha1.RoleJournal, v1alpha1.RoleInputs, v1alpha1.RoleQuoted}

// tearDownListed deletes what the cache knows by the run's label.
func (r *Reconciler) tearDownListed(ctx context.Context, run *v1alpha1.BenchmarkRun) (found bool, err error) {
	configMaps := &metav1.PartialObjectMetadataList{}
	configMaps.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMapList"))
	for _, list := range []client.ObjectList{&batchv1.JobList{}, &appsv1.StatefulSetList{}, configMaps} {
		err := r.Client.List(ctx, list, client.InNamespace(run.Namespace), client.MatchingFields{indexRun: string(run.UID)})
		if err != nil {
			return found, fmt.Errorf("listing what to tear down: %w", err)
		}
		err = apimeta.EachListItem(list, func(o runtime.Object) error {
			obj := o.(client.Object)
			if slices.Contains(kept, obj.GetLabels()[v1alpha1.LabelRole]) || !metav1.IsControlledBy(obj, run) {
				return nil
			}
			found = true
			return r.remove(ctx, obj)
		})
		if err != nil {
			return found, err
		}
	}
	return found, nil
}

// namedChildren are the objects of a run that the cache does not hold.
func namedChildren(run *v1alpha1.BenchmarkRun) []client.Object {
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: run.Namespace, Name: name} }
	clients := contract.ClientName(run.Name)
	out := []client.Object{
		&rbacv1.RoleBinding{ObjectMeta: meta(clients)}, &rbacv1.Role{ObjectMeta: meta(clients)},
		&corev1.ServiceAccount{ObjectMeta: meta(clients)}, &policyv1.PodDisruptionBudget{ObjectMeta: meta(clients)},
	}
	for _, t := range provided(run) {
		name := contract.TargetName(run.Name, t.Name)
		out = append(out, &corev1.Service{ObjectMeta: meta(name)}, &corev1.Secret{ObjectMeta: meta(name)},
			&networkingv1.NetworkPolicy{ObjectMeta: meta(name)}, &policyv1.PodDisruptionBudget{ObjectMeta: meta(name)})
		for i := range replicasOf(t) {
			name := contract.ReplicaName(run.Name, t.Name, i)
			out = append(out, &corev1.Service{ObjectMeta: meta(name)},
				&networkingv1.NetworkPolicy{ObjectMeta: meta(name)}, &policyv1.PodDisruptionBudget{ObjectMeta: meta(name)})
		}
	}
	return out
}

// removeEnded deletes the Jobs and trial ConfigMaps of executions whose outcome
// stands in the journal or the status, unless they are to be retained.
func (r *Reconciler) removeEnded(ctx context.Context, s *scope) error {
	if s.run.Spec.Retain == v1alpha1.RetainAlways {
		return nil
	}
	for name, job := range s.jobs {
		if !s.outcomeKnown(job) || !job.DeletionTimestamp.IsZero() || s.run.Spec.Retain == v1alpha1.RetainOnFailure && hasFailed(job) {
			continue
		}
		if err := r.remove(ctx, job); err != nil {
			return err
		}
		meta, err := r.metadata(ctx, s, name)
		if err != nil {
			return err
		}
		if meta != nil {
			if err := r.remove(ctx, meta); err != nil {
				return err
			}
		}
	}
	return nil
}

// outcomeKnown says whether what became of a Job is written down.
func (s *scope) outcomeKnown(job *batchv1.Job) bool {
	if target := job.Labels[v1alpha1.LabelTarget]; job.Name == contract.LoadName(s.run.Name, target) {
		return s.targetStatus(target).LoadResult != ""
	}
	index, err1 := strconv.ParseInt(job.Labels[v1alpha1.LabelTrial], 10, 32)
	attempt, err2 := strconv.ParseInt(job.Labels[v1alpha1.LabelAttempt], 10, 32)
	if err1 != nil || err2 != nil {
		return false
	}
	at := s.journal.Position()
	return int32(index) < at.Index || int32(index) == at.Index && int32(attempt) < at.Attempt
}

func hasFailed(job *batchv1.Job) bool {
	for _, c := range job.Status.Conditions {
		if c.Type == batchv1.JobFailed && c.Status == corev1.ConditionTrue {
			return true
		}
	}
	return job.Status.Failed > 0
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

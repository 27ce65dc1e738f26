package benchmarkrun

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/plan"
	"github.com/assay-bench/assay/runners/runner"
)

// scope is the world of one run, read once per pass.
type scope struct {
	// Set by loadScope.
	run          *v1alpha1.BenchmarkRun
	now          time.Time
	statefulSets map[string]*appsv1.StatefulSet
	jobs         map[string]*batchv1.Job
	configMaps   map[string]*corev1.ConfigMap
	targetPods   map[string]*corev1.Pod
	clientPods   map[string]*corev1.Pod

	// Set by accept.
	trials []plan.Trial
	runner runner.Runner
	// workload is the runner's part of the spec as JSON.
	workload []byte

	// Set by place: the node that is left to the client; empty for none.
	keepFree string
}

// loadScope reads the objects of a run from the cache.
func (r *Reconciler) loadScope(ctx context.Context, run *v1alpha1.BenchmarkRun) (*scope, error) {
	s := &scope{
		run: run, now: r.Clock.Now(),
		statefulSets: map[string]*appsv1.StatefulSet{}, jobs: map[string]*batchv1.Job{},
		configMaps: map[string]*corev1.ConfigMap{},
		targetPods: map[string]*corev1.Pod{}, clientPods: map[string]*corev1.Pod{},
	}
	var (
		sets appsv1.StatefulSetList
		jobs batchv1.JobList
		cms  corev1.ConfigMapList
		pods corev1.PodList
	)
	for _, list := range []client.ObjectList{&sets, &jobs, &cms, &pods} {
		if err := r.Client.List(ctx, list, client.InNamespace(run.Namespace), client.MatchingLabels{v1alpha1.LabelRun: run.Name}); err != nil {
			return nil, fmt.Errorf("listing the run's objects: %w", err)
		}
	}
	for i := range sets.Items {
		if metav1.IsControlledBy(&sets.Items[i], run) {
			s.statefulSets[sets.Items[i].Name] = &sets.Items[i]
		}
	}
	for i := range jobs.Items {
		if metav1.IsControlledBy(&jobs.Items[i], run) {
			s.jobs[jobs.Items[i].Name] = &jobs.Items[i]
		}
	}
	for i := range cms.Items {
		if metav1.IsControlledBy(&cms.Items[i], run) {
			s.configMaps[cms.Items[i].Name] = &cms.Items[i]
		}
	}
	for i := range pods.Items {
		s.addPod(&pods.Items[i])
	}
	return s, nil
}

// addPod files a pod under its StatefulSet or Job, if that belongs to the run.
func (s *scope) addPod(pod *corev1.Pod) {
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return
	}
	if set := s.statefulSets[owner.Name]; set != nil && set.UID == owner.UID {
		s.targetPods[owner.Name] = pod
	}
	if job := s.jobs[owner.Name]; job != nil && job.UID == owner.UID {
		s.clientPods[owner.Name] = pod
	}
}

// target finds a target of the spec.
func (s *scope) target(name string) v1alpha1.Target {
	for _, t := range s.run.Spec.Targets {
		if t.Name == name {
			return t
		}
	}
	return v1alpha1.Target{}
}

// resolved finds the pinned inputs of a target.
func (s *scope) resolved(name string) v1alpha1.ResolvedTarget {
	for _, t := range s.run.Status.Resolved.Targets {
		if t.Name == name {
			return t
		}
	}
	return v1alpha1.ResolvedTarget{}
}

// targetStatus finds or adds the status of a target.
func (s *scope) targetStatus(name string) *v1alpha1.TargetStatus {
	for i := range s.run.Status.Targets {
		if s.run.Status.Targets[i].Name == name {
			return &s.run.Status.Targets[i]
		}
	}
	s.run.Status.Targets = append(s.run.Status.Targets, v1alpha1.TargetStatus{Name: name})
	return &s.run.Status.Targets[len(s.run.Status.Targets)-1]
}

// ensure creates an object that is never changed afterwards. It reports whether
// the object was created now; an object of the same name that belongs to
// somebody else ends the run.
func (r *Reconciler) ensure(ctx context.Context, s *scope, obj client.Object) (created bool, err error) {
	err = r.Client.Create(ctx, obj)
	if err == nil {
		return true, nil
	}
	if apierrors.IsInvalid(err) || apierrors.IsForbidden(err) {
		return false, refuse(v1alpha1.ReasonPodRejected, "the API server refuses %s: %v", obj.GetName(), err)
	}
	if !apierrors.IsAlreadyExists(err) {
		return false, fmt.Errorf("creating %T %s: %w", obj, obj.GetName(), err)
	}
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(obj), obj); err != nil {
		if apierrors.IsNotFound(err) {
			return false, later(v1alpha1.ReasonProgressing, "%T %s was just deleted", obj, obj.GetName())
		}
		return false, fmt.Errorf("reading %T %s: %w", obj, obj.GetName(), err)
	}
	if owner := metav1.GetControllerOf(obj); !obj.GetDeletionTimestamp().IsZero() ||
		owner != nil && owner.Kind == "BenchmarkRun" && owner.Name == s.run.Name && owner.UID != s.run.UID {
		return false, later(v1alpha1.ReasonProgressing,
			"waiting for %T %s of an earlier run of the same name to be deleted", obj, obj.GetName())
	}
	if !metav1.IsControlledBy(obj, s.run) {
		return false, refuse(v1alpha1.ReasonChildConflict,
			"%T %s/%s exists and does not belong to this run: delete it, or give the run another name", obj, obj.GetNamespace(), obj.GetName())
	}
	return false, nil
}

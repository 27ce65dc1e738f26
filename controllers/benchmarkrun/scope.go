package benchmarkrun

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/apischema"
	"github.com/assay-bench/assay/internal/journal"
	"github.com/assay-bench/assay/internal/plan"
	"github.com/assay-bench/assay/internal/resources"
	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

// scope is the world of one run, read once per pass. ConfigMaps are looked up by
// name where they are needed: a long run has thousands of them.
type scope struct {
	// Set by loadScope.
	run          *v1alpha1.BenchmarkRun
	now          time.Time
	statefulSets map[string]*appsv1.StatefulSet
	jobs         map[string]*batchv1.Job
	targetPods   map[string]*corev1.Pod
	// clientPods of each Job, in the order of the clients.
	clientPods map[string][]*corev1.Pod
	// strays are clients whose Job is gone: they end within their grace.
	strays []*corev1.Pod

	// Set by accept.
	plan   *plan.Plan
	runner runner.Runner
	// schema of the runner's part of the spec.
	schema *apischema.Tool
	// workload is the runner's part of the spec as JSON, with every default.
	workload json.RawMessage
	// demand of the trials of the plan.
	demand demand

	// Set by readJournal.
	journal notebook
}

// notebook is the last part of the records of a run.
type notebook struct {
	journal.Records
	// object that holds it; nil when it does not exist yet.
	object *corev1.ConfigMap
}

// indexRun finds the objects of a run by its UID.
const indexRun = "assay.dev/run-uid"

func runUID(o client.Object) []string {
	if uid := o.GetLabels()[v1alpha1.LabelRunUID]; uid != "" {
		return []string{uid}
	}
	return nil
}

// loadScope reads the objects of a run from the cache.
func (r *Reconciler) loadScope(ctx context.Context, run *v1alpha1.BenchmarkRun) (*scope, error) {
	s := &scope{
		run: run, now: r.Clock.Now(),
		statefulSets: map[string]*appsv1.StatefulSet{}, jobs: map[string]*batchv1.Job{},
		targetPods: map[string]*corev1.Pod{}, clientPods: map[string][]*corev1.Pod{},
	}
	var (
		sets appsv1.StatefulSetList
		jobs batchv1.JobList
		pods corev1.PodList
	)
	for _, list := range []client.ObjectList{&sets, &jobs, &pods} {
		if err := r.Client.List(ctx, list, client.InNamespace(run.Namespace), client.MatchingFields{indexRun: string(run.UID)}); err != nil {
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
	for i := range pods.Items {
		s.addPod(&pods.Items[i])
	}
	for _, pods := range s.clientPods {
		slices.SortFunc(pods, func(a, b *corev1.Pod) int { return cmp.Compare(clientIndex(a), clientIndex(b)) })
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
	switch job := s.jobs[owner.Name]; {
	case job != nil && job.UID == owner.UID:
		s.clientPods[owner.Name] = append(s.clientPods[owner.Name], pod)
	case pod.Labels[v1alpha1.LabelRole] == v1alpha1.RoleClient:
		s.strays = append(s.strays, pod)
	}
}

// clientIndex is the number of a client among those of its Job.
func clientIndex(pod *corev1.Pod) int {
	n, err := strconv.Atoi(pod.Annotations[batchv1.JobCompletionIndexAnnotation])
	if err != nil {
		return 0
	}
	return n
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
func (s *scope) resolved(name string) v1alpha1.ResolvedTarget { return resolved(s.run, name) }

func resolved(run *v1alpha1.BenchmarkRun, name string) v1alpha1.ResolvedTarget {
	for _, t := range run.Status.Resolved.Targets {
		if t.Name == name {
			return t
		}
	}
	return v1alpha1.ResolvedTarget{}
}

// nodeOf a target that Assay places; empty for an external one.
func (s *scope) nodeOf(target string) string {
	if p := s.run.Status.Placement; p != nil {
		for _, t := range p.Targets {
			if t.Name == target {
				return t.NodeName
			}
		}
	}
	return ""
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

// targetPod is the database pod of a target; nil when there is none.
func (s *scope) targetPod(name string) *corev1.Pod {
	return s.targetPods[contract.TargetName(s.run.Name, name)]
}

// unloaded is the first measured target without data; empty when there is none.
func (s *scope) unloaded() string {
	for _, t := range s.run.Spec.Targets {
		if t.Published == nil && s.targetStatus(t.Name).LoadResult == "" {
			return t.Name
		}
	}
	return ""
}

// working names the Job of a client of the run that is at work now; the Job of a
// stray does not exist any more.
func (s *scope) working() (job string, yes bool) {
	for name, pods := range s.clientPods {
		for _, p := range pods {
			if !hasEnded(p) {
				return name, true
			}
		}
	}
	for _, p := range s.strays {
		if !hasEnded(p) {
			return p.Labels[batchv1.JobNameLabel], true
		}
	}
	return "", false
}

// unrecorded says whether a trial has begun whose end is not written down.
func (s *scope) unrecorded() bool {
	for _, job := range s.jobs {
		if job.Labels[v1alpha1.LabelTrial] != "" && !s.outcomeKnown(job) {
			return true
		}
	}
	return false
}

// hasEnded says whether the runner of a client pod has ended. The phase of the pod
// says so up to a second later.
func hasEnded(pod *corev1.Pod) bool {
	for _, c := range pod.Status.ContainerStatuses {
		if c.Name == resources.RunnerContainer && c.State.Terminated != nil {
			return true
		}
	}
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// metadata of a ConfigMap of this run, from the cache; nil when there is none.
func (r *Reconciler) metadata(ctx context.Context, s *scope, name string) (*metav1.PartialObjectMetadata, error) {
	out := &metav1.PartialObjectMetadata{}
	out.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	err := r.Client.Get(ctx, client.ObjectKey{Namespace: s.run.Namespace, Name: name}, out)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading ConfigMap %s: %w", name, err)
	}
	if !metav1.IsControlledBy(out, s.run) {
		return nil, nil
	}
	return out, nil
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

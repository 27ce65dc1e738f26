package decision

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// Children are the workload objects of a run and their pods, as the cache knew them
// when the pass began. Nobody changes them.
type Children struct {
	// StatefulSets and Jobs of the run, by their names.
	StatefulSets map[string]*appsv1.StatefulSet
	Jobs         map[string]*batchv1.Job
	// TargetPods by the name of their StatefulSet.
	TargetPods map[string]*corev1.Pod
	// ClientPods by the name of their Job, in the order of the clients.
	ClientPods map[string][]*corev1.Pod
	// Placeholders keep the place of pods until the run has its nodes; they are none of Jobs. PlaceholderPods are by the name of their Job.
	Placeholders    map[string]*batchv1.Job
	PlaceholderPods map[string]*corev1.Pod
	// Strays are clients whose Job is gone: they end within their grace.
	Strays []*corev1.Pod
	// PodCount is the number of all pods that bear the label of the run.
	PodCount int
}

// NewChildren sorts what bears the label of a run. What the run does not control is
// left out.
func NewChildren(run *v1alpha1.BenchmarkRun, sets []appsv1.StatefulSet, jobs []batchv1.Job, pods []corev1.Pod) Children {
	c := Children{
		StatefulSets: map[string]*appsv1.StatefulSet{}, Jobs: map[string]*batchv1.Job{},
		TargetPods: map[string]*corev1.Pod{}, ClientPods: map[string][]*corev1.Pod{},
		Placeholders: map[string]*batchv1.Job{}, PlaceholderPods: map[string]*corev1.Pod{},
	}
	for i := range sets {
		if metav1.IsControlledBy(&sets[i], run) {
			c.StatefulSets[sets[i].Name] = &sets[i]
		}
	}
	for i := range jobs {
		switch {
		case !metav1.IsControlledBy(&jobs[i], run):
		case jobs[i].Labels[v1alpha1.LabelRole] == v1alpha1.RolePlaceholder:
			c.Placeholders[jobs[i].Name] = &jobs[i]
		default:
			c.Jobs[jobs[i].Name] = &jobs[i]
		}
	}
	c.PodCount = len(pods)
	for i := range pods {
		c.file(&pods[i])
	}
	for _, pods := range c.ClientPods {
		slices.SortFunc(pods, func(a, b *corev1.Pod) int { return cmp.Compare(ClientIndex(a), ClientIndex(b)) })
	}
	return c
}

// file a pod under its StatefulSet or Job, if that belongs to the run.
func (c *Children) file(pod *corev1.Pod) {
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return
	}
	if set := c.StatefulSets[owner.Name]; set != nil && set.UID == owner.UID {
		c.TargetPods[owner.Name] = pod
	}
	if pod.Labels[v1alpha1.LabelRole] == v1alpha1.RolePlaceholder {
		// Of two pods of one Job the one before has failed, or ends. Of a Job that is gone, the garbage collector removes it.
		job, other := c.Placeholders[owner.Name], c.PlaceholderPods[owner.Name]
		if job != nil && job.UID != owner.UID || other != nil && other.DeletionTimestamp.IsZero() && Works(other) {
			return
		}
		c.PlaceholderPods[owner.Name] = pod
		return
	}
	switch job := c.Jobs[owner.Name]; {
	case job != nil && job.UID == owner.UID:
		c.ClientPods[owner.Name] = append(c.ClientPods[owner.Name], pod)
	case pod.Labels[v1alpha1.LabelRole] == v1alpha1.RoleClient:
		c.Strays = append(c.Strays, pod)
	}
}

// Standing are the Jobs of clients that stand, in the order of their names.
func (c Children) Standing() []*batchv1.Job {
	var out []*batchv1.Job
	for _, name := range c.JobNames() {
		if c.Jobs[name].Labels[v1alpha1.LabelStanding] != "" {
			out = append(out, c.Jobs[name])
		}
	}
	return out
}

// WorkingJobs are the Jobs of the run that have a client at work, sorted. The Job of a
// stray does not exist any more.
func (c Children) WorkingJobs() []string {
	var out []string
	for name, pods := range c.ClientPods {
		if slices.ContainsFunc(pods, Works) {
			out = append(out, name)
		}
	}
	for _, p := range c.Strays {
		if Works(p) {
			out = append(out, p.Labels[batchv1.JobNameLabel])
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Works says whether the tool or the agent of a client pod has not ended. The phase of the pod
// says so up to a second later than its containers.
func Works(pod *corev1.Pod) bool {
	ended := 0
	for _, c := range pod.Status.ContainerStatuses {
		if (c.Name == resources.AgentContainer || c.Name == resources.RunnerContainer) && c.State.Terminated != nil {
			ended++
		}
	}
	if ended > 0 && ended == len(pod.Status.ContainerStatuses) {
		return false
	}
	return pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed
}

// ClientIndex is the number of a client among those of its Job.
func ClientIndex(pod *corev1.Pod) int {
	n, err := strconv.Atoi(pod.Annotations[batchv1.JobCompletionIndexAnnotation])
	if err != nil {
		return 0
	}
	return n
}

// Any says whether anything is there that has pods, or had them a moment ago.
func (c Children) Any() bool {
	return len(c.StatefulSets)+len(c.Jobs)+len(c.Placeholders)+c.PodCount > 0
}

// JobNames of the run, sorted.
func (c Children) JobNames() []string { return slices.Sorted(maps.Keys(c.Jobs)) }

// Begun says whether a client has touched its result, so that the execution has begun.
func Begun(result *corev1.ConfigMap) bool { return Claimed(result) || len(result.BinaryData) > 0 }

// Claimed is as much of Begun as the metadata of a result says. A client of an earlier
// release marks its result only when it is ready.
func Claimed(result metav1.Object) bool {
	a := result.GetAnnotations()
	return a[v1alpha1.AnnotationClaimedBy] != "" || a[v1alpha1.AnnotationReady] != ""
}

// Stale is the deletion of a part of the journal that was written by a pass which did not end,
// and which differs from the part that is to be written; nil when there is none, or it is the
// same. It means nothing while ask is not complete.
func Stale(ask *Asking, part *corev1.ConfigMap, key string) Action {
	stored := ask.Stored(part.Name).Value
	if !stored.Exists || stored.Digests[key] == contract.Digest(part.BinaryData[key]) {
		return nil
	}
	return Delete{Object: &corev1.ConfigMap{ObjectMeta: stored.Meta}}
}

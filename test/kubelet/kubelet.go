// Package kubelet plays, against an API server without nodes (envtest), the parts
// that such a server lacks: the Job and StatefulSet controllers, the scheduler,
// and the kubelet with a client or a database in its pods.
//
// It is for tests of the controllers only. The end-to-end tests use the real ones.
package kubelet

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/resources"
	"github.com/assay-bench/assay/internal/result"
	"github.com/assay-bench/assay/runners/runner"
)

// Client is what one client pod of a Job does, once its barrier is open. It returns
// the result that it delivers, or nil for none; trial.Ref.Client tells which client
// it is.
type Client func(trial runner.Trial) *result.Result

// Kubelet plays the missing parts for one namespace.
type Kubelet struct {
	// API reads and writes without a cache.
	API client.Client
	// Namespace that is served.
	Namespace string
	// Client plays the client pods.
	Client Client
	// TargetStatus, if set, is the status of the database container in place of
	// one that is ready.
	TargetStatus func(pod *corev1.Pod) *corev1.ContainerStatus
	// ClientStatus, if set, is the status of the client's container in place of
	// one that runs; nil from it means: go on as usual.
	ClientStatus func(job *batchv1.Job) *corev1.ContainerStatus

	mu   sync.Mutex
	jobs map[string]int
	tool map[string]int
}

// Run plays until the context ends.
func (k *Kubelet) Run(ctx context.Context, t *testing.T) {
	k.jobs, k.tool = map[string]int{}, map[string]int{}
	for ctx.Err() == nil {
		if err := k.pass(ctx); err != nil && ctx.Err() == nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			t.Errorf("the played kubelet: %v", err)
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// ToolStarts is how often the tool was started for each Job name, by its first client.
func (k *Kubelet) ToolStarts() map[string]int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return maps.Clone(k.tool)
}

// Jobs is how many Jobs (UIDs) were seen for each name.
func (k *Kubelet) Jobs() map[string]int {
	k.mu.Lock()
	defer k.mu.Unlock()
	out := map[string]int{}
	for key := range k.jobs {
		var name, uid string
		if _, err := fmt.Sscanf(key, "%s %s", &name, &uid); err == nil {
			out[name]++
		}
	}
	return out
}

func (k *Kubelet) pass(ctx context.Context) error {
	var sets appsv1.StatefulSetList
	if err := k.API.List(ctx, &sets, client.InNamespace(k.Namespace)); err != nil {
		return err
	}
	for i := range sets.Items {
		if err := k.serve(ctx, &sets.Items[i]); err != nil {
			return err
		}
	}
	var jobs batchv1.JobList
	if err := k.API.List(ctx, &jobs, client.InNamespace(k.Namespace)); err != nil {
		return err
	}
	for i := range jobs.Items {
		if err := k.work(ctx, &jobs.Items[i]); err != nil {
			return err
		}
	}
	return k.sweep(ctx)
}

// serve brings the pod of a StatefulSet up.
func (k *Kubelet) serve(ctx context.Context, set *appsv1.StatefulSet) error {
	if set.Spec.Replicas != nil && *set.Spec.Replicas == 0 {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: k.Namespace, Name: set.Name + "-0"}}
		return client.IgnoreNotFound(k.API.Delete(ctx, pod, client.GracePeriodSeconds(0)))
	}
	pod, err := k.pod(ctx, set, set.Name+"-0", set.Spec.Template)
	if err != nil || pod == nil {
		return err
	}
	status := &corev1.ContainerStatus{
		Name: resources.ServerContainer, Ready: true, ImageID: "registry.example/mariadb@sha256:feed",
		State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
	}
	if k.TargetStatus != nil {
		status = k.TargetStatus(pod)
	}
	if len(pod.Status.ContainerStatuses) == 1 && pod.Status.ContainerStatuses[0].Ready == status.Ready {
		return nil
	}
	pod.Status.Phase = corev1.PodRunning
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{*status}
	return k.API.Status().Update(ctx, pod)
}

// work brings the pod of a Job one step further.
func (k *Kubelet) work(ctx context.Context, job *batchv1.Job) error {
	if !job.DeletionTimestamp.IsZero() {
		return nil
	}
	k.mu.Lock()
	k.jobs[job.Name+" "+string(job.UID)]++
	k.mu.Unlock()
	count := int32(1)
	if job.Spec.Completions != nil {
		count = *job.Spec.Completions
	}
	for i := range count {
		if err := k.workAs(ctx, job, int(i)); err != nil {
			return err
		}
	}
	return nil
}

// workAs brings one client of a Job one step further.
func (k *Kubelet) workAs(ctx context.Context, job *batchv1.Job, index int) error {
	template := *job.Spec.Template.DeepCopy()
	metav1.SetMetaDataAnnotation(&template.ObjectMeta, batchv1.JobCompletionIndexAnnotation, fmt.Sprint(index))
	pod, err := k.pod(ctx, job, fmt.Sprintf("%s-%d-abcde", job.Name, index), template)
	if err != nil || pod == nil || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
		return err
	}
	if k.ClientStatus != nil {
		if s := k.ClientStatus(job); s != nil {
			pod.Status.ContainerStatuses = []corev1.ContainerStatus{*s}
			return k.API.Status().Update(ctx, pod)
		}
	}
	if pod.Status.Phase != corev1.PodRunning {
		pod.Status.Phase = corev1.PodRunning
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
			Name: resources.RunnerContainer, ImageID: "registry.example/sysbench@sha256:beef",
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
		}}
		return k.API.Status().Update(ctx, pod)
	}
	return k.runTool(ctx, job, pod, index)
}

// runTool does what the agent does: mark, wait for the barrier, run, deliver, end.
func (k *Kubelet) runTool(ctx context.Context, job *batchv1.Job, pod *corev1.Pod, index int) error {
	var cm, out corev1.ConfigMap
	if err := k.API.Get(ctx, client.ObjectKey{Namespace: k.Namespace, Name: job.Name}, &cm); err != nil {
		return err
	}
	if err := k.API.Get(ctx, client.ObjectKey{Namespace: k.Namespace, Name: v1alpha1.ResultName(job.Name, index)}, &out); err != nil {
		return err
	}
	if out.Annotations[v1alpha1.AnnotationReady] == "" {
		before := out.DeepCopy()
		metav1.SetMetaDataAnnotation(&out.ObjectMeta, v1alpha1.AnnotationReady, time.Now().Format(time.RFC3339Nano))
		return k.API.Patch(ctx, &out, client.MergeFrom(before))
	}
	var trial runner.Trial
	if err := json.Unmarshal([]byte(cm.Data[v1alpha1.KeyTrial]), &trial); err != nil {
		return err
	}
	if trial.Ref.Phase == string(runner.Run) && cm.Data[v1alpha1.KeyStart] == "" {
		return nil
	}
	trial.Ref.Client = index
	if index == 0 {
		k.mu.Lock()
		k.tool[job.Name]++
		k.mu.Unlock()
	}
	return k.deliver(ctx, pod, &out, k.Client(trial))
}

func (k *Kubelet) deliver(ctx context.Context, pod *corev1.Pod, out *corev1.ConfigMap, res *result.Result) error {
	terminated := &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error", FinishedAt: metav1.Now()}
	if res != nil {
		gz, err := result.Encode(*res)
		if err != nil {
			return err
		}
		before := out.DeepCopy()
		out.BinaryData = map[string][]byte{result.KeyResult: gz, result.KeyRaw: []byte("raw")}
		if err := k.API.Patch(ctx, out, client.MergeFrom(before)); err != nil {
			return err
		}
		end := result.Termination{Version: result.TerminationVersion, SHA256: result.Digest(gz), State: res.State}
		if res.Failure != nil {
			end.Reason, end.Message = res.Failure.Reason, res.Failure.Message
		}
		message, err := json.Marshal(end)
		if err != nil {
			return err
		}
		terminated.Message = string(message)
		if res.State == result.Succeeded {
			terminated.ExitCode, terminated.Reason = 0, "Completed"
		}
	}
	pod.Status.Phase = corev1.PodFailed
	if terminated.ExitCode == 0 {
		pod.Status.Phase = corev1.PodSucceeded
	}
	pod.Status.ContainerStatuses[0].State = corev1.ContainerState{Terminated: terminated}
	return k.API.Status().Update(ctx, pod)
}

// pod finds or creates the pod of an owner; it returns nil right after creating.
func (k *Kubelet) pod(ctx context.Context, owner client.Object, name string, tmpl corev1.PodTemplateSpec) (*corev1.Pod, error) {
	pod := &corev1.Pod{}
	err := k.API.Get(ctx, client.ObjectKey{Namespace: k.Namespace, Name: name}, pod)
	if err == nil {
		return pod, nil
	}
	if !apierrors.IsNotFound(err) {
		return nil, err
	}
	gvk, err := k.API.GroupVersionKindFor(owner)
	if err != nil {
		return nil, err
	}
	pod = &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: k.Namespace, Labels: tmpl.Labels, Annotations: tmpl.Annotations,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(owner, gvk)},
		},
		Spec: *tmpl.Spec.DeepCopy(),
	}
	pod.Spec.NodeName = firstNode(tmpl.Spec.Affinity)
	pod.Spec.ServiceAccountName = ""
	// A claim template is a volume of the pod once the controller has filled it in.
	if set, ok := owner.(*appsv1.StatefulSet); ok {
		for _, c := range set.Spec.VolumeClaimTemplates {
			pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: c.Name})
		}
	}
	if err := k.API.Create(ctx, pod); err != nil {
		return nil, fmt.Errorf("creating pod %s: %w", name, err)
	}
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()}}
	return nil, k.API.Status().Update(ctx, pod)
}

// firstNode is the first of the nodes that a pod may run on.
func firstNode(a *corev1.Affinity) string {
	return a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0].MatchFields[0].Values[0]
}

// sweep deletes pods whose owner is gone, as the garbage collector does.
func (k *Kubelet) sweep(ctx context.Context) error {
	var pods corev1.PodList
	if err := k.API.List(ctx, &pods, client.InNamespace(k.Namespace)); err != nil {
		return err
	}
	for i := range pods.Items {
		owner := metav1.GetControllerOf(&pods.Items[i])
		if owner == nil {
			continue
		}
		var obj client.Object = &batchv1.Job{}
		if owner.Kind == "StatefulSet" {
			obj = &appsv1.StatefulSet{}
		}
		err := k.API.Get(ctx, client.ObjectKey{Namespace: k.Namespace, Name: owner.Name}, obj)
		if err == nil && obj.GetUID() == owner.UID || client.IgnoreNotFound(err) != nil {
			continue
		}
		if err := k.API.Delete(ctx, &pods.Items[i], client.GracePeriodSeconds(0)); client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	return nil
}

package main

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/internal/ground/resources"
)

// database plays the StatefulSet controller and the kubelet with a server.
func (p *player) database(ctx context.Context, o client.Object) error {
	set := o.(*appsv1.StatefulSet)
	template := *set.Spec.Template.DeepCopy()
	// A claim template is a volume of the pod once the controller has filled it in.
	for _, c := range set.Spec.VolumeClaimTemplates {
		template.Spec.Volumes = append(template.Spec.Volumes, corev1.Volume{Name: c.Name})
	}
	pod, err := p.makePod(ctx, set, set.Name+"-0", template)
	if err != nil {
		return err
	}
	for _, ready := range []bool{false, true} { // a server needs a while
		pod.Status.Phase = corev1.PodRunning
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
			Name: resources.ServerContainer, Ready: ready, ImageID: "registry.example/mariadb@sha256:feed",
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}},
		}}
		if err := p.cluster.Status().Update(ctx, pod); err != nil {
			return err
		}
	}
	return p.patchStatus(ctx, set, `{"status":{"replicas":1,"readyReplicas":1,"availableReplicas":1,"currentReplicas":1}}`)
}

// clientPod plays the Job controller, the kubelet, and the agent in between.
func (p *player) clientPod(ctx context.Context, o client.Object) error {
	job := o.(*batchv1.Job)
	template := *job.Spec.Template.DeepCopy()
	metav1.SetMetaDataAnnotation(&template.ObjectMeta, batchv1.JobCompletionIndexAnnotation, "0")
	pod, err := p.makePod(ctx, job, job.Name+"-0-abcde", template)
	if err != nil {
		return err
	}
	begun := time.Now().UTC().Format(time.RFC3339)
	pod.Status.Phase = corev1.PodRunning
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{
		{Name: resources.AgentContainer, ImageID: "registry.example/agent@sha256:cafe", Ready: true, State: running},
		{Name: resources.RunnerContainer, ImageID: "registry.example/sysbench@sha256:beef", Ready: true, State: running},
	}
	if err := p.cluster.Status().Update(ctx, pod); err != nil {
		return err
	}
	// The Job controller waits a second for further changes.
	if err := p.patchStatus(ctx, job, fmt.Sprintf(`{"status":{"active":1,"ready":1,"terminating":0,"startTime":%q,"uncountedTerminatedPods":{}}}`, begun)); err != nil {
		return err
	}
	message, err := p.agent(ctx, job.Name, pod.Spec.NodeName)
	if err != nil {
		return err
	}
	pod.Status.Phase = corev1.PodSucceeded
	for i, message := range []string{message, ""} {
		pod.Status.ContainerStatuses[i].Ready = false
		pod.Status.ContainerStatuses[i].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			Reason: "Completed", Message: message, FinishedAt: metav1.Now(),
		}}
	}
	if err := p.cluster.Status().Update(ctx, pod); err != nil {
		return err
	}
	now := time.Now().UTC().Format(time.RFC3339)
	condition := func(kind batchv1.JobConditionType) string {
		return fmt.Sprintf(`{"type":%q,"status":"True","reason":"CompletionsReached","lastProbeTime":%q,"lastTransitionTime":%q}`, kind, now, now)
	}
	return p.patchStatus(ctx, job, fmt.Sprintf(
		`{"status":{"active":0,"ready":0,"succeeded":1,"completedIndexes":"0","completionTime":%q,"conditions":[%s,%s]}}`,
		now, condition(batchv1.JobSuccessCriteriaMet), condition(batchv1.JobComplete)))
}

// makePod makes a pod as its controller, the scheduler and the kubelet do it in
// turn, up to the pull of the image.
func (p *player) makePod(ctx context.Context, owner client.Object, name string, template corev1.PodTemplateSpec) (*corev1.Pod, error) {
	gvk, err := p.cluster.GroupVersionKindFor(owner)
	if err != nil {
		return nil, err
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: owner.GetNamespace(), Labels: template.Labels, Annotations: template.Annotations,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(owner, gvk)},
		},
		Spec: *template.Spec.DeepCopy(),
	}
	pod.Spec.ServiceAccountName = ""
	if err := p.cluster.Create(ctx, pod); err != nil {
		return nil, fmt.Errorf("creating pod %s: %w", name, err)
	}
	node := pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0].MatchFields[0].Values[0]
	binding := &corev1.Binding{Target: corev1.ObjectReference{Kind: "Node", Name: node}}
	if err := p.cluster.SubResource("binding").Create(ctx, pod, binding); err != nil {
		return nil, fmt.Errorf("binding pod %s: %w", name, err)
	}
	now := metav1.Now()
	patch := fmt.Sprintf(`{"status":{"phase":"Pending","startTime":%q,"containerStatuses":[{"name":%q,"image":"","imageID":"","ready":false,"restartCount":0,"state":{"waiting":{"reason":"ContainerCreating"}}}]}}`,
		now.UTC().Format(time.RFC3339), pod.Spec.Containers[0].Name)
	if err := p.cluster.Status().Patch(ctx, pod, client.RawPatch(types.StrategicMergePatchType, []byte(patch))); err != nil {
		return nil, fmt.Errorf("starting pod %s: %w", name, err)
	}
	return pod, nil
}

// sweep deletes the pod of a Job or StatefulSet that is gone, as the garbage
// collector and the kubelet do.
func (p *player) sweep(ctx context.Context, o client.Object) error {
	name := o.GetName() + "-0"
	if _, is := o.(*batchv1.Job); is {
		name += "-abcde"
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: o.GetNamespace(), Name: name}}
	return p.cluster.Delete(ctx, pod, client.GracePeriodSeconds(0))
}

func (p *player) patchStatus(ctx context.Context, o client.Object, patch string) error {
	o = o.DeepCopyObject().(client.Object)
	if err := p.cluster.Status().Patch(ctx, o, client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
		return fmt.Errorf("writing the status of %s: %w", o.GetName(), err)
	}
	return nil
}

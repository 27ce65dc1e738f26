package kubelet

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
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
)

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
	scheduled := corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()}
	if pod.Spec.NodeName == "" {
		scheduled.Status, scheduled.Reason, scheduled.Message = corev1.ConditionFalse, corev1.PodReasonUnschedulable, "0/2 nodes are available"
	}
	pod.Status.Conditions = []corev1.PodCondition{scheduled}
	return nil, k.API.Status().Update(ctx, pod)
}

func clientPodName(job *batchv1.Job, index int) string {
	return fmt.Sprintf("%s-%d-abcde", job.Name, index)
}

// firstNode is the first of the nodes that a pod may run on; empty for a placeholder, whose node somebody else has to make.
func firstNode(a *corev1.Affinity) string {
	if a.NodeAffinity == nil {
		return ""
	}
	return a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0].MatchFields[0].Values[0]
}

// sweep ends pods that were deleted, and those that nobody wants any more: as the
// kubelet, the StatefulSet controller and the garbage collector do.
func (k *Kubelet) sweep(ctx context.Context) error {
	var pods corev1.PodList
	if err := k.API.List(ctx, &pods, client.InNamespace(k.Namespace)); err != nil {
		return err
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		unwanted := pod.DeletionTimestamp != nil
		if !unwanted {
			var err error
			if unwanted, err = k.unwanted(ctx, pod); err != nil {
				return err
			}
		}
		if !unwanted {
			continue
		}
		if err := k.terminate(ctx, pod); err != nil {
			return err
		}
	}
	return nil
}

// unwanted says whether the owner of a pod is gone or has no replicas.
func (k *Kubelet) unwanted(ctx context.Context, pod *corev1.Pod) (bool, error) {
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return false, nil
	}
	var obj client.Object = &batchv1.Job{}
	if owner.Kind == "StatefulSet" {
		obj = &appsv1.StatefulSet{}
	}
	err := k.API.Get(ctx, client.ObjectKey{Namespace: k.Namespace, Name: owner.Name}, obj)
	if client.IgnoreNotFound(err) != nil {
		return false, err
	}
	set, isSet := obj.(*appsv1.StatefulSet)
	return err != nil || obj.GetUID() != owner.UID || isSet && stopped(set), nil
}

func stopped(set *appsv1.StatefulSet) bool {
	return set.Spec.Replicas != nil && *set.Spec.Replicas == 0
}

// terminate brings a pod one step nearer to its end.
func (k *Kubelet) terminate(ctx context.Context, pod *corev1.Pod) error {
	since, seen := k.dying[pod.UID]
	if !seen {
		since = time.Now()
		k.dying[pod.UID] = since
	}
	var options []client.DeleteOption
	switch {
	case time.Since(since) >= k.Linger:
		options = append(options, client.GracePeriodSeconds(0))
	case pod.DeletionTimestamp != nil:
		return nil
	}
	uid := pod.UID
	return client.IgnoreNotFound(k.API.Delete(ctx, pod, append(options, client.Preconditions{UID: &uid})...))
}

// stands says whether clients carry out one trial after the other.
func stands(of client.Object) bool { return of.GetLabels()[v1alpha1.LabelStanding] != "" }

// conclude the trial of a client: its pod ends, or says so in the result and waits for the next one.
func (k *Kubelet) conclude(ctx context.Context, pod *corev1.Pod, out *corev1.ConfigMap, terminated *corev1.ContainerStateTerminated) error {
	if told, err := contract.ParseTermination([]byte(terminated.Message)); stands(pod) && err == nil {
		told.At = &terminated.FinishedAt.Time
		before := out.DeepCopy()
		metav1.SetMetaDataAnnotation(&out.ObjectMeta, contract.AnnotationTold, string(told.Encode()))
		if err := k.API.Patch(ctx, out, client.MergeFrom(before)); err != nil || told.State == contract.Succeeded {
			return client.IgnoreNotFound(err)
		}
	}
	return k.end(ctx, pod, terminated)
}

// refuse ends a client whose result another pod has claimed.
func (k *Kubelet) refuse(ctx context.Context, pod *corev1.Pod, holder string) error {
	told := contract.Termination{
		Version: contract.TerminationVersion, State: contract.Failed, Reason: contract.ReasonAlreadyBegun, Message: "claimed by " + holder,
	}
	return k.end(ctx, pod, &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error", FinishedAt: metav1.Now(), Message: string(told.Encode())})
}

// imagesOf the containers of a client pod, as the container runtime names them.
func imagesOf(k *Kubelet, job *batchv1.Job) map[string]string {
	tool := "registry.example/sysbench@sha256:beef"
	if k.ToolImageID != nil {
		tool = k.ToolImageID(job)
	}
	return map[string]string{resources.AgentContainer: "registry.example/agent@sha256:cafe", resources.RunnerContainer: tool}
}

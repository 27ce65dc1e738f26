package podhealth

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// Others names the foreign pods on the node between from and to (namespace/name, sorted): pods
// that do not belong to the run with this UID. Pods of DaemonSets, static pods and the
// namespace kube-system belong to the node and are left out.
//
// A pod that started and was deleted in between is not found.
func Others(pods []corev1.Pod, runUID, node string, from, to time.Time) []string {
	var out []string
	for i := range pods {
		p := &pods[i]
		uid, ofRun := p.Labels[v1alpha1.LabelRunUID]
		own := ofRun && uid == runUID
		if p.Spec.NodeName == node && !own && !belongsToNode(p) && ranWithin(p, from, to) {
			out = append(out, p.Namespace+"/"+p.Name)
		}
	}
	slices.Sort(out)
	return out
}

func belongsToNode(p *corev1.Pod) bool {
	if _, mirror := p.Annotations[corev1.MirrorPodAnnotationKey]; mirror || p.Namespace == metav1.NamespaceSystem {
		return true
	}
	return slices.ContainsFunc(p.OwnerReferences, func(o metav1.OwnerReference) bool {
		return o.Kind == "Node" || (o.Kind == "DaemonSet" && o.Controller != nil && *o.Controller)
	})
}

// ranWithin starts when the kubelet accepted the pod, because the pull of its image disturbs
// too.
func ranWithin(p *corev1.Pod, from, to time.Time) bool {
	if p.Status.StartTime == nil || p.Status.StartTime.After(to) {
		return false
	}
	if p.Status.Phase != corev1.PodSucceeded && p.Status.Phase != corev1.PodFailed {
		return true
	}
	end, ran := endOf(p)
	return ran && !end.Before(from)
}

// endOf is the end of the last container of an ended pod; ran is false when no container ran,
// as in a pod that its kubelet refused.
func endOf(p *corev1.Pod) (end time.Time, ran bool) {
	for _, s := range slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses, p.Status.EphemeralContainerStatuses) {
		for _, t := range []*corev1.ContainerStateTerminated{s.State.Terminated, s.LastTerminationState.Terminated} {
			if t != nil {
				ran = true
				end = later(end, t.FinishedAt.Time)
			}
		}
	}
	if ran && end.IsZero() {
		// The kubelet did not see the end. The pod stopped being ready at this time at the
		// latest.
		for _, c := range p.Status.Conditions {
			end = later(end, c.LastTransitionTime.Time)
		}
	}
	return end, ran
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

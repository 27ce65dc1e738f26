package podhealth

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// Seen is a pod and its node, as far as somebody looked them up.
type Seen struct {
	// Pod is nil when it does not exist.
	Pod *corev1.Pod
	// Node that the pod is or was bound to; nil when it is gone or was not looked up.
	Node *corev1.Node
	// NodeKnown says that the node was looked up: without Node it is gone. To look it
	// up means to ask the API server: a cache may not know a new node yet.
	NodeKnown bool
}

// Reasons of the condition DisruptionTarget that have no constant in the API of
// Kubernetes (1.34: pkg/registry/core/pod/storage/eviction.go,
// pkg/controller/tainteviction, pkg/controller/podgc).
const (
	evictionByAPI          = "EvictionByEvictionAPI"
	deletionByTaintManager = "DeletionByTaintManager"
	deletionByPodGC        = "DeletionByPodGC"
)

// lostNode are the reasons in the status of a pod whose node went away or down.
var lostNode = map[string]string{
	// pkg/util/node: its kubelet does not answer.
	"NodeLost": "does not answer",
	// pkg/kubelet/nodeshutdown: ended by a shutdown in good order; not admitted during
	// one; and the first one's name before Kubernetes 1.22.
	"Terminated":   "was shut down",
	"NodeShutdown": "was shut down",
	"Shutdown":     "was shut down",
}

// evicted are the reasons in the status of a pod that its kubelet put out.
var evicted = map[string]string{
	// pkg/kubelet/eviction: the node is short of memory, disk or processes.
	"Evicted": "was evicted by its node",
	// pkg/kubelet/preemption: to make room for a critical pod.
	"Preempting": "had to make room for a critical pod",
}

// refused are the reasons in the status of a pod that its kubelet did not admit
// (pkg/kubelet/lifecycle, cm/admission, cm/topologymanager, cm/cpumanager), besides
// those that begin with refusedForWant.
var refused = map[string]bool{
	"UnexpectedAdmissionError": true, "NodeAffinity": true, "NodeName": true, "NodePorts": true, "TaintToleration": true,
	"TopologyAffinityError": true, "SMTAlignmentError": true, "AppArmor": true, "PodOSNotSupported": true,
	"PodOSSelectorNodeLabelDoesNotMatch": true, "SupplementalGroupsPolicyNotSupported": true, "InvalidNodeInfo": true,
	"UnknownReason": true,
}

// refusedForWant begins the reason of a pod that was not admitted for want of a
// resource, such as OutOfcpu.
const refusedForWant = "OutOf"

// disruption says what ended a pod from outside, or is about to. It does not judge
// a node that is only not ready: that may pass, see nodeLost.
func disruption(seen Seen) (Verdict, bool) {
	pod := seen.Pod
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue {
			return disrupted(seen, c), true
		}
	}
	return byStatus(pod)
}

func disrupted(seen Seen, c corev1.PodCondition) Verdict {
	pod := seen.Pod
	told := fmt.Sprintf("(%s: %s)", c.Reason, c.Message)
	switch c.Reason {
	case corev1.PodReasonPreemptionByScheduler:
		return outside(v1alpha1.ReasonPodEvicted, "pod %s was preempted by one of a higher priority %s: keep the node free for the run", pod.Name, told)
	case evictionByAPI:
		return outside(v1alpha1.ReasonPodEvicted, "pod %s was evicted, as kubectl drain does %s", pod.Name, told)
	case deletionByPodGC:
		return outside(v1alpha1.ReasonNodeLost, "node %s of pod %s is gone %s", pod.Spec.NodeName, pod.Name, told)
	case deletionByTaintManager:
		if state, bad := nodeState(seen); bad {
			return outside(v1alpha1.ReasonNodeLost, "node %s of pod %s %s %s", pod.Spec.NodeName, pod.Name, state, told)
		}
		return outside(v1alpha1.ReasonPodEvicted, "pod %s was evicted by a taint of node %s %s", pod.Name, pod.Spec.NodeName, told)
	}
	// TerminationByKubelet; the status says why.
	if v, known := byStatus(pod); known {
		return v
	}
	return outside(v1alpha1.ReasonPodEvicted, "pod %s was put out of node %s %s", pod.Name, pod.Spec.NodeName, told)
}

func byStatus(pod *corev1.Pod) (Verdict, bool) {
	reason := pod.Status.Reason
	told := fmt.Sprintf("(%s: %s)", reason, pod.Status.Message)
	ended := pod.Status.Phase == corev1.PodFailed
	switch {
	case lostNode[reason] != "":
		return outside(v1alpha1.ReasonNodeLost, "node %s of pod %s %s %s", pod.Spec.NodeName, pod.Name, lostNode[reason], told), true
	case evicted[reason] != "":
		return outside(v1alpha1.ReasonPodEvicted, "pod %s %s %s", pod.Name, evicted[reason], told), true
	case ended && (refused[reason] || strings.HasPrefix(reason, refusedForWant)):
		return outside(v1alpha1.ReasonPodRejected, "node %s refused pod %s %s", pod.Spec.NodeName, pod.Name, told), true
	case pod.Status.Phase == corev1.PodUnknown:
		return outside(v1alpha1.ReasonNodeLost, "the state of pod %s is not known: its node %s does not answer", pod.Name, pod.Spec.NodeName), true
	}
	return Verdict{}, false
}

func outside(reason, format string, args ...any) Verdict {
	return Verdict{State: Failed, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// nodeState says what is wrong with a node that is known; bad is false when nothing
// is.
func nodeState(seen Seen) (state string, bad bool) {
	if !seen.NodeKnown {
		return "", false
	}
	if seen.Node == nil {
		return "is gone", true
	}
	if c := readyCondition(seen.Node); c.Status != corev1.ConditionTrue {
		return fmt.Sprintf("is not ready (%s: %s)", c.Reason, c.Message), true
	}
	return "", false
}

// readyCondition of a node; one that has none yet has never been ready.
func readyCondition(node *corev1.Node) corev1.NodeCondition {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c
		}
	}
	return corev1.NodeCondition{LastTransitionTime: node.CreationTimestamp}
}

// nodeLost judges a node that does not come back: it is gone, or has not been ready
// for longer than patience. A node may miss that long while the API server is away;
// its pods go on meanwhile.
func nodeLost(seen Seen, patience time.Duration, now time.Time) (Verdict, bool) {
	state, bad := nodeState(seen)
	if !bad || seen.Pod == nil || seen.Pod.Spec.NodeName == "" {
		return Verdict{}, false
	}
	if seen.Node != nil && now.Sub(readyCondition(seen.Node).LastTransitionTime.Time) <= patience {
		return Verdict{}, false
	}
	return outside(v1alpha1.ReasonNodeLost, "node %s of pod %s %s", seen.Pod.Spec.NodeName, seen.Pod.Name, state), true
}

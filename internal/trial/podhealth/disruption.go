package podhealth

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// Seen is a pod and its node, as far as they were looked up.
type Seen struct {
	// Pod is nil when it does not exist.
	Pod *corev1.Pod
	// Node that the pod is or was bound to; nil when it is gone or was not looked up.
	Node *corev1.Node
	// NodeKnown: the node was looked up at the API server, because a cache may not have a new
	// node yet. Without Node it does not exist.
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

// lostNode are the reasons in the status of a pod whose node was lost or shut down.
var lostNode = map[string]string{
	// pkg/util/node: its kubelet does not answer.
	"NodeLost": "does not answer",
	// pkg/kubelet/nodeshutdown: ended by a graceful shutdown; not admitted during one; and the
	// first reason's name before Kubernetes 1.22.
	"Terminated":   "was shut down",
	"NodeShutdown": "was shut down",
	"Shutdown":     "was shut down",
}

// evicted are the reasons in the status of a pod that its kubelet evicted.
var evicted = map[string]string{
	// pkg/kubelet/eviction: the node is short of memory, disk or processes.
	"Evicted": "was evicted by its node",
	// pkg/kubelet/preemption: to make room for a critical pod.
	"Preempting": "had to make room for a critical pod",
}

// overLimit are parts of the messages of a kubelet that evicts a pod for its own limits of
// disk space (pkg/kubelet/eviction/helpers.go and eviction_manager.go): of an emptyDir, of the
// pod, and of a container.
var overLimit = []string{"exceeds the limit", "exceeds the total limit of containers", "exceeded its local ephemeral storage limit"}

// overItsDisk says whether a pod was evicted because it used more disk space than it may.
func overItsDisk(pod *corev1.Pod) bool {
	return pod.Status.Reason == "Evicted" && slices.ContainsFunc(overLimit, func(part string) bool {
		return strings.Contains(pod.Status.Message, part)
	})
}

// refused are the reasons in the status of a pod that its kubelet did not admit
// (pkg/kubelet/lifecycle, cm/admission, cm/topologymanager, cm/cpumanager), in addition to
// those with the prefix refusedForWant.
var refused = map[string]bool{
	"UnexpectedAdmissionError": true, "NodeAffinity": true, "NodeName": true, "NodePorts": true, "TaintToleration": true,
	"TopologyAffinityError": true, "SMTAlignmentError": true, "AppArmor": true, "PodOSNotSupported": true,
	"PodOSSelectorNodeLabelDoesNotMatch": true, "SupplementalGroupsPolicyNotSupported": true, "InvalidNodeInfo": true,
	"UnknownReason": true,
}

// refusedForWant is the prefix of the reasons of a pod that was not admitted because a
// resource ran out, such as OutOfcpu.
const refusedForWant = "OutOf"

// disruption returns what ended a pod from outside, or is about to. It ignores an unready
// node, which may recover: see nodeLost.
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
		return failed(v1alpha1.ReasonPodEvicted, "pod %s was preempted by one of a higher priority %s: keep the node free for the run", pod.Name, told)
	case evictionByAPI:
		return failed(v1alpha1.ReasonPodEvicted, "pod %s was evicted, as kubectl drain does %s", pod.Name, told)
	case deletionByPodGC:
		return failed(v1alpha1.ReasonNodeLost, "node %s of pod %s is gone %s", pod.Spec.NodeName, pod.Name, told)
	case deletionByTaintManager:
		if state, bad := nodeState(seen); bad {
			return failed(v1alpha1.ReasonNodeLost, "node %s of pod %s %s %s", pod.Spec.NodeName, pod.Name, state, told)
		}
		return failed(v1alpha1.ReasonPodEvicted, "pod %s was evicted by a taint of node %s %s", pod.Name, pod.Spec.NodeName, told)
	}
	// TerminationByKubelet; the status says why.
	if v, known := byStatus(pod); known {
		return v
	}
	return failed(v1alpha1.ReasonPodEvicted, "pod %s was evicted from node %s %s", pod.Name, pod.Spec.NodeName, told)
}

func byStatus(pod *corev1.Pod) (Verdict, bool) {
	reason := pod.Status.Reason
	told := fmt.Sprintf("(%s: %s)", reason, pod.Status.Message)
	ended := pod.Status.Phase == corev1.PodFailed
	switch {
	case lostNode[reason] != "":
		return failed(v1alpha1.ReasonNodeLost, "node %s of pod %s %s %s", pod.Spec.NodeName, pod.Name, lostNode[reason], told), true
	case overItsDisk(pod):
		return failed(v1alpha1.ReasonDiskLimitExceeded,
			"pod %s wrote more to the disk of its node than its limit %s: raise pods.disk in the operator's configuration, or write less", pod.Name, told), true
	case evicted[reason] != "":
		return failed(v1alpha1.ReasonPodEvicted, "pod %s %s %s", pod.Name, evicted[reason], told), true
	case ended && (refused[reason] || strings.HasPrefix(reason, refusedForWant)):
		return failed(v1alpha1.ReasonPodRejected, "node %s refused pod %s %s", pod.Spec.NodeName, pod.Name, told), true
	case pod.Status.Phase == corev1.PodUnknown:
		return failed(v1alpha1.ReasonNodeLost, "the state of pod %s is not known: its node %s does not answer", pod.Name, pod.Spec.NodeName), true
	}
	return Verdict{}, false
}

// failed is the verdict on a pod that will not go on.
func failed(reason, format string, args ...any) Verdict {
	return Verdict{State: Failed, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// nodeState describes the problem of a known node; bad is false without a problem.
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

// readyCondition of a node; a node without one has never been ready.
func readyCondition(node *corev1.Node) corev1.NodeCondition {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c
		}
	}
	return corev1.NodeCondition{LastTransitionTime: node.CreationTimestamp}
}

// nodeLost reports a lost node: it is deleted, or has been unready for longer than patience. A
// node can be unready for a while because the API server is unavailable; its pods then
// continue.
func nodeLost(seen Seen, patience time.Duration, now time.Time) (Verdict, bool) {
	state, bad := nodeState(seen)
	if !bad || seen.Pod == nil || seen.Pod.Spec.NodeName == "" {
		return Verdict{}, false
	}
	if seen.Node != nil && now.Sub(readyCondition(seen.Node).LastTransitionTime.Time) <= patience {
		return Verdict{}, false
	}
	return onNode(seen.Pod, state), true
}

// onNode is the verdict on a pod whose node is in a bad state.
func onNode(pod *corev1.Pod, state string) Verdict {
	return failed(v1alpha1.ReasonNodeLost, "node %s of pod %s %s", pod.Spec.NodeName, pod.Name, state)
}

package target

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// observe what really runs. What is not known now is as it was known before.
func (in room) observe(b resources.Target, pod *corev1.Pod) v1alpha1.TargetStatus {
	o := in.Run.TargetStatus(b.Spec.Name)
	o.Address = fmt.Sprintf("%s:%d", b.Address(), resources.DatabasePort)
	o.QOSClass = string(pod.Status.QOSClass)
	o.RestartCount = Restarts(pod)
	for _, c := range pod.Status.ContainerStatuses {
		if c.Name == resources.ServerContainer && c.ImageID != "" {
			o.ImageID = c.ImageID
		}
	}
	for _, c := range pod.Status.InitContainerStatuses {
		if c.ImageID != "" {
			o.AgentImageID = c.ImageID
		}
	}
	o.NodeName = cmp.Or(pod.Spec.NodeName, o.NodeName)
	return o
}

// nodesOf pods that the status does not describe yet. A node that is gone is left out.
func (in room) nodesOf(t v1alpha1.Target) []v1alpha1.NodeInfo {
	var names []string
	for _, b := range append([]resources.Target{resources.Primary(in.Run, t)}, resources.Further(in.Run, t)...) {
		if pod := in.Children.TargetPods[resources.NameOf(b)]; pod != nil && pod.Spec.NodeName != "" {
			names = append(names, pod.Spec.NodeName)
		}
	}
	return in.describe(names)
}

// describe the nodes of the list that the status does not describe yet.
func (in room) describe(names []string) []v1alpha1.NodeInfo {
	var out []v1alpha1.NodeInfo
	for _, name := range names {
		if slices.ContainsFunc(in.Run.Status.Nodes, func(n v1alpha1.NodeInfo) bool { return n.Name == name }) {
			continue
		}
		if node := in.ask.Node(name); node.Exists {
			out = append(out, v1alpha1.DescribeNode(node.Value))
		}
	}
	return out
}

// Restarts of the server of a database pod; nil when there is no pod.
func Restarts(pod *corev1.Pod) *int32 {
	if pod == nil {
		return nil
	}
	for _, c := range pod.Status.ContainerStatuses {
		if c.Name == resources.ServerContainer {
			return new(c.RestartCount)
		}
	}
	return nil
}

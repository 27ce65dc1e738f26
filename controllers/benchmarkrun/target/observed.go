package target

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/resources"
)

// Observed is what is known of the pods of a target, for its status. What is not known
// now is as it was known before.
type Observed struct {
	Address      string
	QOSClass     string
	Restarts     *int32
	ImageID      string
	AgentImageID string
	Node         *v1alpha1.NodeInfo
	Replicas     []v1alpha1.ReplicaStatus
}

// observedBefore is what the status of the last pass says.
func observedBefore(run *v1alpha1.BenchmarkRun, target string) Observed {
	st := run.TargetStatus(target)
	return Observed{
		Address: st.Address, QOSClass: st.QOSClass, Restarts: st.RestartCount, ImageID: st.ImageID, AgentImageID: st.AgentImageID,
		Node: st.NodeName, Replicas: st.Replicas,
	}
}

// Into puts what was observed into the status of the target.
func (o Observed) Into(st *v1alpha1.TargetStatus) {
	st.Address, st.QOSClass, st.RestartCount, st.ImageID, st.AgentImageID = o.Address, o.QOSClass, o.Restarts, o.ImageID, o.AgentImageID
	st.NodeName, st.Replicas = o.Node, o.Replicas
}

// observe what really runs.
func (in room) observe(b resources.Target, pod *corev1.Pod) Observed {
	o := observedBefore(in.Run, b.Spec.Name)
	o.Address = fmt.Sprintf("%s:%d", b.Address(), resources.DatabasePort)
	o.QOSClass = string(pod.Status.QOSClass)
	o.Restarts = Restarts(pod)
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
	if name := pod.Spec.NodeName; name != "" && (o.Node == nil || o.Node.Name != name) {
		if node := in.ask.Node(name); node.Exists {
			o.Node = new(v1alpha1.DescribeNode(node.Value))
		}
	}
	return o
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

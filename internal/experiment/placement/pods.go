package placement

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// Pod is one that a run has at some time, before it has a node.
type Pod struct {
	// Target is its name; empty for a client. Targets that run one at a time and share a node have one pod.
	Target string
	Shape  v1alpha1.InstanceShapeSpec
}

// Pods of a need that run at the same time, the targets first, each on a node of its own.
func (n Need) Pods() (out []Pod) {
	for _, u := range unitsOf(n) {
		out = append(out, Pod{Target: n.Targets[u.targets[0]].Name, Shape: u.shape(n)})
	}
	for range max(n.Clients, 1) {
		out = append(out, Pod{Shape: n.Client})
	}
	return out
}

// Least number of nodes that the pods of a need are on, where each target has a node of its own, with those of servers
// that others run.
func (n Need) Least() int {
	nodes := len(unitsOf(n))
	if n.Separate || nodes == 0 {
		nodes++
	}
	return nodes + len(n.Beside)
}

// Patience is how long a run with this need waits for nodes that are made for it; 0 when none of its shapes is provisioned.
func (n Need) Patience() time.Duration {
	longest := n.Client.ProvisionedWithin()
	for _, t := range n.Targets {
		longest = max(longest, t.Shape.ProvisionedWithin())
	}
	return longest
}

// CanGrow reports whether the run can be placed once nodes are made for its pods whose shape is provisioned, each with a node of its own.
// The others have to fit on nodes that are there.
func (c *Cluster) CanGrow(need Need) bool {
	if need.Patience() == 0 {
		return false
	}
	// Only pods for which nodes are made may use these.
	made := corev1.Taint{Key: "assay.dev/made", Effect: corev1.TaintEffectNoSchedule}
	grown := need
	grown.Targets = slices.Clone(need.Targets)
	tolerate := func(s *v1alpha1.InstanceShapeSpec) {
		if s.Nodes == v1alpha1.NodesProvisioned {
			s.Tolerations = append(slices.Clone(s.Tolerations), corev1.Toleration{Key: made.Key, Operator: corev1.TolerationOpExists})
		}
	}
	tolerate(&grown.Client)
	for i := range grown.Targets {
		tolerate(&grown.Targets[i].Shape)
	}
	nodes := make([]corev1.Node, 0, len(c.nodes))
	for _, n := range c.nodes {
		nodes = append(nodes, *n)
	}
	for i, p := range need.Pods() {
		if p.Shape.Nodes != v1alpha1.NodesProvisioned {
			continue
		}
		n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("made ", i), Labels: p.Shape.NodeSelector}}
		n.Spec.Taints = []corev1.Taint{made}
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		n.Status.Allocatable = p.Shape.Resources()
		nodes = append(nodes, n)
	}
	return NewCluster(nodes).possible(grown)
}

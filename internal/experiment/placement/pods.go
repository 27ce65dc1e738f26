package placement

import (
	"slices"
	"time"

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

// Least number of nodes that the pods of a need are on, where each target has a node of its own.
func (n Need) Least() int {
	nodes := len(unitsOf(n))
	if n.Separate || nodes == 0 {
		nodes++
	}
	return nodes
}

// Patience is how long a run with this need waits for nodes that are made for it; 0 when none of its shapes is provisioned.
func (n Need) Patience() time.Duration {
	longest := n.Client.ProvisionedWithin()
	for _, t := range n.Targets {
		longest = max(longest, t.Shape.ProvisionedWithin())
	}
	return longest
}

// CanGrow reports whether new nodes could help a run that cannot be placed: every shape without a node is one that is provisioned.
func (c *Cluster) CanGrow(need Need) bool {
	missing := func(s v1alpha1.InstanceShapeSpec) bool {
		return s.Nodes != v1alpha1.NodesProvisioned && c.offering(s).Len() == 0
	}
	return need.Patience() > 0 && !missing(need.Client) && !slices.ContainsFunc(need.Targets, func(t Target) bool { return missing(t.Shape) })
}

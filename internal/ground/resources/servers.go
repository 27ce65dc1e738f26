package resources

import (
	"fmt"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// Primary is what the objects of a target's primary are built from. The inputs of the run must be resolved.
func Primary(run *v1alpha1.BenchmarkRun, t v1alpha1.Target) Target {
	return Target{
		Run: run, Spec: t, Resolved: run.ResolvedTarget(t.Name),
		AgentImage: run.Status.Resolved.AgentImage, Node: run.PlacementOf(t.Name).NodeName,
	}
}

// Replicas are what the objects of a target's replicas are built from: those that have a node.
func Replicas(run *v1alpha1.BenchmarkRun, t v1alpha1.Target) []Target {
	var out []Target
	nodes := run.PlacementOf(t.Name).ReplicaNodeNames
	for i := range min(t.Replicas(), len(nodes)) {
		b := Primary(run, t)
		b.Replica, b.Node = new(i), nodes[i]
		out = append(out, b)
	}
	return out
}

// AgentAddress is host:port of the server's agent.
func (t Target) AgentAddress() string { return fmt.Sprintf("%s:%d", t.Address(), AgentPort) }

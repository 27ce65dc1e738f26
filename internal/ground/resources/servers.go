package resources

import (
	"fmt"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// Primary is what the objects of a target's primary are built from. The inputs of the run must be resolved.
func Primary(run *v1alpha1.BenchmarkRun, t v1alpha1.Target) Target {
	return Target{
		Run: run, Spec: t, Resolved: run.ResolvedTarget(t.Name),
		AgentImage: run.Status.Resolved.AgentImage, Node: run.PlacementOf(t.Name).NodeName,
	}
}

// Further are what the objects of a target's further servers are built from, its replicas or the servers of its tenants from the second on: those
// that have a node.
func Further(run *v1alpha1.BenchmarkRun, t v1alpha1.Target) []Target {
	var out []Target
	nodes := run.PlacementOf(t.Name).ReplicaNodeNames
	for i := range min(run.Spec.FurtherServers(t), len(nodes)) {
		b := Primary(run, t)
		b.Replica, b.Node = new(i), nodes[i]
		out = append(out, b)
	}
	return out
}

// FurtherName is the name of the objects of a further server of a target, by its index.
func FurtherName(run string, t v1alpha1.Target, index int) string {
	if t.OwnServers() {
		return contract.TenantServerName(run, t.Name, tenantOf(index))
	}
	return contract.ReplicaName(run, t.Name, index)
}

// tenantOf a further server: the first tenant has the first server.
func tenantOf(index int) int { return index + 2 }

// OfTenant is the server of a tenant, from 1, in a target in which each has one.
func OfTenant(run *v1alpha1.BenchmarkRun, t v1alpha1.Target, tenant int) Target {
	b := Primary(run, t)
	if tenant > 1 {
		b.Replica = new(tenant - tenantOf(0))
	}
	return b
}

// AgentAddress is host:port of the server's agent.
func (t Target) AgentAddress() string { return fmt.Sprintf("%s:%d", t.Address(), AgentPort) }

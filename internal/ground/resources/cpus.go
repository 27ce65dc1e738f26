package resources

import (
	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// CPUs divides those of the machines that a target shares with clients; nil where it shares none, or the spec wants no division.
// Of several targets that share one the largest counts, so that the clients have the same CPUs with each of them.
func CPUs(run *v1alpha1.BenchmarkRun, target string) *contract.CPUs {
	machines := run.PlacementOf(target).SharedMachines
	if run.Spec.Design.CPUs != v1alpha1.CPUsApart || len(machines) == 0 {
		return nil
	}
	client := run.Status.Resolved.ClientShape
	out := contract.CPUs{Machines: machines, Clients: max(1, client.CPU.MilliValue()*int64(run.ClientCount()))}
	for _, t := range run.Provided() {
		if len(run.PlacementOf(t.Name).SharedMachines) == 0 {
			continue
		}
		out.Servers = max(1, out.Servers, run.ResolvedTarget(t.Name).Shape.CPU.MilliValue()*int64(1+t.Replicas()))
	}
	return &out
}

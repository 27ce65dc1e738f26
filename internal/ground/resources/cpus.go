package resources

import (
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// CPUs of the machines that servers of the run share with clients; nil where they share none, or the spec leaves them to the kernel.
// The ratio of a division is that of what a target with all its servers, and all clients, ask for together. It is the same for all targets,
// that of the largest that shares a machine, so that the clients have the same CPUs with each of them, external ones included.
func CPUs(run *v1alpha1.BenchmarkRun) *contract.CPUs {
	asked := run.Spec.Design.CPUs
	if asked != v1alpha1.CPUsApart && asked != v1alpha1.CPUsTogether || run.Status.Placement == nil {
		return nil
	}
	client := run.Status.Resolved.ClientShape
	out := contract.CPUs{Together: asked == v1alpha1.CPUsTogether, Servers: 1, Clients: max(1, client.CPU.MilliValue()*int64(run.ClientCount()))}
	for _, t := range run.Provided() {
		if machines := run.PlacementOf(t.Name).SharedMachines; len(machines) > 0 {
			out.Machines = append(out.Machines, machines...)
			out.Servers = max(out.Servers, run.ResolvedTarget(t.Name).Shape.CPU.MilliValue()*int64(1+run.Spec.FurtherServers(t)))
		}
	}
	if len(out.Machines) == 0 {
		return nil
	}
	slices.Sort(out.Machines)
	out.Machines = slices.Compact(out.Machines)
	return &out
}

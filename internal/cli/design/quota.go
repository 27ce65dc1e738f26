package design

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/mathematics/figure"
)

// quotaWarnings are about servers and clients that may use up the CPU limit of their shape. In a closed loop each thread keeps up to one
// CPU busy at either end: some half of its time at each, as measured for short reads (docs/evidence/resolution.md, "Both ends on one CPU").
// So a client wants half a CPU for each thread, a server as much for a single one, and for more a CPU each, because their statements meet.
// Not known are shapes that are only named here, and what a custom tool does; both ends on one CPU have no more than that between them.
func quotaWarnings(run *v1alpha1.BenchmarkRun, f experiment.Foreseen) (out []string) {
	const half = 0.5
	if f.Threads == 0 || run.Spec.Workload.Custom != nil || run.Spec.Design.CPUs == v1alpha1.CPUsTogether {
		return nil
	}
	warn := func(field, end string, shape *v1alpha1.ShapeRef, threads int64, wanted float64) {
		if shape == nil || shape.Inline == nil || shape.Inline.CPU.AsApproximateFloat64() >= wanted {
			return
		}
		remedies := []string{fmt.Sprintf("give it cpu: %q", strconv.FormatFloat(wanted, 'f', -1, 64))}
		if threads > 1 {
			remedies = append(remedies, "use fewer threads")
		}
		if f.Rate != "" {
			remedies = append(remedies, "offer a rate")
		}
		out = append(out, fmt.Sprintf("%s.shape.inline.cpu: %s for %s: a %s at its CPU limit waits for the next period of 100 ms, and the run "+
			"measures that wait; %s", field, shape.Inline.CPU.String(), figure.Counted(threads, "thread"), end, strings.Join(remedies, ", or ")))
	}
	for i, t := range run.Spec.Targets {
		threads := f.Threads / int64(run.Spec.ServersOf(t))
		server := float64(threads)
		if threads == 1 {
			server = half
		}
		warn(fmt.Sprintf("spec.targets[%d]", i), "server", t.Shape, threads, server)
	}
	each := f.Threads / int64(run.Spec.MeasuringClients())
	warn("spec.clients", "client", run.Spec.Clients.Shape, each, half*float64(each))
	return out
}

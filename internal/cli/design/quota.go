package design

import (
	"fmt"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/experiment"
)

// quotaWarnings are about servers that may use up the CPU limit of their shape: each connection keeps up to one CPU busy in a closed
// loop. A single one takes turns with its client, and shapes that are only named here are not known.
func quotaWarnings(run *v1alpha1.BenchmarkRun, f experiment.Foreseen) (out []string) {
	if f.OpenLoop || f.Connections < 2 {
		return nil
	}
	for i, t := range run.Spec.Targets {
		if t.Shape == nil || t.Shape.Inline == nil || t.Shape.Inline.CPU.AsApproximateFloat64() >= float64(f.Connections) {
			continue
		}
		out = append(out, fmt.Sprintf("spec.targets[%d].shape.inline.cpu: %d connections can keep %d CPUs busy, and the shape has %s: a server that uses up its limit waits for the "+
			"kernel's next period of 100 ms, and the run measures that; more CPUs, fewer threads, or an offered rate leave room",
			i, f.Connections, f.Connections, t.Shape.Inline.CPU.String()))
	}
	return out
}

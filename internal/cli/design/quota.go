package design

import (
	"fmt"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/experiment"
)

// quotaWarnings are about servers that may use up the CPU limit of their shape: each thread of the clients keeps up to one CPU busy in a
// closed loop. A single one takes turns with its client, and shapes that are only named here are not known.
func quotaWarnings(run *v1alpha1.BenchmarkRun, f experiment.Foreseen) (out []string) {
	if f.Threads < 2 {
		return nil
	}
	for i, t := range run.Spec.Targets {
		if t.Shape == nil || t.Shape.Inline == nil || t.Shape.Inline.CPU.AsApproximateFloat64() >= float64(f.Threads) {
			continue
		}
		out = append(out, fmt.Sprintf("spec.targets[%d].shape.inline.cpu: %s for %d threads: a server at its CPU limit waits for the next period of 100 ms, and the run "+
			"measures that wait; give it %d CPUs, use fewer threads, or offer a rate", i, t.Shape.Inline.CPU.String(), f.Threads, f.Threads))
	}
	return out
}

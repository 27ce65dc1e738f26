// Package plan turns the spec of a run into the ordered list of its trials: a pure
// function, the same list for the same spec, every time.
package plan

import (
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// Trial is one execution of the workload on one target in one block.
type Trial struct {
	// Index in the plan, from 0.
	Index int32
	// Block is the repetition, from 0.
	Block int32
	// Target is the name of the target.
	Target string
}

// New lists the trials of a spec: block after block, and in each block every
// target once, in the order of the spec.
func New(spec v1alpha1.BenchmarkRunSpec) []Trial {
	trials := make([]Trial, 0, int(spec.Design.Blocks)*len(spec.Targets))
	for block := range spec.Design.Blocks {
		for _, t := range spec.Targets {
			trials = append(trials, Trial{Index: int32(len(trials)), Block: block, Target: t.Name})
		}
	}
	return trials
}

// Measuring is how long one trial loads its target: warm-up and measured window.
func Measuring(d v1alpha1.Design) time.Duration {
	return d.Warmup.Duration + d.Duration.Duration
}

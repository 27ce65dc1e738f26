// Package plan turns the spec of a run into the ordered list of its trials: a pure
// function, the same list for the same spec and seed, byte for byte, every time.
//
//	plan.go    the plan, and what it refuses
//	cells.go   the matrix: every combination of the axes but the excluded ones
//	order.go   the order of the trials
package plan

import (
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// MaxTrials of one run.
const MaxTrials = 20000

// Plan is the ordered list of the trials of a run.
type Plan struct {
	// Seed of the order.
	Seed int64 `json:"seed"`
	// Order of the trials.
	Order v1alpha1.TrialOrder `json:"order"`
	// Targets in the order of the spec.
	Targets []string `json:"targets"`
	// Cells in the order of the matrix, the last axis running fastest; one without
	// parameters when there is no matrix.
	Cells []Cell `json:"cells"`
	// Trials in the order in which they are run.
	Trials []Trial `json:"trials"`
}

// Cell is one combination of the values of the axes.
type Cell map[string]intstr.IntOrString

// Trial is one execution of one cell on one target in one block. The names are
// short because a plan has up to 20,000 of them.
type Trial struct {
	// Index in the plan, from 0.
	Index int32 `json:"i"`
	// Block is the repetition, from 0.
	Block int32 `json:"b"`
	// Cell is the index into Plan.Cells.
	Cell int32 `json:"c"`
	// Target is the index into Plan.Targets.
	Target int32 `json:"t"`
	// Reset: the data is put back before the trial.
	Reset bool `json:"r,omitempty"`
}

// Measuring is how long one trial loads its target: warm-up and measured window.
func Measuring(d v1alpha1.Design) time.Duration {
	return d.Warmup.Duration + d.Duration.Duration
}

package v1alpha1

import (
	"cmp"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Defaults of the design that depend on the workload. Those of all others stand in the schema.
const (
	// DefaultWarmup and DefaultDuration are for tools that make one measurement in a trial.
	DefaultWarmup   = 30 * time.Second
	DefaultDuration = 300 * time.Second
	// DefaultDriversWarmup and DefaultDriversDuration are for drivers, which make hundreds.
	DefaultDriversWarmup   = 500 * time.Millisecond
	DefaultDriversDuration = 2 * time.Second
	// DefaultRounds and DefaultWarmupRounds are for benchmarks of drivers that are measured by rounds.
	DefaultRounds       int32 = 3
	DefaultWarmupRounds int32 = 1
)

// SetDefaults fills in what the schema cannot: the fields of the design whose defaults depend on others, and the
// target of analysis.control. Afterwards blocks, warmup and duration are there, and with drivers rounds and warmupRounds too.
func (s *BenchmarkRunSpec) SetDefaults() {
	s.addControl()
	d := &s.Design
	if d.Blocks == 0 && (d.Precision != "" || d.Within != nil) {
		d.Blocks = DefaultMostBlocks
	}
	d.Blocks = cmp.Or(d.Blocks, DefaultBlocks)
	warmup, duration := DefaultWarmup, DefaultDuration
	if s.Workload.Drivers != nil {
		warmup, duration = DefaultDriversWarmup, DefaultDriversDuration
		if d.Rounds == nil {
			d.Rounds = new(DefaultRounds)
		}
		if d.WarmupRounds == nil {
			d.WarmupRounds = new(DefaultWarmupRounds)
		}
	}
	if d.Warmup == nil {
		d.Warmup = &metav1.Duration{Duration: warmup}
	}
	if d.Duration == nil {
		d.Duration = &metav1.Duration{Duration: duration}
	}
}

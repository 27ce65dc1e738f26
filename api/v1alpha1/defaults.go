package v1alpha1

import (
	"cmp"
	"slices"
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
// target of analysis.control. Afterwards blocks, starts, cpus, clientPods, warmup and duration are there, and with drivers rounds and warmupRounds too.
func (s *BenchmarkRunSpec) SetDefaults() {
	s.addControl()
	d := &s.Design
	d.Blocks = d.BlockCount()
	if d.Starts == "" {
		d.Starts = StartsOne
		if s.comparesServers() {
			d.Starts = StartsPerBlock
		}
	}
	if p := &s.Clients.Placement; p.SeparateFromTargets == "" && s.Clients.Shape != nil {
		p.SeparateFromTargets = SeparationRequired
	}
	d.CPUs = cmp.Or(d.CPUs, CPUsFree)
	d.ClientPods = cmp.Or(d.ClientPods, ClientPodsPerTrial)
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
	if s.Tenants == 1 {
		s.Tenants = 0 // the same, in one spelling
	}
	switch d.Measures {
	case MeasuresLoad:
		warmup = 0
	case MeasuresRun:
		d.Measures = "" // which means the same, in one spelling for hashes and comparisons of specs
	}
	if d.Warmup == nil {
		d.Warmup = &metav1.Duration{Duration: warmup}
	}
	if d.Duration == nil {
		d.Duration = &metav1.Duration{Duration: duration}
	}
}

// comparesServers says whether the run compares targets, and Assay starts all of them.
func (s *BenchmarkRunSpec) comparesServers() bool {
	external := slices.ContainsFunc(s.Targets, func(t Target) bool { return t.External != nil })
	return !external && s.Analysis != nil && slices.ContainsFunc(s.Analysis.Comparisons, func(c Comparison) bool { return c.Factor == FactorTarget })
}

// RestartsServers says whether a server is started again during the run, by the trials or because it was stopped meanwhile.
// The spec has its defaults (SetDefaults).
func (s *BenchmarkRunSpec) RestartsServers() bool {
	d := s.Design
	return d.Starts == StartsPerBlock || d.DataReset == ResetPerBlock || d.DataReset == ResetPerTrial || d.IdleTargets == IdleStopped || s.VariesSettings(ApplyRestart)
}

package v1alpha1

import "cmp"

// TrialOrder is the order of the trials of a run.
// +kubebuilder:validation:Enum=RandomizedBlocks;ABBA;Sequential
type TrialOrder string

// Orders of trials.
const (
	OrderRandomizedBlocks TrialOrder = "RandomizedBlocks"
	OrderABBA             TrialOrder = "ABBA"
	OrderSequential       TrialOrder = "Sequential"
)

// Numbers of blocks.
const (
	// DefaultBlocks of a run that measures a number of blocks.
	DefaultBlocks = 10
	// DefaultMostBlocks of a run with design.precision or design.within.
	DefaultMostBlocks = 200
	// MostBlocks is the bound of design.blocks.
	MostBlocks = 400
)

// BlockCount is the number of blocks, or the most of them, also where the spec leaves that to the defaults.
func (d Design) BlockCount() int32 {
	if d.Blocks == 0 && (d.Precision != "" || d.Within != nil) {
		return DefaultMostBlocks
	}
	return cmp.Or(d.Blocks, DefaultBlocks)
}

// Measures says which phase of the workload the trials of a run measure.
// +kubebuilder:validation:Enum=Run;Load
type Measures string

// Phases that trials measure.
const (
	MeasuresRun  Measures = "Run"
	MeasuresLoad Measures = "Load"
)

// MeasuresLoad says that each trial measures one load of the data.
func (d Design) MeasuresLoad() bool { return d.Measures == MeasuresLoad }

// DataReset selects when the loaded data is restored.
// +kubebuilder:validation:Enum=PerRun;PerBlock;PerTrial
type DataReset string

// Resets of the data.
const (
	ResetPerRun   DataReset = "PerRun"
	ResetPerBlock DataReset = "PerBlock"
	ResetPerTrial DataReset = "PerTrial"
)

// Starts is how often a server is started.
// +kubebuilder:validation:Enum=PerBlock;One
type Starts string

// Starts of servers.
const (
	StartsPerBlock Starts = "PerBlock"
	StartsOne      Starts = "One"
)

// IdleTargets is the state of the targets that are not being measured.
// +kubebuilder:validation:Enum=Running;Stopped
type IdleTargets string

// States of idle targets.
const (
	IdleRunning IdleTargets = "Running"
	IdleStopped IdleTargets = "Stopped"
)

// CPUs says which CPUs servers and clients on one machine run on.
// +kubebuilder:validation:Enum=Apart;Free;Together
type CPUs string

// CPUs of servers and clients on one machine.
const (
	CPUsApart    CPUs = "Apart"
	CPUsFree     CPUs = "Free"
	CPUsTogether CPUs = "Together"
)

// ClientPods says how long the client pods of a run stay.
// +kubebuilder:validation:Enum=PerTrial;Standing
type ClientPods string

// Stays of client pods.
const (
	ClientPodsPerTrial ClientPods = "PerTrial"
	ClientPodsStanding ClientPods = "Standing"
)

// TrialFailurePolicy is the reaction to a failed trial.
// +kubebuilder:validation:Enum=Stop;Continue;Retry
type TrialFailurePolicy string

// Reactions to a failed trial.
const (
	OnFailureStop     TrialFailurePolicy = "Stop"
	OnFailureContinue TrialFailurePolicy = "Continue"
	OnFailureRetry    TrialFailurePolicy = "Retry"
)

// StopsItself says whether the run decides after its blocks whether another one follows.
func (d Design) StopsItself() bool {
	return d.Precision != "" || d.Within != nil || d.ReserveBlocks > 0
}

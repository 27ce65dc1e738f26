package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Phase is where a run stands, for people. Programs read the conditions.
type Phase string

// Phases of a run.
const (
	PhasePending      Phase = "Pending"
	PhaseSuspended    Phase = "Suspended"
	PhaseProvisioning Phase = "Provisioning"
	PhaseLoading      Phase = "Loading"
	PhaseMeasuring    Phase = "Measuring"
	PhaseCleaning     Phase = "Cleaning"
	PhaseComplete     Phase = "Complete"
	PhaseFailed       Phase = "Failed"
)

// BenchmarkRunStatus is where a run stands and what it found.
type BenchmarkRunStatus struct {
	// ObservedGeneration is the generation of the spec that this status describes.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// Phase is a one-word summary for people.
	// +optional
	Phase Phase `json:"phase,omitempty"`

	// Conditions of the run; see docs/conditions.md for the meaning of each.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// StartTime is when the run was accepted; the deadline counts from here.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`

	// FinishTime is when the run became Complete or Failed.
	// +optional
	FinishTime *metav1.Time `json:"finishTime,omitempty"`

	// SuspendedAt is since when the run is suspended.
	// +optional
	SuspendedAt *metav1.Time `json:"suspendedAt,omitempty"`

	// SuspendedFor is the time spent suspended before SuspendedAt; it does not
	// count towards the deadline.
	// +optional
	SuspendedFor *metav1.Duration `json:"suspendedFor,omitempty"`

	// Headline is the median of the main measurement of the first target, for
	// people, such as "1234.5 tx/s (n=3)".
	// +optional
	Headline string `json:"headline,omitempty"`

	// Progress of the trials.
	// +optional
	Progress Progress `json:"progress,omitempty"`

	// Resolved pins what the spec's references meant when the run was accepted.
	// +optional
	Resolved *Resolved `json:"resolved,omitempty"`

	// Targets are the databases as they really ran.
	// +optional
	// +listType=map
	// +listMapKey=name
	Targets []TargetStatus `json:"targets,omitempty"`

	// Trials that have begun, in the order of the plan.
	// +optional
	// +listType=map
	// +listMapKey=index
	Trials []TrialStatus `json:"trials,omitempty"`

	// Summary of the succeeded trials per target and measurement.
	// +optional
	// +listType=atomic
	Summary []SummaryEntry `json:"summary,omitempty"`

	// Findings of the validity checks. A finding with severity Invalid makes the
	// condition Valid False.
	// +optional
	// +listType=atomic
	Findings []Finding `json:"findings,omitempty"`
}

// Progress of a run.
type Progress struct {
	// Planned number of trials.
	// +optional
	Planned int32 `json:"planned"`
	// Done is the number of trials that have ended.
	// +optional
	Done int32 `json:"done"`
	// Text is "done/planned", for people.
	// +optional
	Text string `json:"text,omitempty"`
	// CurrentTrial is the index of the trial that is running.
	// +optional
	CurrentTrial *int32 `json:"currentTrial,omitempty"`
	// EstimatedEnd of the last trial, from the spec's durations and the pace so
	// far.
	// +optional
	EstimatedEnd *metav1.Time `json:"estimatedEnd,omitempty"`
}

// Resolved pins the inputs of a run.
type Resolved struct {
	// ClientShape that the clients got.
	ClientShape InstanceShapeSpec `json:"clientShape"`
	// AgentImage in the database pods.
	AgentImage string `json:"agentImage"`
	// RunnerImage of the client pods.
	RunnerImage string `json:"runnerImage"`
	// Targets, in the order of the spec.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	Targets []ResolvedTarget `json:"targets"`
}

// ResolvedTarget pins the inputs of a target.
type ResolvedTarget struct {
	// Name of the target.
	Name string `json:"name"`
	// Shape of the database pod; absent for an external target.
	// +optional
	Shape *InstanceShapeSpec `json:"shape,omitempty"`
	// Image of the database server; absent for an external target.
	// +optional
	Image string `json:"image,omitempty"`
	// Settings of the server: those of configFrom and config, merged.
	// +optional
	// +listType=atomic
	Settings []ServerSetting `json:"settings,omitempty"`
}

// ServerSetting is one setting of a server.
type ServerSetting struct {
	// Name as in my.cnf.
	Name string `json:"name"`
	// Value; empty for a setting without one.
	// +optional
	Value string `json:"value,omitempty"`
}

// TargetStatus is a database as it really ran.
type TargetStatus struct {
	// Name of the target.
	Name string `json:"name"`
	// Address that clients connect to.
	// +optional
	Address string `json:"address,omitempty"`
	// Image as the container runtime resolved it, by digest.
	// +optional
	ImageID string `json:"imageID,omitempty"`
	// Node that the database pod runs on.
	// +optional
	Node *NodeInfo `json:"node,omitempty"`
	// ServerVersion as SELECT VERSION() answered.
	// +optional
	ServerVersion string `json:"serverVersion,omitempty"`
	// Restarts of the database container.
	// +optional
	Restarts *int32 `json:"restarts,omitempty"`
	// LoadResult is the ConfigMap with the result of loading the data.
	// +optional
	LoadResult string `json:"loadResult,omitempty"`
	// CleanupResult is the ConfigMap with the result of dropping the workload's
	// tables; only for an external target.
	// +optional
	CleanupResult string `json:"cleanupResult,omitempty"`
}

// NodeInfo is what a node says of itself.
type NodeInfo struct {
	// Name of the node.
	Name string `json:"name"`
	// InstanceType is the label node.kubernetes.io/instance-type.
	// +optional
	InstanceType string `json:"instanceType,omitempty"`
	// KernelVersion of the node.
	// +optional
	KernelVersion string `json:"kernelVersion,omitempty"`
	// Architecture of the node.
	// +optional
	Architecture string `json:"architecture,omitempty"`
}

// TrialState is how a trial stands.
// +kubebuilder:validation:Enum=Running;Succeeded;Failed
type TrialState string

// Trial states.
const (
	TrialRunning   TrialState = "Running"
	TrialSucceeded TrialState = "Succeeded"
	TrialFailed    TrialState = "Failed"
)

// TrialStatus is one trial that has begun.
type TrialStatus struct {
	// Index in the plan, from 0.
	Index int32 `json:"index"`
	// Block is the repetition, from 0.
	Block int32 `json:"block"`
	// Target that was measured.
	Target string `json:"target"`
	// State of the trial.
	State TrialState `json:"state"`
	// Reason of a failure, from the list in docs/conditions.md.
	// +optional
	Reason string `json:"reason,omitempty"`
	// Message of a failure.
	// +optional
	Message string `json:"message,omitempty"`
	// Valid is false when the result contradicts itself: such a trial is kept,
	// and not part of the summary. Absent until the result was checked.
	// +optional
	Valid *bool `json:"valid,omitempty"`
	// Node that the client pod ran on.
	// +optional
	Node string `json:"node,omitempty"`
	// ClientImageID is the runner's image as the container runtime resolved it.
	// +optional
	ClientImageID string `json:"clientImageID,omitempty"`
	// MeasureStarted is the start of the measured window, on the client's clock.
	// +optional
	MeasureStarted *metav1.MicroTime `json:"measureStarted,omitempty"`
	// MeasureEnded is the end of the measured window, on the client's clock.
	// +optional
	MeasureEnded *metav1.MicroTime `json:"measureEnded,omitempty"`
	// Values of the runner's main measurements.
	// +optional
	// +listType=atomic
	Values []Value `json:"values,omitempty"`
	// Result is the ConfigMap with the whole result and the raw output.
	// +optional
	Result string `json:"result,omitempty"`
}

// Value is one measured number. A number that was not measured has no entry.
type Value struct {
	// Name of the measurement, such as throughput.
	Name string `json:"name"`
	// Value as a decimal number.
	Value string `json:"value"`
	// Unit such as tx/s or ms.
	Unit string `json:"unit"`
	// Direction is HigherIsBetter or LowerIsBetter; absent for plain facts.
	// +optional
	Direction string `json:"direction,omitempty"`
}

// SummaryEntry is one measurement of one target over all its valid trials.
type SummaryEntry struct {
	// Target that was measured.
	Target string `json:"target"`
	// Name of the measurement, such as throughput.
	Name string `json:"name"`
	// Unit such as tx/s or ms.
	Unit string `json:"unit"`
	// Direction is HigherIsBetter or LowerIsBetter.
	// +optional
	Direction string `json:"direction,omitempty"`
	// Median of the trials.
	Median string `json:"median"`
	// Min of the trials.
	Min string `json:"min"`
	// Max of the trials.
	Max string `json:"max"`
	// IntervalLow is the lower end of the distribution-free interval of the
	// median (confidence at least 95 %); absent for fewer than 6 trials.
	// +optional
	IntervalLow string `json:"intervalLow,omitempty"`
	// IntervalHigh is the upper end of that interval.
	// +optional
	IntervalHigh string `json:"intervalHigh,omitempty"`
	// N is the number of trials behind the median.
	N int32 `json:"n"`
}

// Finding is what a validity check found.
type Finding struct {
	// Trial is the index of the trial that the finding is about.
	// +optional
	Trial *int32 `json:"trial,omitempty"`
	// Target that the finding is about.
	// +optional
	Target string `json:"target,omitempty"`
	// Check that found it.
	Check string `json:"check"`
	// Severity is Invalid (the number must not be used) or Warning.
	// +kubebuilder:validation:Enum=Invalid;Warning
	Severity string `json:"severity"`
	// Message with the numbers that contradict each other.
	Message string `json:"message"`
}

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// TrialState is the state of an attempt at a trial.
// +kubebuilder:validation:Enum=Running;Succeeded;Failed
type TrialState string

// Trial states.
const (
	TrialRunning   TrialState = "Running"
	TrialSucceeded TrialState = "Succeeded"
	TrialFailed    TrialState = "Failed"
)

// TrialStatus is one attempt at a trial that has begun.
type TrialStatus struct {
	// index in the plan, from 0.
	// +required
	// +kubebuilder:validation:Minimum=0
	Index int32 `json:"index"`
	// attempt at the trial; absent for the first, 1 and more only with
	// onTrialFailure: Retry.
	// +optional
	// +kubebuilder:validation:Minimum=1
	Attempt int32 `json:"attempt,omitempty"`
	// block is the repetition, from 0.
	// +required
	// +kubebuilder:validation:Minimum=0
	Block int32 `json:"block"`
	// cell is the index of the cell in the plan, from 0.
	// +required
	// +kubebuilder:validation:Minimum=0
	Cell int32 `json:"cell"`
	// parameters are the values of the cell, by the names of the axes.
	// +optional
	// +kubebuilder:validation:MaxProperties=9
	Parameters map[string]intstr.IntOrString `json:"parameters,omitempty"`
	// target that was measured.
	// +required
	Target string `json:"target"`
	// state of the attempt.
	// +required
	State TrialState `json:"state"`
	// reason of a failure, from the list in docs/reference/conditions.md.
	// +optional
	Reason string `json:"reason,omitempty"`
	// message of a failure.
	// +optional
	Message string `json:"message,omitempty"`
	// valid is false when the result contradicts itself: such a trial is kept,
	// and not part of the summary. Absent until the result was checked.
	// +optional
	Valid *bool `json:"valid,omitempty"`
	// disturbed is true when there was interference during the measured window: such a
	// trial is kept, and not part of the summary.
	// +optional
	Disturbed bool `json:"disturbed,omitempty"`
	// limitedBy names the limits that the trial ran into by its own work, at most one entry
	// for each. They are part of the result, and no reason to leave it out.
	// +optional
	// +listType=map
	// +listMapKey=by
	// +kubebuilder:validation:MaxItems=4
	LimitedBy []Limit `json:"limitedBy,omitempty"`
	// saturated is true when the target did not keep up with the rate of an open loop: the
	// latencies then grow with the length of the window, and are no steady-state figures.
	// +optional
	Saturated bool `json:"saturated,omitempty"`
	// machineSpeed of the nodes of the trial, measured by a short fixed kernel just before
	// the trial; an entry for each side and kernel.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	MachineSpeed []MachineSpeed `json:"machineSpeed,omitempty"`
	// clientNodeNames are the nodes that the client pods ran on, in the order of the clients.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	ClientNodeNames []string `json:"clientNodeNames,omitempty"`
	// targetNodeName is the node that the database ran on; absent for an external target.
	// +optional
	TargetNodeName string `json:"targetNodeName,omitempty"`
	// clientImageID is the runner's image as the container runtime resolved it.
	// +optional
	ClientImageID string `json:"clientImageID,omitempty"`
	// clientQOSClass of the client pods; Guaranteed unless something changed it.
	// +optional
	ClientQOSClass string `json:"clientQOSClass,omitempty"`
	// windowStartTime is the start of the measured window, by the clock of the first client.
	// +optional
	WindowStartTime *metav1.MicroTime `json:"windowStartTime,omitempty"`
	// windowEndTime is the end of the measured window, by the clock of the first client.
	// +optional
	WindowEndTime *metav1.MicroTime `json:"windowEndTime,omitempty"`
	// completionTime is when the manager recorded the end of the attempt.
	// +optional
	CompletionTime *metav1.MicroTime `json:"completionTime,omitempty"`
	// startSkewSeconds is the time between the first and the last client's start of the
	// measured window, as a decimal number, corrected for the offsets of the clients' clocks;
	// absent with one client, and where the clocks are not known.
	// +optional
	StartSkewSeconds string `json:"startSkewSeconds,omitempty"`
	// startSkewUncertaintySeconds is the possible error of startSkewSeconds, as a decimal
	// number: that of the clocks, and of the start of a tool that does not report it. A smaller
	// skew than this is none.
	// +optional
	StartSkewUncertaintySeconds string `json:"startSkewUncertaintySeconds,omitempty"`
	// resetSeconds is the time that it took to put the data back, as a decimal number; it is
	// no part of the warm-up or the measured window. Absent without a reset.
	// +optional
	ResetSeconds string `json:"resetSeconds,omitempty"`
	// values of the runner's main measurements, at most 60.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=60
	Values []Value `json:"values,omitempty"`
	// result is the ConfigMap with the whole result and the raw output of the first
	// client; those of other clients end in -1, -2 and so on.
	// +optional
	Result string `json:"result,omitempty"`
}

// LimitKind is what held back what was measured.
// +kubebuilder:validation:Enum=CPU;Memory;Client
type LimitKind string

// Limits that a trial may run into by its own work.
const (
	// LimitCPU: the target used up the CPU of its shape.
	LimitCPU LimitKind = "CPU"
	// LimitMemory: the target waited for memory within the limit of its shape.
	LimitMemory LimitKind = "Memory"
	// LimitClient: a client was at its own CPU limit, so that the numbers depend on the
	// client too.
	LimitClient LimitKind = "Client"
)

// Limit that a trial ran into by its own work.
type Limit struct {
	// by is CPU, Memory or Client.
	// +required
	By LimitKind `json:"by"`
	// throttledShare is the share (0 to 1) of the periods of CPU bandwidth enforcement
	// (100 ms each) inside the measured window in which the container had to wait, as a
	// decimal number; absent where it is not known. Of several clients the largest.
	// +optional
	ThrottledShare string `json:"throttledShare,omitempty"`
}

// SpeedSide is the side of a measurement of machine speed.
// +kubebuilder:validation:Enum=Client;Target
type SpeedSide string

// Sides of the machine speed.
const (
	SideClient SpeedSide = "Client"
	SideTarget SpeedSide = "Target"
)

// SpeedKernel is what a measurement of machine speed timed.
// +kubebuilder:validation:Enum=Integer;Memory;IntegerCPU;MemoryCPU;Fsync;RoundTrip
type SpeedKernel string

// Kernels of the machine speed.
const (
	// KernelInteger: the mean time of one repetition of integer arithmetic, by the clock.
	KernelInteger SpeedKernel = "Integer"
	// KernelMemory: the same of reads from memory.
	KernelMemory SpeedKernel = "Memory"
	// KernelIntegerCPU: the CPU time of KernelInteger, without what the thread waited.
	KernelIntegerCPU SpeedKernel = "IntegerCPU"
	// KernelMemoryCPU: the CPU time of KernelMemory.
	KernelMemoryCPU SpeedKernel = "MemoryCPU"
	// KernelFsync: the median of several fdatasyncs on the target's storage.
	KernelFsync SpeedKernel = "Fsync"
	// KernelRoundTrip: the median of several round trips from the client to the server.
	KernelRoundTrip SpeedKernel = "RoundTrip"
)

// MachineSpeed is the speed of a node, measured just before a trial.
type MachineSpeed struct {
	// side is Client or Target.
	// +required
	Side SpeedSide `json:"side"`
	// kernel is what was timed: Integer and Memory (the mean time of one repetition by the
	// clock, which includes what the thread waited for a CPU), IntegerCPU and MemoryCPU (the
	// CPU time of the same), Fsync (the median of several on the target's storage), RoundTrip
	// (the median of several from the client to the server).
	// +required
	Kernel SpeedKernel `json:"kernel"`
	// seconds that the kernel took, as a decimal number.
	// +required
	Seconds string `json:"seconds"`
}

// NodeSpeed is the speed of a node over the trials of a run.
type NodeSpeed struct {
	// side is Client or Target.
	// +required
	Side SpeedSide `json:"side"`
	// nodeName is the node that was measured; absent where it is not known.
	// +optional
	NodeName string `json:"nodeName,omitempty"`
	// target that the kernel depends on (Fsync, RoundTrip); absent for the others.
	// +optional
	Target string `json:"target,omitempty"`
	// kernel is what was timed: see MachineSpeed.
	// +required
	Kernel SpeedKernel `json:"kernel"`
	// medianSeconds over the trials, as a decimal number.
	// +required
	MedianSeconds string `json:"medianSeconds"`
	// minSeconds over the trials, as a decimal number.
	// +required
	MinSeconds string `json:"minSeconds"`
	// maxSeconds over the trials, as a decimal number.
	// +required
	MaxSeconds string `json:"maxSeconds"`
	// driftRatio is the time in the second half of the trials over that in the first (1.05
	// is 5 % slower), as a decimal number; absent where there are fewer than twelve trials.
	// +optional
	DriftRatio string `json:"driftRatio,omitempty"`
	// trialCount is the number of trials.
	// +required
	// +kubebuilder:validation:Minimum=0
	TrialCount int32 `json:"trialCount"`
}

// Value is one measured number. A number that was not measured has no entry.
type Value struct {
	// name of the measurement, such as throughput.
	// +required
	Name string `json:"name"`
	// labels that tell measurements of one name apart, such as {"operation": "read"}.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// value as a decimal number.
	// +required
	Value string `json:"value"`
	// unit such as tx/s or ms.
	// +required
	Unit string `json:"unit"`
	// direction is HigherIsBetter or LowerIsBetter; absent for plain facts.
	// +optional
	// +kubebuilder:validation:Enum=HigherIsBetter;LowerIsBetter
	Direction string `json:"direction,omitempty"`
}

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
	// TrialRunning: the attempt has begun, and has not ended.
	TrialRunning TrialState = "Running"
	// TrialSucceeded: the attempt has a result.
	TrialSucceeded TrialState = "Succeeded"
	// TrialFailed: the attempt has no result.
	TrialFailed TrialState = "Failed"
)

// TrialStatus is one attempt at a trial, from its start.
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
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 63 && (type(self[k]) == int || size(self[k]) <= 512))",message="names have at most 63 characters, and values at most 512 characters"
	Parameters map[string]intstr.IntOrString `json:"parameters,omitempty"`
	// target that was measured.
	// +required
	Target Name `json:"target"`
	// state of the attempt.
	// +required
	State TrialState `json:"state"`
	// reason of a failure, from the list in docs/reference/conditions.md.
	// +optional
	Reason Name `json:"reason,omitempty"`
	// message of a failure.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Message string `json:"message,omitempty"`
	// valid is false when the result contradicts itself. Such a trial is kept, but is not part
	// of the summary. Absent until the result is checked.
	// +optional
	Valid *bool `json:"valid,omitempty"`
	// disturbed is true when there was interference during the measured window. Such a trial
	// is kept, but is not part of the summary.
	// +optional
	Disturbed bool `json:"disturbed,omitempty"`
	// limitedBy lists the resource limits that the trial reached by its own work, at most one
	// entry each. Such a trial is part of the summary.
	// +optional
	// +listType=map
	// +listMapKey=by
	// +kubebuilder:validation:MaxItems=4
	LimitedBy []Limit `json:"limitedBy,omitempty"`
	// saturated is true when the target did not achieve the offered rate of an open loop. The
	// latencies then grow with the length of the window; they are not steady-state figures.
	// +optional
	Saturated bool `json:"saturated,omitempty"`
	// steadiness is whether the throughput was constant over the window, by the time series of
	// the tool; absent without one. A trial counts whatever it is.
	// +optional
	Steadiness SteadyState `json:"steadiness,omitempty"`
	// machineSpeed of the nodes, measured by short loops of fixed work just before the trial;
	// one entry for each side and kernel.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	MachineSpeed []MachineSpeed `json:"machineSpeed,omitempty"`
	// clientNodeNames are the nodes that the client pods ran on, in the order of the clients.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=253
	ClientNodeNames []string `json:"clientNodeNames,omitempty"`
	// targetNodeName is the node that the database ran on; absent for an external target.
	// +optional
	TargetNodeName Name `json:"targetNodeName,omitempty"`
	// clientImageID is the digest of the runner's image, from the container runtime.
	// +optional
	ClientImageID Line `json:"clientImageID,omitempty"`
	// clientQOSClass of the client pods; Guaranteed unless another component changed the pods.
	// +optional
	ClientQOSClass Name `json:"clientQOSClass,omitempty"`
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
	// measured window, as a decimal number, corrected for the offsets of the clients' clocks.
	// Absent with one client, and where the offsets are unknown.
	// +optional
	StartSkewSeconds Number `json:"startSkewSeconds,omitempty"`
	// startSkewUncertaintySeconds is the possible error of startSkewSeconds, as a decimal
	// number. It includes the error of the clock offsets, and of the start time of a tool that
	// does not report it. A skew below this value is not significant.
	// +optional
	StartSkewUncertaintySeconds Number `json:"startSkewUncertaintySeconds,omitempty"`
	// resetSeconds is the time to restore the data, as a decimal number. It is not part of the
	// warm-up or the measured window. Absent without a reset.
	// +optional
	ResetSeconds Number `json:"resetSeconds,omitempty"`
	// restartSeconds is the time to start the server again and to fill its buffer pool, as a decimal number. It is not part of the
	// warm-up or the measured window. Absent where the server was not started again.
	// +optional
	RestartSeconds Number `json:"restartSeconds,omitempty"`
	// values of the runner's main measurements, at most 60.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=60
	Values []Value `json:"values,omitempty"`
	// result is the ConfigMap with the whole result and the raw output of the first client.
	// The names for other clients end in -1, -2 and so on.
	// +optional
	Result Name `json:"result,omitempty"`
}

// LimitKind is a resource limit that a trial can reach.
// +kubebuilder:validation:Enum=CPU;Memory;Client
type LimitKind string

// Resource limits that a trial can reach by its own work.
const (
	// LimitCPU: the target used up the CPU of its shape.
	LimitCPU LimitKind = "CPU"
	// LimitMemory: the target waited for memory within the limit of its shape.
	LimitMemory LimitKind = "Memory"
	// LimitClient: a client reached its own CPU limit, so the numbers depend on the client
	// too.
	LimitClient LimitKind = "Client"
)

// Limit is a resource limit that a trial reached by its own work.
// +kubebuilder:object:generate=false
type Limit struct {
	// by is CPU, Memory or Client.
	// +required
	By LimitKind `json:"by"`
	// throttledShare is the share (0 to 1) of the CPU periods (100 ms each) of the measured
	// window in which the container was throttled, as a decimal number. With several clients
	// it is the largest share. Absent where it is unknown.
	// +optional
	// +kubebuilder:validation:MaxLength=512
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

// SpeedKernel is a loop of fixed work that measures machine speed.
// +kubebuilder:validation:Enum=Integer;Memory;IntegerCPU;MemoryCPU;Fsync;RoundTrip
type SpeedKernel string

// Kernels of the machine speed.
const (
	// KernelInteger: the mean time of one repetition of integer arithmetic, by the clock.
	KernelInteger SpeedKernel = "Integer"
	// KernelMemory: the mean time of one repetition of reads from memory, by the clock.
	KernelMemory SpeedKernel = "Memory"
	// KernelIntegerCPU: the CPU time of KernelInteger, without waiting for a CPU.
	KernelIntegerCPU SpeedKernel = "IntegerCPU"
	// KernelMemoryCPU: the CPU time of KernelMemory.
	KernelMemoryCPU SpeedKernel = "MemoryCPU"
	// KernelFsync: the median of several fdatasyncs on the target's storage.
	KernelFsync SpeedKernel = "Fsync"
	// KernelRoundTrip: the median of several round trips from the client to the server.
	KernelRoundTrip SpeedKernel = "RoundTrip"
)

// MachineSpeed is the speed of a node, measured just before a trial.
// +kubebuilder:object:generate=false
type MachineSpeed struct {
	// side is Client or Target.
	// +required
	Side SpeedSide `json:"side"`
	// kernel is the loop that was timed: Integer and Memory (mean time of one repetition by
	// the clock, which includes waiting for a CPU), IntegerCPU and MemoryCPU (mean CPU time of
	// the same), Fsync (median of several on the target's storage), RoundTrip (median of
	// several from the client to the server).
	// +required
	Kernel SpeedKernel `json:"kernel"`
	// seconds that the kernel took, as a decimal number.
	// +required
	// +kubebuilder:validation:MaxLength=512
	Seconds string `json:"seconds"`
}

// NodeSpeed is the speed of a node over the trials of a run.
// +kubebuilder:object:generate=false
type NodeSpeed struct {
	// side is Client or Target.
	// +required
	Side SpeedSide `json:"side"`
	// nodeName is the node that was measured; absent where it is not known.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	NodeName string `json:"nodeName,omitempty"`
	// target that the kernel depends on (Fsync, RoundTrip); absent for the others.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Target string `json:"target,omitempty"`
	// kernel is the loop that was timed: see MachineSpeed.
	// +required
	Kernel SpeedKernel `json:"kernel"`
	// medianSeconds over the trials, as a decimal number.
	// +required
	// +kubebuilder:validation:MaxLength=512
	MedianSeconds string `json:"medianSeconds"`
	// minSeconds over the trials, as a decimal number.
	// +required
	// +kubebuilder:validation:MaxLength=512
	MinSeconds string `json:"minSeconds"`
	// maxSeconds over the trials, as a decimal number.
	// +required
	// +kubebuilder:validation:MaxLength=512
	MaxSeconds string `json:"maxSeconds"`
	// driftRatio is the mean time in the second half of the trials divided by that in the
	// first half (1.05 is 5 % slower), as a decimal number. Absent with fewer than 12 trials.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	DriftRatio string `json:"driftRatio,omitempty"`
	// trialCount is the number of trials.
	// +required
	// +kubebuilder:validation:Minimum=0
	TrialCount int32 `json:"trialCount"`
}

// Value is one measured number. Numbers that were not measured have no entry.
type Value struct {
	// name of the measurement, such as throughput.
	// +required
	Name Name `json:"name"`
	// labels of the measurement, such as {"operation": "read"}. Measurements of one name have
	// different labels.
	// +optional
	// +kubebuilder:validation:MaxProperties=33
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 253 && size(self[k]) <= 1024)",message="names have at most 253 characters, and values at most 1024 characters"
	Labels map[string]string `json:"labels,omitempty"`
	// value as a decimal number.
	// +required
	Value Number `json:"value"`
	// unit such as tx/s or ms.
	// +required
	Unit Name `json:"unit"`
	// direction is HigherIsBetter or LowerIsBetter; absent where neither is better.
	// +optional
	Direction Direction `json:"direction,omitempty"`
}

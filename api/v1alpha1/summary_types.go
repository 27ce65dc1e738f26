package v1alpha1

import (
	"k8s.io/apimachinery/pkg/util/intstr"
)

// SummaryEntry is one measurement of one target in one cell over all its valid,
// undisturbed trials. Numbers are decimal, in the unit of the entry.
type SummaryEntry struct {
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
	// name of the measurement, such as throughput.
	// +required
	Name Name `json:"name"`
	// labels of the measurement, such as {"operation": "read"}. Measurements of one name have
	// different labels.
	// +optional
	// +kubebuilder:validation:MaxProperties=33
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 253 && size(self[k]) <= 1024)",message="names have at most 253 characters, and values at most 1024 characters"
	Labels map[string]string `json:"labels,omitempty"`
	// unit such as tx/s or ms.
	// +required
	Unit Name `json:"unit"`
	// direction is HigherIsBetter or LowerIsBetter; absent where neither is better.
	// +optional
	Direction Direction `json:"direction,omitempty"`
	// median of the counted trials. median, min and max are absent when trialCount is 0.
	// +optional
	Median Number `json:"median,omitempty"`
	// min of the trials.
	// +optional
	Min Number `json:"min,omitempty"`
	// max of the trials.
	// +optional
	Max Number `json:"max,omitempty"`
	// intervalLow is the lower end of the distribution-free confidence interval of the
	// median (confidence at least 95 %); absent for fewer than 6 trials.
	// +optional
	IntervalLow Number `json:"intervalLow,omitempty"`
	// intervalHigh is the upper end of that interval.
	// +optional
	IntervalHigh Number `json:"intervalHigh,omitempty"`
	// intervalCoverage is the probability (0.95 to 1) that an interval computed this way
	// contains the true median. It is above 0.95 because ranks are whole numbers.
	// +optional
	IntervalCoverage Number `json:"intervalCoverage,omitempty"`
	// trialCount is the number of counted trials.
	// +required
	// +kubebuilder:validation:Minimum=0
	TrialCount int32 `json:"trialCount"`
	// plannedTrialCount is the number of planned trials of the target in the cell: one per
	// block.
	// +optional
	// +kubebuilder:validation:Minimum=1
	PlannedTrialCount int32 `json:"plannedTrialCount,omitempty"`
	// leftOut counts the excluded trials by reason. trialCount and these counts add up to
	// plannedTrialCount.
	// +optional
	// +listType=map
	// +listMapKey=reason
	// +kubebuilder:validation:MaxItems=6
	LeftOut []LeftOut `json:"leftOut,omitempty"`
	// withDisturbed is the median over all valid trials, including disturbed trials and their
	// blocks. Absent when no trial was excluded because of a disturbance.
	// +optional
	WithDisturbed *Spread `json:"withDisturbed,omitempty"`
	// limitedBy counts the resource limits that the counted trials reached.
	// +optional
	// +listType=map
	// +listMapKey=by
	// +kubebuilder:validation:MaxItems=4
	LimitedBy []LimitCount `json:"limitedBy,omitempty"`
	// saturatedTrialCount is the number of counted trials in which the target did not achieve
	// the offered rate; absent for 0.
	// +optional
	// +kubebuilder:validation:Minimum=1
	SaturatedTrialCount int32 `json:"saturatedTrialCount,omitempty"`
	// steadiness counts the counted trials by the steadiness of their throughput. Only for the
	// main measurement, and absent where no trial has a time series.
	// +optional
	Steadiness *SteadinessCount `json:"steadiness,omitempty"`
	// caveat is a limitation of the value, such as a latency percentile that depends on the
	// period of the CPU quota; absent without a known limitation.
	// +optional
	Caveat Line `json:"caveat,omitempty"`
}

// SteadyState is whether the throughput of a trial was constant over the measured window: Steady
// (it changed by less than 5 %), NotSteady (it changed by more), TooShort (the window is too short,
// for the noise of the throughput, to know).
// +kubebuilder:validation:Enum=Steady;NotSteady;TooShort
type SteadyState string

// SteadinessCount counts trials by the steadiness of their throughput. A trial without a time
// series is in none of the counts.
// +kubebuilder:object:generate=false
type SteadinessCount struct {
	// steady is the number of trials whose throughput was shown to be constant.
	// +optional
	// +kubebuilder:validation:Minimum=1
	Steady int32 `json:"steady,omitempty"`
	// notSteady is the number of trials whose throughput changed.
	// +optional
	// +kubebuilder:validation:Minimum=1
	NotSteady int32 `json:"notSteady,omitempty"`
	// tooShort is the number of trials of which neither was shown.
	// +optional
	// +kubebuilder:validation:Minimum=1
	TooShort int32 `json:"tooShort,omitempty"`
}

// LeftOut counts trials that are excluded from a median.
// +kubebuilder:object:generate=false
type LeftOut struct {
	// reason is Failed (no result), Invalid (the result contradicts itself), Disturbed
	// (interference during the measurement), BlockDisturbed (another trial of the same cell
	// and block was disturbed), NoValue (the measurement has no number), NotRun (the run ended
	// before).
	// +required
	Reason LeftOutReason `json:"reason"`
	// trialCount is the number of trials.
	// +required
	// +kubebuilder:validation:Minimum=0
	TrialCount int32 `json:"trialCount"`
}

// LeftOutReason is why a trial is excluded from a median.
// +kubebuilder:validation:Enum=Failed;Invalid;Disturbed;BlockDisturbed;NoValue;NotRun
type LeftOutReason string

// Reasons to exclude a trial.
const (
	// LeftOutFailed: the trial has no result.
	LeftOutFailed LeftOutReason = "Failed"
	// LeftOutInvalid: the result of the trial contradicts itself.
	LeftOutInvalid LeftOutReason = "Invalid"
	// LeftOutDisturbed: there was interference from outside during the window.
	LeftOutDisturbed LeftOutReason = "Disturbed"
	// LeftOutBlockDisturbed: another trial of the same block was disturbed, and pairs stay pairs.
	LeftOutBlockDisturbed LeftOutReason = "BlockDisturbed"
	// LeftOutNoValue: the result of the trial does not have the measurement.
	LeftOutNoValue LeftOutReason = "NoValue"
	// LeftOutNotRun: the run ended before the trial.
	LeftOutNotRun LeftOutReason = "NotRun"
)

// Spread of a measurement over trials, as decimal numbers in its unit.
// +kubebuilder:object:generate=false
type Spread struct {
	// median of the trials.
	// +required
	// +kubebuilder:validation:MaxLength=512
	Median string `json:"median"`
	// min of the trials.
	// +required
	// +kubebuilder:validation:MaxLength=512
	Min string `json:"min"`
	// max of the trials.
	// +required
	// +kubebuilder:validation:MaxLength=512
	Max string `json:"max"`
	// trialCount is the number of trials.
	// +required
	// +kubebuilder:validation:Minimum=0
	TrialCount int32 `json:"trialCount"`
}

// LimitCount is the number of trials that reached a resource limit.
// +kubebuilder:object:generate=false
type LimitCount struct {
	// by is CPU, Memory or Client.
	// +required
	By LimitKind `json:"by"`
	// trialCount is the number of trials.
	// +required
	// +kubebuilder:validation:Minimum=0
	TrialCount int32 `json:"trialCount"`
	// throttledShare is the share (0 to 1) of throttled CPU periods, as a decimal number: the
	// median over these trials. Absent where it is unknown.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	ThrottledShare string `json:"throttledShare,omitempty"`
}

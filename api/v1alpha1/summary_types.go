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
	Parameters map[string]intstr.IntOrString `json:"parameters,omitempty"`
	// target that was measured.
	// +required
	Target string `json:"target"`
	// name of the measurement, such as throughput.
	// +required
	Name string `json:"name"`
	// labels that tell measurements of one name apart, such as {"operation": "read"}.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// unit such as tx/s or ms.
	// +required
	Unit string `json:"unit"`
	// direction is HigherIsBetter or LowerIsBetter; absent for plain facts.
	// +optional
	// +kubebuilder:validation:Enum=HigherIsBetter;LowerIsBetter
	Direction string `json:"direction,omitempty"`
	// median of the trials; absent, as min and max, when trialCount is 0.
	// +optional
	Median string `json:"median,omitempty"`
	// min of the trials.
	// +optional
	Min string `json:"min,omitempty"`
	// max of the trials.
	// +optional
	Max string `json:"max,omitempty"`
	// intervalLow is the lower end of the distribution-free confidence interval of the
	// median (confidence at least 95 %); absent for fewer than 6 trials.
	// +optional
	IntervalLow string `json:"intervalLow,omitempty"`
	// intervalHigh is the upper end of that interval.
	// +optional
	IntervalHigh string `json:"intervalHigh,omitempty"`
	// intervalCoverage is the probability (0.95 to 1) with which an interval made this way
	// holds the true median; more than 0.95 because ranks are whole numbers.
	// +optional
	IntervalCoverage string `json:"intervalCoverage,omitempty"`
	// trialCount is the number of trials behind the median.
	// +required
	// +kubebuilder:validation:Minimum=0
	TrialCount int32 `json:"trialCount"`
	// plannedTrialCount is the number of trials of the target in the cell: one for each block.
	// +optional
	// +kubebuilder:validation:Minimum=1
	PlannedTrialCount int32 `json:"plannedTrialCount,omitempty"`
	// leftOut counts the trials that are not behind the median, by the reason; trialCount and
	// these add up to plannedTrialCount.
	// +optional
	// +listType=map
	// +listMapKey=reason
	// +kubebuilder:validation:MaxItems=6
	LeftOut []LeftOut `json:"leftOut,omitempty"`
	// withDisturbed is the same over all valid trials, the disturbed ones and those of their
	// blocks included; absent when none was left out for a disturbance.
	// +optional
	WithDisturbed *Spread `json:"withDisturbed,omitempty"`
	// limitedBy names the limits that trials behind the median ran into.
	// +optional
	// +listType=map
	// +listMapKey=by
	// +kubebuilder:validation:MaxItems=4
	LimitedBy []LimitCount `json:"limitedBy,omitempty"`
	// saturatedTrialCount is the number of trials behind the median in which the target did
	// not keep up with the rate that was offered; absent when there is none.
	// +optional
	// +kubebuilder:validation:Minimum=1
	SaturatedTrialCount int32 `json:"saturatedTrialCount,omitempty"`
	// caveat says why the value is not what its name suggests, such as a percentile of the
	// latency that the period of CPU bandwidth enforcement decides; absent where no reason is
	// known.
	// +optional
	Caveat string `json:"caveat,omitempty"`
}

// LeftOut counts trials that are not behind a median.
type LeftOut struct {
	// reason is Failed (no result), Invalid (it contradicts itself), Disturbed (interference
	// during the measurement), BlockDisturbed (a trial that it is compared with was
	// disturbed), NoValue (the measurement has no number), NotRun (the run ended before).
	// +required
	Reason LeftOutReason `json:"reason"`
	// trialCount is the number of trials.
	// +required
	// +kubebuilder:validation:Minimum=0
	TrialCount int32 `json:"trialCount"`
}

// LeftOutReason is why a trial is not behind a median.
// +kubebuilder:validation:Enum=Failed;Invalid;Disturbed;BlockDisturbed;NoValue;NotRun
type LeftOutReason string

// Reasons for which trials are left out.
const (
	LeftOutFailed         LeftOutReason = "Failed"
	LeftOutInvalid        LeftOutReason = "Invalid"
	LeftOutDisturbed      LeftOutReason = "Disturbed"
	LeftOutBlockDisturbed LeftOutReason = "BlockDisturbed"
	LeftOutNoValue        LeftOutReason = "NoValue"
	LeftOutNotRun         LeftOutReason = "NotRun"
)

// Spread of a measurement over trials, as decimal numbers in its unit.
type Spread struct {
	// median of the trials.
	// +required
	Median string `json:"median"`
	// min of the trials.
	// +required
	Min string `json:"min"`
	// max of the trials.
	// +required
	Max string `json:"max"`
	// trialCount is the number of trials.
	// +required
	// +kubebuilder:validation:Minimum=0
	TrialCount int32 `json:"trialCount"`
}

// LimitCount says how many trials ran into a limit.
type LimitCount struct {
	// by is CPU, Memory or Client.
	// +required
	By LimitKind `json:"by"`
	// trialCount is the number of trials.
	// +required
	// +kubebuilder:validation:Minimum=0
	TrialCount int32 `json:"trialCount"`
	// throttledShare is the median over these trials of the share (0 to 1) of throttled
	// periods, as a decimal number; absent where it is not known.
	// +optional
	ThrottledShare string `json:"throttledShare,omitempty"`
}

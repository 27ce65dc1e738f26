package v1alpha1

import (
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Search looks for the highest offered rate at which every objective holds, by bisection, for every
// block, cell and target by itself. It tries low first, then high, then the geometric mean of the
// highest rate that held and the lowest that did not.
//
// A trial holds when the target achieved the offered rate, maxErrors and every objective hold. A rate
// holds when more than half of its trials hold.
// +kubebuilder:validation:XValidation:rule="self.low < self.high",fieldPath=".high",message="high must be above low: the search is between them"
type Search struct {
	// low is the first rate that is tried, in operations per second of each client, 1 to 10,000,000.
	// It should hold: where it does not, no rate is known to hold.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000000
	Low int32 `json:"low"`

	// high is the second rate that is tried, in operations per second of each client, 2 to
	// 10,000,000. It should not hold: where it does, the answer is "high or more".
	// +required
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=10000000
	High int32 `json:"high"`

	// precision ends the search: the lowest rate that failed is at most so much above the highest one
	// that held, as a percentage from 0.1% to 100%.
	// +optional
	// +kubebuilder:default="5%"
	// +kubebuilder:validation:XValidation:rule="double(self.replace('%', '')) >= 0.1 && double(self.replace('%', '')) <= 100.0",message="precision must be from 0.1% to 100%, such as 5%"
	Precision Percentage `json:"precision,omitempty"`

	// trials at each rate, 1 to 15. They stop when the majority is certain.
	// +optional
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=15
	Trials int32 `json:"trials,omitempty"`

	// maxRepeats is how many trials of one search may be repeated because they failed, were disturbed
	// or are invalid, 0 to 20. One more ends the search without an answer.
	// +optional
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=20
	MaxRepeats *int32 `json:"maxRepeats,omitempty"`

	// maxErrors is the largest share of errors among the operations of a trial, as a percentage from
	// 0% to 100%. Errors are those that the tool counts as rate.errors.
	// +optional
	// +kubebuilder:default="0%"
	// +kubebuilder:validation:XValidation:rule="double(self.replace('%', '')) <= 100.0",message="maxErrors must be from 0% to 100%, such as 0.1%"
	MaxErrors Percentage `json:"maxErrors,omitempty"`

	// objectives that must hold, at most 8. Absent: a rate holds when the target achieves it, within
	// maxErrors.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	Objectives []SearchObjective `json:"objectives,omitempty"`
}

// SearchObjective bounds one measurement of a trial.
type SearchObjective struct {
	// measurement that is bounded.
	// +required
	Measurement MeasurementRef `json:"measurement"`

	// atMost is its largest value: a time with its unit (us, ms or s) for a latency, such as 20ms,
	// and a number in the unit of the measurement for any other.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^[0-9]{1,12}(\.[0-9]{1,9})?(us|ms|s)?$`
	AtMost string `json:"atMost"`
}

// SearchOutcome is how a search ended.
// +kubebuilder:validation:Enum=Found;AllHeld;NoneHeld;Unknown;Unfinished
type SearchOutcome string

// Outcomes of searches.
const (
	// SearchFound: the highest rate that holds is known, within the precision.
	SearchFound SearchOutcome = "Found"
	// SearchAllHeld: search.high held, so the answer is that rate or more.
	SearchAllHeld SearchOutcome = "AllHeld"
	// SearchNoneHeld: search.low did not hold, so no rate is known to hold.
	SearchNoneHeld SearchOutcome = "NoneHeld"
	// SearchUnknown: too many trials were of no use, or an objective could not be judged.
	SearchUnknown SearchOutcome = "Unknown"
	// SearchUnfinished: the run ended before the search.
	SearchUnfinished SearchOutcome = "Unfinished"
)

// DefaultMaxRepeats holds for a search that does not say how many trials may be repeated.
const DefaultMaxRepeats = 3

// SearchEntry is the answer of one search: of one target in one cell and block. Rates are those of
// each client, in operations per second.
type SearchEntry struct {
	// block of the search, from 0.
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
	// outcome is Found, AllHeld (search.high held: the answer is that rate or more), NoneHeld
	// (search.low did not hold: no rate is known to hold), Unknown (too many trials were of no use, or
	// an objective could not be judged) or Unfinished (the run ended before).
	// +required
	Outcome SearchOutcome `json:"outcome"`
	// held is the highest rate that held; absent when none did.
	// +optional
	// +kubebuilder:validation:Minimum=1
	Held int32 `json:"held,omitempty"`
	// failed is the lowest rate that did not hold; absent when none was found.
	// +optional
	// +kubebuilder:validation:Minimum=1
	Failed int32 `json:"failed,omitempty"`
	// trialCount is the number of trials of the search, repeated ones included.
	// +required
	// +kubebuilder:validation:Minimum=0
	TrialCount int32 `json:"trialCount"`
	// repeatedTrialCount is the number of trials that were of no use, and were repeated.
	// +optional
	// +kubebuilder:validation:Minimum=0
	RepeatedTrialCount int32 `json:"repeatedTrialCount,omitempty"`
	// saturated says that the target did not achieve the rate in failed.
	// +optional
	Saturated bool `json:"saturated,omitempty"`
	// reason is why the rate in failed did not hold, or why there is no answer.
	// +optional
	Reason Line `json:"reason,omitempty"`
	// text of the entry for people.
	// +required
	// +kubebuilder:validation:MaxLength=2048
	Text string `json:"text"`
}

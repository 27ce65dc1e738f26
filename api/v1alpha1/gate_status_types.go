package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// GateStatus is what a gate was judged by.
type GateStatus struct {
	// baselines of the gate, in the order of the spec, with what the run is against each of them.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=4
	Baselines []GateBaseline `json:"baselines,omitempty"`
	// comparisons are how the run's own comparisons were judged; absent for a gate with a baseline.
	// +optional
	Comparisons *GateOwnComparisons `json:"comparisons,omitempty"`
	// entries are the measurements against each baseline, or the comparisons, failures first.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Entries []GateEntry `json:"entries,omitempty"`
}

// GateOwnComparisons is how a gate judged the comparisons of its run.
type GateOwnComparisons struct {
	// margin is the loss that fails, as a share such as 0.03.
	// +required
	Margin Figure `json:"margin"`
	// errorRate of the gate, as a share such as 0.05: that of the run, or its part where interim analyses divide it. One
	// comparison passes by a test at this rate. All failures together have it, by Holm.
	// +required
	ErrorRate Figure `json:"errorRate"`
	// passedCount of the comparisons lose less than the margin.
	// +required
	// +kubebuilder:validation:Minimum=0
	PassedCount int32 `json:"passedCount"`
	// slowerCount of the comparisons lose more than the margin.
	// +required
	// +kubebuilder:validation:Minimum=0
	SlowerCount int32 `json:"slowerCount"`
	// undecidedCount of the comparisons show neither.
	// +required
	// +kubebuilder:validation:Minimum=0
	UndecidedCount int32 `json:"undecidedCount"`
}

// GateBaseline is what a run is against one baseline.
type GateBaseline struct {
	// name of the BenchmarkBaseline.
	// +required
	Name Name `json:"name"`
	// effect is Fail, or Inform for a baseline on which nothing depends.
	// +required
	Effect BaselineEffect `json:"effect"`
	// passed is True, False, or Unknown where nothing could be decided.
	// +required
	// +kubebuilder:validation:Enum=True;False;Unknown
	Passed metav1.ConditionStatus `json:"passed"`
	// reason why: one of the condition Passed.
	// +required
	Reason Digest `json:"reason"`
	// pin tells the baseline apart as it was read; absent where there was none.
	// +optional
	Pin *BaselinePin `json:"pin,omitempty"`
	// judgedCount is the number of measurements that were compared.
	// +required
	// +kubebuilder:validation:Minimum=0
	JudgedCount int32 `json:"judgedCount"`
	// slowerCount of the measurements are slower, whether the gate fails for
	// that or not.
	// +required
	// +kubebuilder:validation:Minimum=0
	SlowerCount int32 `json:"slowerCount"`
	// missingCount of the baseline's measurements have no value in the run that counts.
	// +required
	// +kubebuilder:validation:Minimum=0
	MissingCount int32 `json:"missingCount"`
	// newCount of the run's measurements are not in the baseline.
	// +required
	// +kubebuilder:validation:Minimum=0
	NewCount int32 `json:"newCount"`
	// differences say what differs between the circumstances of the run and of the baseline.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=1024
	Differences []string `json:"differences,omitempty"`
}

// BaselinePin tells apart what was read of a baseline.
type BaselinePin struct {
	// uid of it.
	// +required
	UID Digest `json:"uid"`
	// resourceVersion of it.
	// +required
	ResourceVersion Digest `json:"resourceVersion"`
	// sha256 of its spec as JSON, in hexadecimal.
	// +required
	SHA256 Digest `json:"sha256"`
	// run that its numbers are from.
	// +required
	Run Name `json:"run"`
	// promotionTime is when it was promoted.
	// +optional
	PromotionTime *metav1.Time `json:"promotionTime,omitempty"`
}

// GateOutcome of a measurement, or of a comparison.
// +kubebuilder:validation:Enum=Passed;Slower;Missing;New;NotJudged
type GateOutcome string

// Outcomes.
const (
	// OutcomePassed: no rule calls it slower; of a comparison: it loses less than the margin.
	OutcomePassed GateOutcome = "Passed"
	// OutcomeSlower: a rule calls it slower; of a comparison: it loses more than the margin.
	OutcomeSlower GateOutcome = "Slower"
	// OutcomeMissing: the run has no value that counts.
	OutcomeMissing GateOutcome = "Missing"
	// OutcomeNew: the baseline does not have it.
	OutcomeNew GateOutcome = "New"
	// OutcomeNotJudged: it cannot be compared, or a comparison is not decided; the text says why.
	OutcomeNotJudged GateOutcome = "NotJudged"
)

// GateEntry is one measurement of one target in one cell, against its baseline: that of a BenchmarkBaseline, or the
// other side of a comparison of the run.
type GateEntry struct {
	// outcome of the measurement.
	// +required
	Outcome GateOutcome `json:"outcome"`
	// baseline is the BenchmarkBaseline that it was compared with; absent for a comparison.
	// +optional
	Baseline Name `json:"baseline,omitempty"`
	// factor of the comparison; absent with a baseline.
	// +optional
	Factor Name `json:"factor,omitempty"`
	// against is the value of the factor that it was compared with, such as the name of a target; absent with a baseline.
	// +optional
	Against Line `json:"against,omitempty"`
	// unlike are other factors in which the sides of the comparison differ, as it declares; absent where all else is equal, and
	// with a baseline.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=5
	Unlike []UnlikeFactor `json:"unlike,omitempty"`
	// measurement that was judged.
	// +required
	Measurement MeasurementKey `json:"measurement"`
	// direction is HigherIsBetter or LowerIsBetter; absent where neither is better.
	// +optional
	Direction Direction `json:"direction,omitempty"`
	// expected is the median of the baseline; absent for a new measurement, and for a comparison without a pair.
	// +optional
	Expected Figure `json:"expected,omitempty"`
	// median of the run; absent for a missing measurement, and for a comparison without a pair.
	// +optional
	Median Figure `json:"median,omitempty"`
	// ratio over the baseline: of the medians with a BenchmarkBaseline, and the estimate of the paired test of a comparison.
	// +optional
	Ratio Figure `json:"ratio,omitempty"`
	// adjustedP is the p-value of slower for all measurements together, by Holm: the probability of values as bad as these or
	// worse, if the measurement were worse by minimumEffect, or the comparison by the margin. Absent without a test.
	// +optional
	AdjustedP Figure `json:"adjustedP,omitempty"`
	// predictionP is the p-value of the prediction for all measurements together, by Holm: the probability of a median as bad
	// as this or worse, if the run were like those of the baseline but for minimumEffect. Absent without spec.gate.prediction.
	// +optional
	PredictionP Figure `json:"predictionP,omitempty"`
	// detectableEffect is the smallest change for the worse, such as 0.062, that test or prediction would have found in four of
	// five such runs, at the spread that the values have. Present where they found none.
	// +optional
	DetectableEffect Figure `json:"detectableEffect,omitempty"`
	// passedP is the p-value of a loss of the margin or more, by itself: at most the error rate of a comparison that has passed.
	// Absent with a baseline.
	// +optional
	PassedP Figure `json:"passedP,omitempty"`
	// bound is the ratio at which the loss is the margin, such as 0.97; absent with a baseline.
	// +optional
	Bound Figure `json:"bound,omitempty"`
	// intervalLow is the smallest ratio that was not excluded; absent where the blocks are too few, and with a baseline. Of
	// the two ends, the one with the larger loss decides whether the comparison has passed: it is the bound of a one-sided
	// test at the error rate. The other one decides whether it has failed, at its level by Holm.
	// +optional
	IntervalLow Figure `json:"intervalLow,omitempty"`
	// intervalHigh is the largest ratio that was not excluded; absent as intervalLow is.
	// +optional
	IntervalHigh Figure `json:"intervalHigh,omitempty"`
	// blocksNeeded is how many blocks let the gate pass in four of five runs where nothing is lost, at the spread of this
	// comparison; absent where it is decided, with a baseline, and where the spread is unknown.
	// +optional
	// +kubebuilder:validation:Minimum=0
	BlocksNeeded int32 `json:"blocksNeeded,omitempty"`
	// text is the entry in words.
	// +required
	Text Line `json:"text"`
}

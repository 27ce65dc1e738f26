package v1alpha1

import (
	"k8s.io/apimachinery/pkg/util/intstr"
)

// ComparisonFamily is what an error rate holds for.
// +kubebuilder:validation:Enum=Primary;Exploratory;Control
type ComparisonFamily string

// Families of comparisons.
const (
	// FamilyPrimary were declared before the data. The error rate holds for all of them together.
	FamilyPrimary ComparisonFamily = "Primary"
	// FamilyExploratory were not declared: they are hints for the next run, and have no verdict.
	FamilyExploratory ComparisonFamily = "Exploratory"
	// FamilyControl compare the baseline with itself.
	FamilyControl ComparisonFamily = "Control"
)

// ComparisonVerdict is what a comparison concludes of the value against the baseline.
// +kubebuilder:validation:Enum=Faster;Slower;Higher;Lower;Equivalent;Inconclusive;Exploratory;NotMeasured
type ComparisonVerdict string

// Verdicts of comparisons.
const (
	// VerdictFaster: a rate is larger or a time shorter, as far as the error rate of the run says.
	VerdictFaster ComparisonVerdict = "Faster"
	// VerdictSlower: a rate is smaller or a time longer.
	VerdictSlower ComparisonVerdict = "Slower"
	// VerdictHigher: larger, of a measurement that is no speed, such as memory.
	VerdictHigher ComparisonVerdict = "Higher"
	// VerdictLower: smaller, likewise.
	VerdictLower ComparisonVerdict = "Lower"
	// VerdictEquivalent: the difference was shown to be less than the minimum effect.
	VerdictEquivalent ComparisonVerdict = "Equivalent"
	// VerdictInconclusive: the data carry none of the others.
	VerdictInconclusive ComparisonVerdict = "Inconclusive"
	// VerdictExploratory: too few blocks for any verdict, trials in sequence, or not declared.
	VerdictExploratory ComparisonVerdict = "Exploratory"
	// VerdictNotMeasured: no trial that counts has this number on both sides, in one unit, as of a driver that cannot do what is
	// compared; over several runs: in every one of them. Nothing was tested. It counts in the error rate of its family.
	VerdictNotMeasured ComparisonVerdict = "NotMeasured"
)

// ComparisonEntry compares one value of a factor with its baseline, in one measurement, with the
// rest of the experiment equal, but for unlike. Numbers are decimal.
type ComparisonEntry struct {
	// family is Primary (declared before the data), Exploratory (not declared) or Control (the
	// baseline with itself).
	// +required
	Family ComparisonFamily `json:"family"`
	// factor whose values are compared.
	// +required
	Factor Name `json:"factor"`
	// value of the factor.
	// +required
	Value Line `json:"value"`
	// baseline is the value of the factor that it is compared with.
	// +required
	Baseline Line `json:"baseline"`
	// unlike are other factors in which the sides differ, because the comparison declares them (baselineWithin): with them the
	// ratio is not that of the factor alone. Absent where all else is equal.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=5
	Unlike []UnlikeFactor `json:"unlike,omitempty"`
	// target that was measured, on both sides; absent where the targets are compared.
	// +optional
	Target Name `json:"target,omitempty"`
	// cell is the index in the plan of the cell of the value.
	// +required
	// +kubebuilder:validation:Minimum=0
	Cell int32 `json:"cell"`
	// parameters are the values of the cell, by the names of the axes, without the factor.
	// +optional
	// +kubebuilder:validation:MaxProperties=9
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 63 && (type(self[k]) == int || size(self[k]) <= 512))",message="names have at most 63 characters, and values at most 512 characters"
	Parameters map[string]intstr.IntOrString `json:"parameters,omitempty"`
	// name of the measurement.
	// +required
	Name Name `json:"name"`
	// labels of the measurement of the value, without the factor.
	// +optional
	// +kubebuilder:validation:MaxProperties=33
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 253 && size(self[k]) <= 1024)",message="names have at most 253 characters, and values at most 1024 characters"
	Labels map[string]string `json:"labels,omitempty"`
	// unit of the measurement.
	// +optional
	Unit Name `json:"unit,omitempty"`
	// direction is HigherIsBetter or LowerIsBetter; absent where neither is better.
	// +optional
	Direction Direction `json:"direction,omitempty"`
	// verdict on the value against the baseline: Faster or Slower; Higher or Lower, of a
	// measurement that is no speed; Equivalent, Inconclusive, Exploratory or NotMeasured.
	// +required
	Verdict ComparisonVerdict `json:"verdict"`
	// belowMinimumEffect says that there is a difference, and that it was shown to be less than the
	// minimum effect.
	// +optional
	BelowMinimumEffect bool `json:"belowMinimumEffect,omitempty"`
	// ratio of the value over the baseline, over the blocks; absent without a pair.
	// +optional
	Ratio Figure `json:"ratio,omitempty"`
	// intervalLow and intervalHigh bound the ratio. In the primary family the interval excludes 1 if
	// and only if adjustedP is at most the error rate; all intervals together have no common
	// confidence. Absent where the blocks are too few.
	// +optional
	IntervalLow Figure `json:"intervalLow,omitempty"`
	// intervalHigh is the upper end.
	// +optional
	IntervalHigh Figure `json:"intervalHigh,omitempty"`
	// intervalConfidence is the least probability, 0 to 1, that an interval of this level contains
	// the true ratio of these servers. It is for this interval by itself.
	// +optional
	IntervalConfidence Figure `json:"intervalConfidence,omitempty"`
	// equivalenceLow and equivalenceHigh bound the ratio by the interval that showed the difference to be less than the
	// minimum effect: that of two one-sided tests at the error rate, of 90 % for one comparison at 5 %. It is narrower than
	// intervalLow to intervalHigh, which may reach beyond the minimum effect. Present where the verdict is Equivalent, and
	// with belowMinimumEffect.
	// +optional
	EquivalenceLow Figure `json:"equivalenceLow,omitempty"`
	// equivalenceHigh is the upper end.
	// +optional
	EquivalenceHigh Figure `json:"equivalenceHigh,omitempty"`
	// equivalenceConfidence is the least probability, 0 to 1, that an interval of this level contains
	// the true ratio of these servers. It is for this interval by itself.
	// +optional
	EquivalenceConfidence Figure `json:"equivalenceConfidence,omitempty"`
	// p is the probability of a difference at least this large if there is no true difference; for this comparison by
	// itself. Absent without a ratio, and where all blocks are one observation.
	// +optional
	P Figure `json:"p,omitempty"`
	// adjustedP is p for the whole family, by Holm. Absent outside of the primary family, where nothing was measured, and where all
	// blocks are one observation.
	// +optional
	AdjustedP Figure `json:"adjustedP,omitempty"`
	// spread is the standard deviation of the log-ratios of the blocks: 0.1 is about 10 % from one block to the next. Absent where
	// that is unknown, and where blocks are not paired.
	// +optional
	Spread Figure `json:"spread,omitempty"`
	// detectableEffect is the smallest relative difference, such as 0.031, that this many blocks
	// with this spread find in four of five runs. Absent where that is unknown.
	// +optional
	DetectableEffect Figure `json:"detectableEffect,omitempty"`
	// blockCount is the number of blocks with a counted trial on both sides.
	// +required
	// +kubebuilder:validation:Minimum=0
	BlockCount int32 `json:"blockCount"`
	// plannedBlockCount is the number of blocks of the plan.
	// +required
	// +kubebuilder:validation:Minimum=1
	PlannedBlockCount int32 `json:"plannedBlockCount"`
	// blocksNeeded is the number of blocks, at this spread, with which four of five runs find the
	// minimum effect. Absent where the spread is unknown, or 10,000 blocks are too few.
	// +optional
	// +kubebuilder:validation:Minimum=1
	BlocksNeeded int32 `json:"blocksNeeded,omitempty"`
	// reasons why the comparison is not decided, the most important one first, and then what limits
	// the numbers.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Reasons []VerdictReason `json:"reasons,omitempty"`
	// text is the comparison in one line, such as "FASTER +16 % (+1.7 to +26 %), p 0.023, 9 of 10
	// blocks: mariadb against mysql".
	// +required
	Text Line `json:"text"`
}

// UnlikeFactor is a factor, besides the one that is compared, in which the sides of a comparison differ, as it declares.
type UnlikeFactor struct {
	// factor that differs, such as scheme.
	// +required
	Factor Name `json:"factor"`
	// value of it on the side of the value, such as Batch.
	// +required
	Value Line `json:"value"`
	// baseline is its value on the side of the baseline, such as SingleRow.
	// +required
	Baseline Line `json:"baseline"`
}

// VerdictReason is why a comparison or a sweep is not decided, or what limits its numbers.
type VerdictReason struct {
	// code of the reason, in CamelCase, such as TooFewBlocks.
	// +required
	// +kubebuilder:validation:MaxLength=63
	Code ReasonCode `json:"code"`
	// values that the reason names, such as {blocks: "5", needed: "6"}: decimal numbers, shares from 0
	// to 1, or names.
	// +optional
	// +kubebuilder:validation:MaxProperties=8
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 63 && size(self[k]) <= 1024)",message="names have at most 63 characters, and values at most 1024 characters"
	Values map[string]string `json:"values,omitempty"`
}

// SideDifferences are the differences between two compared targets, besides what the spec sets
// differently for them.
type SideDifferences struct {
	// value is the name of the target that is compared.
	// +required
	Value Name `json:"value"`
	// baseline is the name of the target that it is compared with.
	// +required
	Baseline Name `json:"baseline"`
	// differences that are known to change what is measured, the most important ones first.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=40
	Differences []SideDifference `json:"differences"`
}

// SideDifference is one property in which two compared targets differ.
// +kubebuilder:object:generate=false
type SideDifference struct {
	// name of the property: a setting of the server, such as log_bin, or another fact, such as
	// target/cpu.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// value of the compared target; absent where it has no such property.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Value string `json:"value,omitempty"`
	// baseline is the value of the baseline; absent where it has no such property.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Baseline string `json:"baseline,omitempty"`
	// faster is the side that such a difference can help, by what is known of the setting and not by
	// this run; absent where that is unknown.
	// +optional
	Faster DifferenceEffect `json:"faster,omitempty"`
}

// DifferenceEffect is the side that a difference can help.
// +kubebuilder:validation:Enum=Value;Baseline
type DifferenceEffect string

// Effects of differences.
const (
	// FasterValue: the difference can help the compared target.
	FasterValue DifferenceEffect = "Value"
	// FasterBaseline: the difference can help the baseline.
	FasterBaseline DifferenceEffect = "Baseline"
)

// PlannedAnalysis is what the plan can show, known before the data.
type PlannedAnalysis struct {
	// comparisonCount is the size of the primary family: pairs of values, in every cell and
	// measurement.
	// +required
	// +kubebuilder:validation:Minimum=1
	ComparisonCount int32 `json:"comparisonCount"`
	// blocksNeeded is the least number of blocks with which any of so many comparisons can have a
	// verdict.
	// +required
	// +kubebuilder:validation:Minimum=1
	BlocksNeeded int32 `json:"blocksNeeded"`
	// pilotBlocks are the blocks after which a run with design.precision first looks at its data. Absent without.
	// +optional
	// +kubebuilder:validation:Minimum=1
	PilotBlocks *int32 `json:"pilotBlocks,omitempty"`
	// forecast is what the blocks so far say of the rest of the run. Absent before the pilot of a run without design.within
	// has ended, and for a run with neither design.precision nor design.within.
	// +optional
	Forecast *Forecast `json:"forecast,omitempty"`
	// stoppedAfterBlocks is the number of blocks that were measured by a run that stopped early.
	// Absent for any other.
	// +optional
	// +kubebuilder:validation:Minimum=1
	StoppedAfterBlocks *int32 `json:"stoppedAfterBlocks,omitempty"`
	// exploratory is why the run can have no verdict; absent where it can.
	// +optional
	Exploratory Line `json:"exploratory,omitempty"`
}

// Forecast is what the blocks of a run say of its rest.
type Forecast struct {
	// afterBlocks were measured when it was made.
	// +required
	// +kubebuilder:validation:Minimum=1
	AfterBlocks int32 `json:"afterBlocks"`
	// precision to within which the least certain ratio of the primary comparisons is known, as a share such as 0.031.
	// Absent where one has no interval.
	// +optional
	Precision Figure `json:"precision,omitempty"`
	// expectedBlocks in all until design.precision is reached, at the spread so far; absent where that is not wanted or
	// not known. More than design.blocks says that it is not reached.
	// +optional
	// +kubebuilder:validation:Minimum=1
	ExpectedBlocks *int32 `json:"expectedBlocks,omitempty"`
	// mostBlocks that fit into design.blocks and, at the pace so far, into design.within.
	// +required
	// +kubebuilder:validation:Minimum=1
	MostBlocks int32 `json:"mostBlocks"`
	// reachable is the precision that so many blocks are expected to reach, at the spread so far, as a share such as 0.018;
	// absent where no ratio varies.
	// +optional
	Reachable Figure `json:"reachable,omitempty"`
}

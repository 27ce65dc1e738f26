package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Gate says whether a run that has ended has passed. It compares the run either with the expected numbers of a
// BenchmarkBaseline, by a threshold or a test, or two sides of the run itself, by a margin.
//
// +kubebuilder:validation:XValidation:rule="has(self.baseline) != has(self.comparisons)",message="a gate compares with one of two: set baseline (a stored BenchmarkBaseline), or comparisons: Declared with a margin (the run's own spec.analysis.comparisons)"
// +kubebuilder:validation:XValidation:rule="!has(self.comparisons) || has(self.margin)",fieldPath=".margin",message="margin is missing: comparisons need the loss that fails, such as 3%"
// +kubebuilder:validation:XValidation:rule="has(self.comparisons) || !has(self.margin)",fieldPath=".margin",message="margin is for comparisons: with a baseline set threshold, such as 25%, or test"
// +kubebuilder:validation:XValidation:rule="!has(self.comparisons) || !has(self.also) && !has(self.otherWorkload) && !has(self.fail) && !has(self.threshold) && !has(self.test) && !has(self.requireLike)",fieldPath=".comparisons",message="also, otherWorkload, fail, threshold, test and requireLike are about a baseline: leave them out with comparisons, which have margin, spec.analysis.errorRate and spec.analysis.requireLike"
// +kubebuilder:validation:XValidation:rule="!has(self.also) || !has(self.baseline) || !self.also.exists(b, b.name == self.baseline)",fieldPath=".also",message="also names further baselines: leave the one of baseline out"
// +kubebuilder:validation:XValidation:rule="has(self.comparisons) || has(self.threshold) || has(self.test) || has(self.fail) && !self.fail.exists(f, f == 'Slower')",message="fail: [Slower] needs a rule: threshold, such as 25%, or test"
type Gate struct {
	// baseline is the name of a BenchmarkBaseline in the namespace of the run. It is read once, at
	// the end of the run, which does not wait for it. Where there is none, Passed is Unknown. A gate has either this
	// field or comparisons.
	// +optional
	// +kubebuilder:validation:MinLength=1
	Baseline Name `json:"baseline,omitempty"`

	// comparisons is Declared for a gate over the run's own spec.analysis.comparisons, which have to be declared: it
	// passes only when all of them pass, so that each one is there because somebody wants it. A comparison passes when it
	// is shown that the value loses less than the margin against its baseline, and fails when it is shown to lose more.
	// Otherwise Passed is Unknown, with what is missing. The tests are one-sided and paired by block, at
	// spec.analysis.errorRate. The gate also fails for a run that is not valid. A measurement without a direction, and
	// cost.memory.server, of which all blocks are one observation, are refused.
	// +optional
	Comparisons GateComparisons `json:"comparisons,omitempty"`

	// margin is the loss that fails, a percentage above 0% and below 100%, only with comparisons. The loss is the share of the
	// baseline's value by which the other value is worse: 3% is a rate of 97 %, or a time of 103 %.
	// +optional
	// +kubebuilder:validation:XValidation:rule="double(self.replace('%', '')) > 0.0 && double(self.replace('%', '')) < 100.0",message="margin must be above 0% and below 100%, such as 3%"
	Margin Percentage `json:"margin,omitempty"`

	// also are further baselines, at most 3, such as that of last week, only with a baseline. The run is compared with each by
	// the same rules. The test is over all measurements of all baselines that can fail together.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=3
	Also []FurtherBaseline `json:"also,omitempty"`

	// otherWorkload is what happens when the run has not the workload of the baseline's run. Refuse: nothing is compared
	// with that baseline, and Passed is Unknown. Compare: it is compared, and the message names the difference. Absent:
	// Refuse. Only with a baseline.
	// +optional
	OtherWorkload OtherWorkload `json:"otherWorkload,omitempty"`

	// fail has what the gate fails for: Slower (a measurement is worse than the rules allow), Missing (the baseline has
	// a measurement, and the run has no value of it that counts), Invalid (the run is not valid), New (the run has a
	// measurement that the baseline does not have). Anything else is named in the condition Passed, and fails nothing.
	// Faster is no failure. Absent: Slower, Missing and Invalid. Only with a baseline.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=4
	Fail []GateFailure `json:"fail,omitempty"`

	// threshold is the largest change of a median for the worse, as a percentage above 0% and up to
	// 1000%. 25% fails a time above 125 %, or a rate below 75 %, of the baseline. Rates, which cannot
	// lose more than everything, need less than 100%. A tolerance that the baseline has for a
	// measurement has precedence. Only with a baseline.
	// +optional
	// +kubebuilder:validation:MaxLength=9
	// +kubebuilder:validation:Pattern=`^[0-9]{1,4}(\.[0-9]{1,3})?%$`
	// +kubebuilder:validation:XValidation:rule="double(self.replace('%', '')) > 0.0 && double(self.replace('%', '')) <= 1000.0",message="threshold must be above 0% and at most 1000%, such as 25%"
	Threshold string `json:"threshold,omitempty"`

	// test compares the values of all blocks of both runs by a rank test. Only with a baseline.
	// +optional
	Test *GateTest `json:"test,omitempty"`

	// requireLike are the properties in which the run and the baseline must not differ. Where they
	// do, or where they are unknown on either side, Passed is Unknown. Absent: differences that
	// matter are named beside the verdict. Only with a baseline: spec.analysis.requireLike is that of comparisons.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=16
	RequireLike []LikeAspect `json:"requireLike,omitempty"`

	// health is what Passed means to GitOps controllers: Ignored (a complete run is healthy), or
	// Required (a run that has ended without Passed being True is Stalled, and so unhealthy).
	// +optional
	// +kubebuilder:default=Ignored
	Health GateHealth `json:"health,omitempty"`
}

// GateComparisons are the comparisons of a gate within a run.
// +kubebuilder:validation:Enum=Declared
type GateComparisons string

// ComparisonsDeclared: those of spec.analysis.comparisons.
const ComparisonsDeclared GateComparisons = "Declared"

// FurtherBaseline of a gate.
// +kubebuilder:object:generate=false
type FurtherBaseline struct {
	// name of a BenchmarkBaseline in the namespace of the run.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// effect is Fail (the gate fails for this baseline as for the first one) or Inform (the message says
	// how the run compares with it, and nothing depends on it).
	// +optional
	// +kubebuilder:default=Fail
	Effect BaselineEffect `json:"effect,omitempty"`
}

// BaselineEffect is what a baseline of a gate decides.
// +kubebuilder:validation:Enum=Fail;Inform
type BaselineEffect string

// Effects of baselines.
const (
	// EffectFail: the gate fails for it.
	EffectFail BaselineEffect = "Fail"
	// EffectInform: the message alone names it.
	EffectInform BaselineEffect = "Inform"
)

// OtherWorkload is what a gate does with a baseline of another workload.
// +kubebuilder:validation:Enum=Refuse;Compare
type OtherWorkload string

// What a gate does with a baseline of another workload.
const (
	RefuseOtherWorkload  OtherWorkload = "Refuse"
	CompareOtherWorkload OtherWorkload = "Compare"
)

// Baselines of a gate, the first one first, each with its effect; none of a gate over comparisons.
func (g Gate) Baselines() []FurtherBaseline {
	if g.Baseline == "" {
		return nil
	}
	out := []FurtherBaseline{{Name: g.Baseline, Effect: EffectFail}}
	for _, b := range g.Also {
		if b.Effect == "" { // as the API server's default
			b.Effect = EffectFail
		}
		out = append(out, b)
	}
	return out
}

// GateFailure is something that a gate can fail for.
// +kubebuilder:validation:Enum=Slower;Missing;Invalid;New
type GateFailure string

// What a gate can fail for.
const (
	FailSlower  GateFailure = "Slower"
	FailMissing GateFailure = "Missing"
	FailInvalid GateFailure = "Invalid"
	FailNew     GateFailure = "New"
)

// GateHealth is what the verdict of a gate means to GitOps controllers.
// +kubebuilder:validation:Enum=Ignored;Required
type GateHealth string

// Healths.
const (
	HealthIgnored  GateHealth = "Ignored"
	HealthRequired GateHealth = "Required"
)

// GateTest is a test of all measurements of a baseline together.
// +kubebuilder:object:generate=false
type GateTest struct {
	// errorRate is the largest probability that at least one measurement is called slower when no
	// value of either run depends on which run it is from, as a percentage from 0.1% to 20%. Runs of
	// one and the same server differ by more than the blocks of a run do, so that false alarms are
	// more frequent: minimumEffect has to cover what runs differ by.
	// +optional
	// +kubebuilder:default="5%"
	// +kubebuilder:validation:MaxLength=8
	// +kubebuilder:validation:Pattern=`^[0-9]{1,3}(\.[0-9]{1,3})?%$`
	// +kubebuilder:validation:XValidation:rule="double(self.replace('%', '')) >= 0.1 && double(self.replace('%', '')) <= 20.0",message="errorRate must be from 0.1% to 20%, such as 5%"
	ErrorRate string `json:"errorRate,omitempty"`

	// minimumEffect is the smallest change for the worse that the test fails for, as a percentage
	// above 0% and up to 100%.
	// +optional
	// +kubebuilder:default="5%"
	// +kubebuilder:validation:MaxLength=8
	// +kubebuilder:validation:Pattern=`^[0-9]{1,3}(\.[0-9]{1,3})?%$`
	// +kubebuilder:validation:XValidation:rule="double(self.replace('%', '')) > 0.0 && double(self.replace('%', '')) <= 100.0",message="minimumEffect must be above 0% and at most 100%, such as 5%"
	MinimumEffect string `json:"minimumEffect,omitempty"`
}

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
	// adjustedP is the p-value of slower for all measurements together, by Holm; absent without a test.
	// +optional
	AdjustedP Figure `json:"adjustedP,omitempty"`
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

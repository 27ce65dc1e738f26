package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Gate compares a run that has ended with the expected numbers of a BenchmarkBaseline. A
// measurement is slower when any of the given rules says so: threshold, test and prediction.
//
// +kubebuilder:validation:XValidation:rule="!has(self.also) || !self.also.exists(b, b.name == self.baseline)",fieldPath=".also",message="also names further baselines: leave the one of baseline out"
// +kubebuilder:validation:XValidation:rule="!self.fail.exists(f, f == 'Slower') || has(self.threshold) || has(self.test) || has(self.prediction)",message="fail: [Slower] needs a rule: threshold, such as 25%, test, or prediction"
type Gate struct {
	// baseline is the name of a BenchmarkBaseline in the namespace of the run. It is read once, at
	// the end of the run, which does not wait for it. Without it Passed is Unknown.
	// +required
	// +kubebuilder:validation:MinLength=1
	Baseline Name `json:"baseline"`

	// also are further baselines, at most 3, such as that of last week. The run is compared with each by
	// the same rules. The test is over all measurements of all baselines that can fail together.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=3
	Also []FurtherBaseline `json:"also,omitempty"`

	// otherWorkload is what happens when the run has not the workload of the baseline's run. Refuse: nothing is compared
	// with that baseline, and Passed is Unknown. Compare: it is compared, and the message names the difference.
	// +optional
	// +kubebuilder:default=Refuse
	OtherWorkload OtherWorkload `json:"otherWorkload,omitempty"`

	// fail has what the gate fails for: Slower (a measurement is worse than the rules allow), Missing (the baseline has
	// a measurement, and the run has no value of it that counts), Invalid (the run is not valid), New (the run has a
	// measurement that the baseline does not have). Anything else is named in the condition Passed, and fails nothing.
	// Faster is no failure.
	// +optional
	// +listType=set
	// +kubebuilder:default={Slower,Missing,Invalid}
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=4
	Fail []GateFailure `json:"fail,omitempty"`

	// threshold is the largest change of a median for the worse, as a percentage above 0% and up to
	// 1000%. 25% fails a time above 125 %, or a rate below 75 %, of the baseline. Rates, which cannot
	// lose more than everything, need less than 100%. A tolerance that the baseline has for a
	// measurement has precedence.
	// +optional
	// +kubebuilder:validation:MaxLength=9
	// +kubebuilder:validation:Pattern=`^[0-9]{1,4}(\.[0-9]{1,3})?%$`
	// +kubebuilder:validation:XValidation:rule="double(self.replace('%', '')) > 0.0 && double(self.replace('%', '')) <= 1000.0",message="threshold must be above 0% and at most 1000%, such as 25%"
	Threshold string `json:"threshold,omitempty"`

	// test compares the values of all blocks of both runs by a rank test. It does not know how runs of one server differ.
	// +optional
	Test *GateTest `json:"test,omitempty"`

	// prediction compares the median of the run with what several runs of the baseline predict of one more: how runs of one
	// server differ is part of it.
	// +optional
	Prediction *GatePrediction `json:"prediction,omitempty"`

	// requireLike are the properties in which the run and the baseline must not differ. Where they
	// do, or where they are unknown on either side, Passed is Unknown. Absent: differences that
	// matter are named beside the verdict.
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

// Baselines of a gate, the first one first, each with its effect.
func (g Gate) Baselines() []FurtherBaseline {
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
	// errorRate is the largest probability that at least one measurement is called slower whose values are worse by
	// minimumEffect or less, as a percentage from 0.1% to 20%. It takes all values of a run as independent. Runs of one and
	// the same server differ by more than the blocks of a run do, so that false alarms are more frequent: minimumEffect
	// has to cover what runs differ by, and prediction measures it.
	// +optional
	// +kubebuilder:default="5%"
	// +kubebuilder:validation:MaxLength=8
	// +kubebuilder:validation:Pattern=`^[0-9]{1,3}(\.[0-9]{1,3})?%$`
	// +kubebuilder:validation:XValidation:rule="double(self.replace('%', '')) >= 0.1 && double(self.replace('%', '')) <= 20.0",message="errorRate must be from 0.1% to 20%, such as 5%"
	ErrorRate string `json:"errorRate,omitempty"`

	// minimumEffect is the change for the worse that is allowed, as a percentage above 0% and up to 100%. A measurement is
	// slower when it is shown to be worse by more: the interval decides, and not the estimate. Rates, which cannot lose
	// more than everything, need less than 100%.
	// +optional
	// +kubebuilder:default="5%"
	// +kubebuilder:validation:MaxLength=8
	// +kubebuilder:validation:Pattern=`^[0-9]{1,3}(\.[0-9]{1,3})?%$`
	// +kubebuilder:validation:XValidation:rule="double(self.replace('%', '')) > 0.0 && double(self.replace('%', '')) <= 100.0",message="minimumEffect must be above 0% and at most 100%, such as 5%"
	MinimumEffect string `json:"minimumEffect,omitempty"`
}

// GatePrediction is a prediction of one more run, of all measurements of a baseline together.
// +kubebuilder:object:generate=false
type GatePrediction struct {
	// errorRate is the largest probability that at least one measurement of a run is called slower which is like those of the
	// baseline (spec.runs), as a percentage from 0.1% to 20%. It takes the medians of runs as independent, and their
	// logarithms as normal.
	// +optional
	// +kubebuilder:default="5%"
	// +kubebuilder:validation:MaxLength=8
	// +kubebuilder:validation:Pattern=`^[0-9]{1,3}(\.[0-9]{1,3})?%$`
	// +kubebuilder:validation:XValidation:rule="double(self.replace('%', '')) >= 0.1 && double(self.replace('%', '')) <= 20.0",message="errorRate must be from 0.1% to 20%, such as 5%"
	ErrorRate string `json:"errorRate,omitempty"`

	// minimumEffect is the change of the level for the worse that is allowed, as a percentage above 0% and up to 100%: a
	// measurement is slower when it is shown to be worse by more. Absent: any change counts that the prediction shows.
	// +optional
	// +kubebuilder:validation:MaxLength=8
	// +kubebuilder:validation:Pattern=`^[0-9]{1,3}(\.[0-9]{1,3})?%$`
	// +kubebuilder:validation:XValidation:rule="double(self.replace('%', '')) > 0.0 && double(self.replace('%', '')) <= 100.0",message="minimumEffect must be above 0% and at most 100%, such as 2%"
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
	// entries are the measurements against each baseline, failures first.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Entries []GateEntry `json:"entries,omitempty"`
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

// GateOutcome of a measurement.
// +kubebuilder:validation:Enum=Passed;Slower;Missing;New;NotJudged
type GateOutcome string

// Outcomes.
const (
	// OutcomePassed: no rule calls it slower.
	OutcomePassed GateOutcome = "Passed"
	// OutcomeSlower: a rule calls it slower.
	OutcomeSlower GateOutcome = "Slower"
	// OutcomeMissing: the run has no value that counts.
	OutcomeMissing GateOutcome = "Missing"
	// OutcomeNew: the baseline does not have it.
	OutcomeNew GateOutcome = "New"
	// OutcomeNotJudged: it cannot be compared; the text says why.
	OutcomeNotJudged GateOutcome = "NotJudged"
)

// GateEntry is one measurement of one target in one cell, against its baseline.
type GateEntry struct {
	// outcome of the measurement.
	// +required
	Outcome GateOutcome `json:"outcome"`
	// baseline that it was compared with.
	// +optional
	Baseline Name `json:"baseline,omitempty"`
	// measurement that was judged.
	// +required
	Measurement MeasurementKey `json:"measurement"`
	// direction is HigherIsBetter or LowerIsBetter; absent where neither is better.
	// +optional
	Direction Direction `json:"direction,omitempty"`
	// expected is the median of the baseline; absent for a new measurement.
	// +optional
	Expected Figure `json:"expected,omitempty"`
	// median of the run; absent for a missing measurement.
	// +optional
	Median Figure `json:"median,omitempty"`
	// ratio of the medians, run over baseline.
	// +optional
	Ratio Figure `json:"ratio,omitempty"`
	// adjustedP is the p-value of the test for all measurements together, by Holm: the probability of values as bad as these or
	// worse, if the measurement were worse by minimumEffect. Absent without spec.gate.test.
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
	// text is the entry in words.
	// +required
	Text Line `json:"text"`
}

package v1alpha1

// Gate says whether a run that has ended has passed. It compares the run either with the expected numbers of a
// BenchmarkBaseline, by a threshold, a test or a prediction, or two sides of the run itself, by a margin.
//
// +kubebuilder:validation:XValidation:rule="has(self.baseline) != has(self.comparisons)",message="a gate compares with one of two: set baseline (a stored BenchmarkBaseline), or comparisons: Declared with a margin (the run's own spec.analysis.comparisons)"
// +kubebuilder:validation:XValidation:rule="!has(self.comparisons) || has(self.margin)",fieldPath=".margin",message="margin is missing: comparisons need the loss that fails, such as 3%"
// +kubebuilder:validation:XValidation:rule="has(self.comparisons) || !has(self.margin)",fieldPath=".margin",message="margin is for comparisons: with a baseline set threshold, such as 25%, test, or prediction"
// +kubebuilder:validation:XValidation:rule="!has(self.comparisons) || !has(self.also) && !has(self.otherWorkload) && !has(self.fail) && !has(self.threshold) && !has(self.test) && !has(self.prediction) && !has(self.requireLike)",fieldPath=".comparisons",message="also, otherWorkload, fail, threshold, test, prediction and requireLike are about a baseline: leave them out with comparisons, which have margin, spec.analysis.errorRate and spec.analysis.requireLike"
// +kubebuilder:validation:XValidation:rule="!has(self.also) || !has(self.baseline) || !self.also.exists(b, b.name == self.baseline)",fieldPath=".also",message="also names further baselines: leave the one of baseline out"
// +kubebuilder:validation:XValidation:rule="has(self.comparisons) || has(self.threshold) || has(self.test) || has(self.prediction) || has(self.fail) && !self.fail.exists(f, f == 'Slower')",message="fail: [Slower] needs a rule: threshold, such as 25%, test, or prediction"
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

	// test compares the values of all blocks of both runs by a rank test. It does not know how runs of one server differ. Only
	// with a baseline.
	// +optional
	Test *GateTest `json:"test,omitempty"`

	// prediction compares the median of the run with what several runs of the baseline predict of one more: how runs of one
	// server differ is part of it. Only with a baseline.
	// +optional
	Prediction *GatePrediction `json:"prediction,omitempty"`

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

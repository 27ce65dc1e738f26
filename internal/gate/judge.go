package gate

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/analysis"
	"github.com/assay-bench/assay/internal/baseline"
	"github.com/assay-bench/assay/internal/contract"
)

const (
	// maxEntries and maxDifferences are the bounds of status.gate.
	maxEntries     = 64
	maxDifferences = 16
	// maxEntriesBytes of texts and labels are shown, to one entry: a tenant writes the labels of a
	// baseline, and a status that is too large ends no run.
	maxEntriesBytes = 64 << 10
)

// Input of a judgement.
type Input struct {
	// Gate of the run.
	Gate v1alpha1.Gate
	// Baseline as it was read; nil where the namespace has none of that name.
	Baseline *v1alpha1.BenchmarkBaseline
	// SHA256 of its spec.
	SHA256 string
	// Failed is why the run has failed, and Invalid why it is not valid; empty where it is not so.
	Failed, Invalid string
	// SpecHash of the run: that of the baseline's run is another one where something else was asked for.
	SpecHash string
	// Run and its records. Without a plan nothing is compared.
	Run analysis.Run
}

// Verdict of a gate: the condition Passed, and status.gate.
type Verdict struct {
	// Status, Reason and Message of the condition.
	Status          metav1.ConditionStatus
	Reason, Message string
	// Gate is what was judged.
	Gate v1alpha1.GateStatus
}

// Judge a run that has ended.
func Judge(in Input) Verdict {
	switch {
	case in.Failed != "":
		return Verdict{Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonRunFailed, Message: cut("the run has failed: " + in.Failed)}
	case in.Baseline == nil:
		return in.unjudged(v1alpha1.ReasonBaselineNotFound, "the namespace has no BenchmarkBaseline "+in.Gate.Baseline+
			", so that nothing was compared: kubectl assay baseline promote makes one from a run")
	}
	j := judgement{Input: in, status: v1alpha1.GateStatus{Baseline: pin(in)}}
	expected, err := baseline.Read(in.Baseline.Spec)
	if err != nil {
		return j.with(in.unjudged(v1alpha1.ReasonBaselineInvalid, "BenchmarkBaseline "+in.Gate.Baseline+": "+err.Error()))
	}
	if in.Run.Layout.Plan == nil {
		return j.with(in.unjudged(v1alpha1.ReasonNotJudged, "the run has no plan, so that nothing was compared"))
	}
	values, err := analysis.ValuesOf(in.Run)
	if err != nil {
		return j.with(in.unjudged(v1alpha1.ReasonNotJudged, err.Error()))
	}
	if err := j.compare(expected, values); err != nil {
		return j.with(in.unjudged(v1alpha1.ReasonNotJudged, err.Error()))
	}
	if j.likeness(expected); j.unmet != "" {
		j.withdraw()
	}
	j.count()
	return j.with(j.verdict())
}

// pin of the baseline.
func pin(in Input) *v1alpha1.GateBaseline {
	b := in.Baseline
	return &v1alpha1.GateBaseline{
		Name: b.Name, UID: string(b.UID), ResourceVersion: b.ResourceVersion, SHA256: in.SHA256, Run: b.Spec.Run.Name, PromotionTime: b.Spec.Promotion.Time.DeepCopy(),
	}
}

// unjudged is the verdict of a gate that cannot decide, unless it fails for results that are not valid.
func (in Input) unjudged(reason, message string) Verdict {
	if in.Invalid != "" && in.fails(v1alpha1.FailInvalid) {
		return Verdict{Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonInvalid, Message: cut("the run is not valid (" + in.Invalid + "); " + message)}
	}
	return Verdict{Status: metav1.ConditionUnknown, Reason: reason, Message: cut(message)}
}

func (in Input) fails(f v1alpha1.GateFailure) bool {
	if len(in.Gate.Fail) == 0 { // as the API server's default
		return f != v1alpha1.FailNew
	}
	return slices.Contains(in.Gate.Fail, f)
}

// judgement under way.
type judgement struct {
	Input
	status v1alpha1.GateStatus
	all    []judged
	// unmet says in which required aspects the sides differ.
	unmet string
}

func (j *judgement) with(v Verdict) Verdict {
	v.Gate = j.status
	return v
}

// judged is one measurement.
type judged struct {
	outcome v1alpha1.GateOutcome
	key     v1alpha1.MeasurementKey
	// ratio of the medians; 0 where they are not compared.
	ratio float64
	text  string
	entry v1alpha1.GateEntry
}

// compare what the baseline expects with what the run has.
func (j *judgement) compare(expected []baseline.Expected, values *analysis.Values) error {
	var names []string
	for _, e := range expected {
		if !slices.Contains(names, e.Key.Name) {
			names = append(names, e.Key.Name)
		}
	}
	has := map[string]analysis.BlockValues{}
	for _, v := range values.Named(names) {
		if key := baseline.Key(baseline.KeyOf(v)); len(has[key].Blocks) == 0 { // the first of two directions
			has[key] = v
		}
	}
	var err error
	if j.all, err = j.rules(expected, has); err != nil {
		return err
	}
	known := map[string]bool{}
	for _, e := range expected {
		known[baseline.Key(e.Key)] = true
	}
	for _, v := range values.Primary() {
		if key := baseline.KeyOf(v); !known[baseline.Key(key)] {
			j.all = append(j.all, newOne(key, v))
		}
	}
	return nil
}

// withdraw what the rules say: in other circumstances it is not about the software. Otherwise a schedule
// would take it for a regression.
func (j *judgement) withdraw() {
	for i, one := range j.all {
		if one.outcome == v1alpha1.OutcomeSlower || one.outcome == v1alpha1.OutcomePassed {
			j.all[i].outcome = v1alpha1.OutcomeNotJudged
			j.all[i].text += " is not judged: the circumstances are not alike"
		}
	}
}

// count the outcomes, and show the entries: what is not as it should be first.
func (j *judgement) count() {
	for _, one := range j.all {
		switch one.outcome {
		case v1alpha1.OutcomeSlower:
			j.status.SlowerCount++
			j.status.JudgedCount++
		case v1alpha1.OutcomePassed:
			j.status.JudgedCount++
		case v1alpha1.OutcomeMissing:
			j.status.MissingCount++
		case v1alpha1.OutcomeNew:
			j.status.NewCount++
		}
	}
	room := maxEntriesBytes
	for _, outcome := range []v1alpha1.GateOutcome{
		v1alpha1.OutcomeSlower, v1alpha1.OutcomeMissing, v1alpha1.OutcomeNew, v1alpha1.OutcomeNotJudged, v1alpha1.OutcomePassed,
	} {
		for _, one := range j.all {
			if one.outcome == outcome && len(j.status.Entries) < maxEntries && room > 0 {
				room -= sizeOf(one.key) + min(len(one.text), maxText)
				one.entry.Outcome, one.entry.Measurement = one.outcome, one.key
				one.entry.Text = contract.Cut(one.text, maxText)
				j.status.Entries = append(j.status.Entries, one.entry)
			}
		}
	}
}

// sizeOf the texts of a key, in bytes.
func sizeOf(k v1alpha1.MeasurementKey) int {
	n := len(k.Target) + len(k.Name) + len(k.Unit)
	for _, values := range []map[string]string{k.Parameters, k.Labels} {
		for name, value := range values {
			n += len(name) + len(value)
		}
	}
	return n
}

// verdict of what was compared.
func (j *judgement) verdict() Verdict {
	var reasons []string
	fail := func(f v1alpha1.GateFailure, reason string, is bool) {
		if is && j.fails(f) {
			reasons = append(reasons, reason)
		}
	}
	fail(v1alpha1.FailInvalid, v1alpha1.ReasonInvalid, j.Invalid != "")
	fail(v1alpha1.FailSlower, v1alpha1.ReasonSlower, j.status.SlowerCount > 0)
	fail(v1alpha1.FailMissing, v1alpha1.ReasonMissing, j.status.MissingCount > 0)
	fail(v1alpha1.FailNew, v1alpha1.ReasonNew, j.status.NewCount > 0)
	out := Verdict{Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonSucceeded}
	switch {
	case len(reasons) > 0:
		out.Status, out.Reason = metav1.ConditionFalse, reasons[0]
	case j.unmet != "":
		out.Status, out.Reason = metav1.ConditionUnknown, v1alpha1.ReasonNotAlike
	case j.status.JudgedCount == 0:
		out.Status, out.Reason = metav1.ConditionUnknown, v1alpha1.ReasonNotJudged
	}
	out.Message = j.words()
	return out
}

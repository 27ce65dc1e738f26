package gate

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/verdict/analysis"
	"github.com/assay-bench/assay/internal/verdict/baseline"
)

// Input of a judgement.
type Input struct {
	// Gate of the run.
	Gate v1alpha1.Gate
	// Baselines as they were read, in the order of Gate.Baselines.
	Baselines []Read
	// Failed is why the run has failed, and Invalid why it is not valid; empty where it is not so.
	Failed, Invalid string
	// SpecHash of the run: that of the baseline's run is another one where something else was asked for.
	SpecHash string
	// Workload of the run, as baselines have it; empty where it is not known.
	Workload string
	// Run and its records. Without a plan nothing is compared.
	Run analysis.Run
	// Sentence of a reason why a comparison of the run is not judged, without a capital and a full stop.
	Sentence func(v1alpha1.VerdictReason) string
}

// Read is a baseline as it was read.
type Read struct {
	// Baseline is nil where the namespace has none of that name.
	Baseline *v1alpha1.BenchmarkBaseline
	// SHA256 of its spec.
	SHA256 string
}

// Verdict of a gate: the condition Passed, and status.gate.
type Verdict struct {
	// Status, Reason and Message of the condition.
	Status          metav1.ConditionStatus
	Reason, Message string
	// Gate is what was judged.
	Gate v1alpha1.GateStatus
}

// Judge a run that has ended, by each baseline of its gate, or by its own comparisons.
func Judge(in Input) Verdict {
	switch {
	case in.Failed != "":
		return Verdict{Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonRunFailed, Message: cut("the run has failed: " + in.Failed)}
	case in.Gate.Comparisons != "":
		return judgeComparisons(in)
	}
	var all []*judgement
	for i, b := range in.Gate.Baselines() {
		j := &judgement{Input: in, status: v1alpha1.GateBaseline{Name: b.Name, Effect: b.Effect}}
		if i < len(in.Baselines) {
			j.Read = in.Baselines[i]
		}
		j.undecided(j.read())
		all = append(all, j)
	}
	if b, err := boundsOf(in.Gate); err != nil {
		for _, j := range all {
			j.undecided(v1alpha1.ReasonNotJudged, err.Error())
		}
	} else {
		rule(all, b)
	}
	for _, j := range all {
		j.conclude()
	}
	return joined(in, all)
}

// joined is the verdict of all baselines together: it fails when any of those that count fails, and passes
// when the run has passed each of them.
func joined(in Input, all []*judgement) Verdict {
	out := Verdict{Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonSucceeded, Gate: v1alpha1.GateStatus{Entries: entriesOf(all)}}
	for _, reason := range []string{v1alpha1.ReasonNew, v1alpha1.ReasonMissing, v1alpha1.ReasonSlower} {
		for _, j := range all {
			if j.counts() && j.status.Passed == metav1.ConditionFalse && j.status.Reason == reason {
				out.Status, out.Reason = metav1.ConditionFalse, reason
			}
		}
	}
	for _, j := range all {
		out.Gate.Baselines = append(out.Gate.Baselines, j.status)
		if j.counts() && j.status.Passed == metav1.ConditionUnknown && out.Status == metav1.ConditionTrue {
			out.Status, out.Reason = metav1.ConditionUnknown, j.status.Reason
		}
	}
	if in.Invalid != "" && in.fails(v1alpha1.FailInvalid) {
		out.Status, out.Reason = metav1.ConditionFalse, v1alpha1.ReasonInvalid
	}
	out.Message = message(in, all)
	return out
}

func (in Input) fails(f v1alpha1.GateFailure) bool {
	if len(in.Gate.Fail) == 0 { // as the API server's default
		return f != v1alpha1.FailNew
	}
	return slices.Contains(in.Gate.Fail, f)
}

// judgement by one baseline.
type judgement struct {
	Input
	Read
	status v1alpha1.GateBaseline
	// expected are the measurements of the baseline, and all what became of them.
	expected []baseline.Expected
	all      []judged
	// tested and predicted are the evidence for the rules that need any, on each that is expected.
	tested    []tested
	predicted []predicted
	// unread is why nothing was compared; empty where something was.
	unread string
	// most is the largest change for the worse that a measurement which passed may have, unfound in one of five such runs.
	most float64
	// unmet says in which required aspects the sides differ.
	unmet string
}

// counts says whether the gate fails for the baseline.
func (j *judgement) counts() bool { return j.status.Effect != v1alpha1.EffectInform }

// undecided is the end of a judgement that cannot decide; without a reason it goes on.
func (j *judgement) undecided(reason, why string) {
	if reason != "" && j.unread == "" {
		j.status.Passed, j.status.Reason, j.unread = metav1.ConditionUnknown, reason, why
	}
}

// read the baseline and what the run has of it. It returns why nothing can be compared; empty otherwise.
func (j *judgement) read() (reason, why string) {
	if j.Baseline == nil {
		return v1alpha1.ReasonBaselineNotFound, "the namespace has no BenchmarkBaseline " + j.status.Name +
			", so that nothing was compared: kubectl assay baseline promote makes one from a run"
	}
	j.status.Pin = j.pin()
	var err error
	if j.expected, err = baseline.Read(j.Baseline.Spec); err != nil {
		return v1alpha1.ReasonBaselineInvalid, "BenchmarkBaseline " + j.status.Name + ": " + err.Error()
	}
	if j.Run.Layout.Plan == nil {
		return v1alpha1.ReasonNotJudged, "the run has no plan, so that nothing was compared"
	}
	if other := j.otherWorkload(); other != "" && j.Gate.OtherWorkload != v1alpha1.CompareOtherWorkload {
		return v1alpha1.ReasonNotComparable, fmt.Sprintf("the run has another workload than baseline %s (run %s), so that nothing was compared: %s", j.status.Name, j.Baseline.Spec.Run.Name, other)
	}
	values, err := analysis.ValuesOf(j.Run)
	if err != nil {
		return v1alpha1.ReasonNotJudged, err.Error()
	}
	j.compare(values)
	return "", ""
}

// pin of the baseline.
func (j *judgement) pin() *v1alpha1.BaselinePin {
	b := j.Baseline
	return &v1alpha1.BaselinePin{
		UID: string(b.UID), ResourceVersion: b.ResourceVersion, SHA256: j.SHA256, Run: b.Spec.Run.Name, PromotionTime: b.Spec.Promotion.Time.DeepCopy(),
	}
}

// conclude what the rules said.
func (j *judgement) conclude() {
	if j.unread != "" {
		return
	}
	if j.likeness(); j.unmet != "" {
		j.withdraw()
	}
	j.missed()
	j.count()
	j.verdict()
}

// judged is one measurement.
type judged struct {
	outcome v1alpha1.GateOutcome
	key     v1alpha1.MeasurementKey
	// ratio of the medians; 0 where they are not compared.
	ratio float64
	// factor: ratios are written as factors, as all of this baseline then are.
	factor bool
	text   string
	entry  v1alpha1.GateEntry
	// detectable is the smallest change for the worse that a rule would have found; 0 where that is not known.
	detectable float64
}

// compare what the baseline expects with what the run has.
func (j *judgement) compare(values *analysis.Values) {
	var names []string
	known := map[string]bool{}
	for _, e := range j.expected {
		known[baseline.Key(e.Key)] = true
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
	j.measure(has)
	for _, v := range values.Primary() {
		if key := baseline.KeyOf(v); !known[baseline.Key(key)] {
			j.all = append(j.all, newOne(key, v))
		}
	}
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

// verdict of what was compared.
func (j *judgement) verdict() {
	st := &j.status
	st.Passed, st.Reason = metav1.ConditionTrue, v1alpha1.ReasonSucceeded
	switch {
	case st.SlowerCount > 0 && j.fails(v1alpha1.FailSlower):
		st.Passed, st.Reason = metav1.ConditionFalse, v1alpha1.ReasonSlower
	case st.MissingCount > 0 && j.fails(v1alpha1.FailMissing):
		st.Passed, st.Reason = metav1.ConditionFalse, v1alpha1.ReasonMissing
	case st.NewCount > 0 && j.fails(v1alpha1.FailNew):
		st.Passed, st.Reason = metav1.ConditionFalse, v1alpha1.ReasonNew
	case j.unmet != "":
		st.Passed, st.Reason = metav1.ConditionUnknown, v1alpha1.ReasonNotAlike
	case st.JudgedCount == 0:
		st.Passed, st.Reason = metav1.ConditionUnknown, v1alpha1.ReasonNotJudged
	}
}

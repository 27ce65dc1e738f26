package gate

import (
	"fmt"
	"math"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/verdict/analysis"
	"github.com/assay-bench/assay/internal/verdict/baseline"
)

// own are the comparisons of a run that its gate judges.
type own struct {
	Input
	analysis.Losses
	margin string
	// texts of the comparisons by their outcomes.
	texts map[v1alpha1.GateOutcome][]string
}

// judgeComparisons of a run. The gate passes when all of them pass, each by a test at the full error rate, and fails when any
// fails, by tests that share it: stats.DecideLosses says why. Results that contradict themselves fail it, as they fail a gate
// with a baseline by default.
func judgeComparisons(in Input) Verdict {
	out := Verdict{Status: metav1.ConditionUnknown, Reason: v1alpha1.ReasonNotJudged}
	o := own{Input: in, margin: figure.Share(in.Run.Declaration.Margin), texts: map[v1alpha1.GateOutcome][]string{}}
	var unread string
	if in.Run.Layout.Plan == nil {
		unread = "the run has no plan, so that nothing was compared"
	} else if losses, err := analysis.LossesOf(in.Run.Input); err != nil {
		unread = "nothing was compared: " + err.Error()
	} else {
		o.Losses = losses
		out.Status, out.Reason = o.verdict()
		out.Gate = o.status()
	}
	var parts []string
	if in.Invalid != "" {
		parts = append(parts, in.notValid())
		out.Status, out.Reason = metav1.ConditionFalse, v1alpha1.ReasonInvalid
	}
	if unread != "" {
		parts = append(parts, unread)
	} else {
		parts = append(parts, o.words())
	}
	out.Message = cut(strings.Join(parts, "; "))
	return out
}

// verdict of the comparisons.
func (o own) verdict() (status metav1.ConditionStatus, reason string) {
	switch o.Outcome() {
	case v1alpha1.OutcomeSlower:
		return metav1.ConditionFalse, v1alpha1.ReasonSlower
	case v1alpha1.OutcomePassed:
		return metav1.ConditionTrue, v1alpha1.ReasonSucceeded
	}
	for _, v := range o.All {
		if len(v.Reasons) > 0 && v.Reasons[0].Code == v1alpha1.CodeNotAlike {
			return metav1.ConditionUnknown, v1alpha1.ReasonNotAlike
		}
	}
	return metav1.ConditionUnknown, v1alpha1.ReasonNotJudged
}

// status of the gate: failures first, and then what is not decided.
func (o own) status() v1alpha1.GateStatus {
	c := &v1alpha1.GateOwnComparisons{Margin: v1alpha1.FourDigits(o.Run.Declaration.Margin), ErrorRate: v1alpha1.FourDigits(o.ErrorRate)}
	counts := map[v1alpha1.GateOutcome]*int32{
		v1alpha1.OutcomeSlower: &c.SlowerCount, v1alpha1.OutcomeNotJudged: &c.UndecidedCount, v1alpha1.OutcomePassed: &c.PassedCount,
	}
	var shown listing
	for _, outcome := range []v1alpha1.GateOutcome{v1alpha1.OutcomeSlower, v1alpha1.OutcomeNotJudged, v1alpha1.OutcomePassed} {
		for _, v := range o.All {
			if v.Outcome == outcome {
				*counts[outcome]++
				e := o.entry(v)
				o.texts[outcome] = append(o.texts[outcome], e.Text)
				shown.add(e)
			}
		}
	}
	return v1alpha1.GateStatus{Comparisons: c, Entries: shown.entries}
}

// entry of a comparison.
func (o own) entry(v analysis.LossVerdict) v1alpha1.GateEntry {
	c := v.Comparison
	e := v1alpha1.GateEntry{
		Outcome: v.Outcome, Factor: c.Factor, Against: c.Baseline, Unlike: c.Unlike, Measurement: baseline.KeyOf(v.Value), Direction: string(v.Value.Direction), Ratio: c.Ratio,
		BlocksNeeded: int32(v.BlocksNeeded),
	}
	if len(v.Value.Blocks) > 0 {
		e.Expected, e.Median = v1alpha1.FourDigits(medianOf(v.Baseline.Blocks)), v1alpha1.FourDigits(medianOf(v.Value.Blocks))
	}
	if len(v.Reasons) == 0 && v.Value.Direction != "" {
		bound := betterOf(v.Value.Direction).RatioAt(o.Run.Declaration.Margin)
		e.Bound = v1alpha1.FourDigits(bound)
		e.AdjustedP, e.PassedP = beside(v.Decision.FailedP, o.ErrorRate), beside(v.Decision.P, o.ErrorRate)
		if i := v.Decision.Interval; i.Low > 0 {
			e.IntervalLow = beside(i.Low, bound)
		}
		if i := v.Decision.Interval; !math.IsInf(i.High, 1) {
			e.IntervalHigh = beside(i.High, bound)
		}
	}
	e.Text = o.text(v, e)
	return e
}

// beside a bound that decides: a number that no rounding brings to its other side.
func beside(v, bound float64) string {
	const digits = 4
	shown, ok := figure.Decimal(figure.Beside(digits, v, bound))
	if !ok {
		return v1alpha1.FourDigits(v)
	}
	return v1alpha1.Decimal(shown)
}

// text of a comparison, such as
//
//	head throughput against base: 97.1 tx/s against 100, -2.9 % (-3.6 to -2.1 %): a loss of 3 % is neither shown nor excluded; 24 blocks decide where nothing is lost
func (o own) text(v analysis.LossVerdict, e v1alpha1.GateEntry) string {
	against := analysis.SideOfBaseline(e.Against, e.Unlike)
	if e.Factor != v1alpha1.FactorTarget {
		against = e.Factor + " " + against
	}
	text := baseline.Words(e.Measurement) + " against " + against + ": "
	if e.Median != "" {
		text += withUnit(medianOf(v.Value.Blocks), e.Measurement.Unit) + " against " + e.Expected
		if effect := figure.EffectOf(e.Ratio, e.IntervalLow, e.IntervalHigh).String(); effect != "" {
			text += ", " + effect
		}
		text += ": "
	}
	return text + o.conclusion(v)
}

// conclusion of a comparison, or why there is none.
func (o own) conclusion(v analysis.LossVerdict) string {
	switch {
	case len(v.Reasons) > 0:
		var why []string
		for _, r := range v.Reasons {
			why = append(why, o.sentence(r))
		}
		return strings.Join(why, "; ")
	case v.Value.Direction == "":
		return "neither higher nor lower is better"
	case v.Outcome == v1alpha1.OutcomeSlower:
		return "a loss of more than " + o.margin
	case v.Outcome == v1alpha1.OutcomePassed:
		return "a loss of less than " + o.margin
	}
	text := fmt.Sprintf("a loss of %s is neither shown nor excluded", o.margin)
	if n := v.Comparison.BlockCount; v.BlocksNeeded > int(n) {
		text += fmt.Sprintf("; %d blocks have it decided in four of five runs where nothing is lost, and %d count", v.BlocksNeeded, n)
	}
	return text
}

// sentence of a reason; its code where nobody has words for it.
func (o own) sentence(r v1alpha1.VerdictReason) string {
	if o.Sentence == nil {
		return string(r.Code)
	}
	return o.Sentence(r)
}

// named are the first comparisons of an outcome.
func (o own) named(outcome v1alpha1.GateOutcome) string { return firstOf(o.texts[outcome], "; ") }

// words on all comparisons: how many lose too much, and which; each of those that are not decided, and why.
func (o own) words() string {
	slower, open := len(o.texts[v1alpha1.OutcomeSlower]), len(o.texts[v1alpha1.OutcomeNotJudged])
	parts := []string{fmt.Sprintf("%d of %d comparisons lose more than %s", slower, len(o.All), o.margin)}
	if slower+open == 0 {
		parts = append(parts, "all lose less: "+o.named(v1alpha1.OutcomePassed))
	}
	if slower > 0 {
		parts = append(parts, "slower: "+o.named(v1alpha1.OutcomeSlower))
	}
	if open > 0 {
		parts = append(parts, fmt.Sprintf("%d not decided: ", open)+o.named(v1alpha1.OutcomeNotJudged))
	}
	return strings.Join(parts, "; ")
}

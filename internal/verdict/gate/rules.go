package gate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/trial/costs"
	"github.com/assay-bench/assay/internal/verdict/analysis"
	"github.com/assay-bench/assay/internal/verdict/baseline"
)

// bounds of the rules of a gate; 0 for a rule that is not given.
type bounds struct{ threshold, errorRate, minimumEffect float64 }

func boundsOf(g v1alpha1.Gate) (b bounds, err error) {
	if g.Threshold != "" {
		if b.threshold, err = analysis.Share(g.Threshold); err != nil {
			return b, fmt.Errorf("spec.gate.threshold: %w", err)
		}
	}
	if g.Test == nil {
		return b, nil
	}
	if b.errorRate, err = analysis.Share(g.Test.ErrorRate); err != nil {
		return b, fmt.Errorf("spec.gate.test.errorRate: %w", err)
	}
	if b.minimumEffect, err = analysis.Share(g.Test.MinimumEffect); err != nil {
		return b, fmt.Errorf("spec.gate.test.minimumEffect: %w", err)
	}
	return b, nil
}

// measure what the baseline expects: the medians of both sides, and the comparisons for the test. Which
// ones are in its family never depends on values.
func (j *judgement) measure(has map[string]analysis.BlockValues) {
	n, factor := len(j.expected), false
	j.all, j.family, j.untested = make([]judged, n), make([]stats.Comparison, n), make([]string, n)
	for i, e := range j.expected {
		v, there := has[baseline.Key(e.Key)]
		j.all[i] = medians(e, v, there)
		factor = factor || j.all[i].ratio > 0 && figure.IsFar(j.all[i].ratio)
		if j.Gate.Test == nil || j.all[i].outcome != v1alpha1.OutcomePassed || costs.SinceStart(e.Key.Name) {
			continue
		}
		var err error
		if j.family[i], err = stats.CompareUnpaired(v.Blocks, e.Blocks); err != nil {
			j.untested[i] = "the test needs positive values: " + err.Error()
		}
	}
	for i, e := range j.expected {
		if one := &j.all[i]; one.outcome == v1alpha1.OutcomePassed {
			one.factor = factor
			one.text += " (" + change(e.Direction, one.ratio, factor) + ")"
		}
	}
}

// rule on each measurement. The measurements of all baselines that can fail the gate are one family, so
// that the error rate is that of the gate. Those that inform are another one: they take nothing from it.
func rule(all []*judgement, b bounds) {
	for _, counts := range []bool{true, false} {
		var some []*judgement
		var family []stats.Comparison
		for _, j := range all {
			if j.counts() == counts && j.unread == "" {
				some, family = append(some, j), append(family, j.family...)
			}
		}
		decisions := make([]stats.Decision, len(family))
		if b.errorRate > 0 {
			decisions = stats.Decide(family, b.errorRate, b.minimumEffect)
		}
		for _, j := range some {
			for i, e := range j.expected {
				if j.all[i].outcome == v1alpha1.OutcomePassed {
					j.all[i].judge(e, b, tested{decisions[i], j.family[i], j.untested[i]})
				}
			}
			decisions = decisions[len(j.expected):]
		}
	}
}

// medians of both sides. The outcome is Passed where they can be compared.
func medians(e baseline.Expected, v analysis.BlockValues, there bool) judged {
	out := judged{key: e.Key, outcome: v1alpha1.OutcomePassed}
	was := medianOf(e.Blocks)
	out.entry.Expected, out.entry.Direction = v1alpha1.FourDigits(was), string(e.Direction)
	if !there {
		out.outcome, out.text = v1alpha1.OutcomeMissing, fmt.Sprintf("%s: the baseline has %s, and the run has no value that counts", baseline.Words(e.Key), withUnit(was, e.Key.Unit))
		return out
	}
	is := medianOf(v.Blocks)
	out.entry.Median = v1alpha1.FourDigits(is)
	out.ratio = is / was
	why, beside0 := "", false
	switch {
	case e.Direction == "":
		why = "neither higher nor lower is better"
	case v.Direction != e.Direction:
		why = "another direction is better in the run"
	case was == 0 && is >= 0 && e.Direction == contract.LowerIsBetter, was > 0 && is == 0:
		// 0 says which of them is worse: a rate of 0 has lost all of it, and any error is more than none.
		if beside0 = true; was == is {
			out.ratio = 1
		}
	case !(was > 0 && is > 0):
		why = "a ratio needs positive values"
	case !(out.ratio > 1e-9 && out.ratio < 1e9):
		why = "the ratio is beyond what is compared"
	}
	if why != "" {
		out.ratio, out.outcome, out.text = 0, v1alpha1.OutcomeNotJudged, fmt.Sprintf("%s: %s against %s is not judged: %s", baseline.Words(e.Key), withUnit(is, e.Key.Unit), figure.Number(was), why)
		return out
	}
	if !beside0 {
		out.entry.Ratio = v1alpha1.FourDigits(out.ratio)
	}
	out.text = fmt.Sprintf("%s: %s against %s", baseline.Words(e.Key), withUnit(is, e.Key.Unit), figure.Number(was))
	return out
}

// worse is the relative change for the worse: 0.25 for a time of 125 %, or a rate of 75 %. It is
// negative for one for the better.
func worse(d contract.Direction, ratio float64) float64 { return betterOf(d).Loss(ratio) }

// betterOf a direction; where there is none, a ratio that is larger counts as worse.
func betterOf(d contract.Direction) stats.Direction {
	if d == contract.HigherIsBetter {
		return stats.HigherIsBetter
	}
	return stats.LowerIsBetter
}

// rounding of two ways to compute one number decides nothing.
const rounding = 1e-12

// tested is what the test decides of a comparison.
type tested struct {
	stats.Decision
	of stats.Comparison
	// absent is why there is no comparison; empty where there is one.
	absent string
}

// judge a measurement by all rules that are given. One that none of them could call slower is not
// judged: it must not pass.
func (one *judged) judge(e baseline.Expected, b bounds, d tested) {
	limit := b.threshold
	if e.Tolerance > 0 {
		limit = e.Tolerance
	}
	var why []string
	if limit > 0 {
		why = append(why, one.byThreshold(e, limit))
	}
	if b.errorRate > 0 {
		why = append(why, one.byTest(e, b, d))
	}
	if len(why) > 0 && !slices.Contains(why, "") {
		one.outcome = v1alpha1.OutcomeNotJudged
		one.text += " is not judged: " + strings.Join(why, "; ")
	}
}

// byThreshold: the median is worse by more than the limit. It returns why the rule says nothing; empty
// where it does.
func (one *judged) byThreshold(e baseline.Expected, limit float64) string {
	if e.Direction == contract.HigherIsBetter && limit >= 1 {
		return fmt.Sprintf("a threshold of %s allows a rate of 0", figure.Share(limit))
	}
	if worse(e.Direction, one.ratio) > limit+rounding {
		one.outcome = v1alpha1.OutcomeSlower
		one.text += fmt.Sprintf(", and %s is allowed", figure.Share(limit))
	}
	return ""
}

// byTest: the values are worse, as far as the error rate says, and by the minimum effect or more. It
// returns why the rule says nothing; empty where it does.
func (one *judged) byTest(e baseline.Expected, b bounds, d tested) string {
	if costs.SinceStart(e.Key.Name) {
		return "all blocks show one observation, the largest since the server began"
	}
	switch {
	case d.absent != "" && e.Direction == contract.HigherIsBetter && one.ratio == 0:
		one.outcome = v1alpha1.OutcomeSlower
		return ""
	case d.absent != "":
		return d.absent
	}
	one.entry.AdjustedP = v1alpha1.FourDigits(d.P)
	if d.Exploratory {
		return fmt.Sprintf("%d blocks count in the run that has fewer, and the test needs %d", d.of.N, stats.MinBlocks)
	}
	differs := d.Larger && e.Direction == contract.LowerIsBetter || d.Smaller && e.Direction == contract.HigherIsBetter
	if differs && worse(e.Direction, d.of.Ratio) >= b.minimumEffect-rounding {
		one.outcome = v1alpha1.OutcomeSlower
		one.text += fmt.Sprintf(", by the blocks %s, p %s for all measurements", change(e.Direction, d.of.Ratio, one.factor), figure.P(strconv.FormatFloat(d.P, 'g', -1, 64), b.errorRate))
	}
	return ""
}

// newOne is a measurement that the baseline does not have.
func newOne(key v1alpha1.MeasurementKey, v analysis.BlockValues) judged {
	is := medianOf(v.Blocks)
	out := judged{key: key, outcome: v1alpha1.OutcomeNew, text: fmt.Sprintf("%s: the run has %s, and the baseline has no such measurement", baseline.Words(key), withUnit(is, key.Unit))}
	out.entry.Median, out.entry.Direction = v1alpha1.FourDigits(is), string(v.Direction)
	return out
}

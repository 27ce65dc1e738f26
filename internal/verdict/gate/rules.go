package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/verdict/analysis"
	"github.com/assay-bench/assay/internal/verdict/baseline"
)

// bounds of the rules of a gate; those of a rule that is not given are 0.
type bounds struct {
	threshold        float64
	test, prediction rates
}

// rates of a rule by which measurements are tested together: the error rate, and the change for the worse that is allowed.
type rates struct{ errorRate, minimumEffect float64 }

// power with which a gate says what it would have found.
const power = 0.8

func boundsOf(g v1alpha1.Gate) (b bounds, err error) {
	read := func(to *float64, field, text string) {
		if err != nil || text == "" {
			return
		}
		if *to, err = analysis.Share(text); err != nil {
			err = fmt.Errorf("spec.gate.%s: %w", field, err)
		}
	}
	read(&b.threshold, "threshold", g.Threshold)
	if t := g.Test; t != nil {
		read(&b.test.errorRate, "test.errorRate", cmp.Or(t.ErrorRate, v1alpha1.DefaultErrorRate))
		read(&b.test.minimumEffect, "test.minimumEffect", cmp.Or(t.MinimumEffect, defaultMinimumEffect))
	}
	if p := g.Prediction; p != nil {
		read(&b.prediction.errorRate, "prediction.errorRate", cmp.Or(p.ErrorRate, v1alpha1.DefaultErrorRate))
		read(&b.prediction.minimumEffect, "prediction.minimumEffect", p.MinimumEffect)
	}
	return b, err
}

// defaultMinimumEffect of a test, as the API server has it.
const defaultMinimumEffect = "5%"

// measure what the baseline expects: the medians of both sides, the comparisons for the test, and the predictions. Which
// ones are in their families never depends on values.
func (j *judgement) measure(has map[string]analysis.BlockValues) {
	factor := false
	j.all, j.tested, j.predicted = make([]judged, len(j.expected)), make([]tested, len(j.expected)), make([]predicted, len(j.expected))
	for i, e := range j.expected {
		v, there := has[baseline.Key(e.Key)]
		j.all[i] = medians(e, v, there)
		factor = factor || j.all[i].ratio > 0 && figure.IsFar(j.all[i].ratio)
		j.tested[i].p, j.predicted[i].p = 1, 1
		if j.all[i].outcome != v1alpha1.OutcomePassed {
			continue
		}
		if j.Gate.Test != nil {
			j.tested[i] = testOf(e, v)
		}
		if j.Gate.Prediction != nil {
			j.predicted[i] = predictionOf(e, v)
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
		var byTest, byPrediction []float64
		for _, j := range all {
			if j.counts() != counts || j.unread != "" {
				continue
			}
			some = append(some, j)
			for i, e := range j.expected {
				j.tested[i].test(e.Direction, b.test)
				j.predicted[i].test(e.Direction, b.prediction)
				byTest, byPrediction = append(byTest, j.tested[i].p), append(byPrediction, j.predicted[i].p)
			}
		}
		byTest, byPrediction = stats.Holm(byTest), stats.Holm(byPrediction)
		family := len(byTest)
		for _, j := range some {
			for i, e := range j.expected {
				if j.all[i].outcome == v1alpha1.OutcomePassed {
					j.tested[i].p, j.predicted[i].p = byTest[i], byPrediction[i]
					j.all[i].judge(e, b, evidence{j.tested[i], j.predicted[i], family})
				}
			}
			byTest, byPrediction = byTest[len(j.expected):], byPrediction[len(j.expected):]
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

// evidence on one measurement, which is one of a family of so many.
type evidence struct {
	tested    tested
	predicted predicted
	family    int
}

// judge a measurement by all rules that are given. One that none of them could call slower is not
// judged: it must not pass.
func (one *judged) judge(e baseline.Expected, b bounds, d evidence) {
	limit := b.threshold
	if e.Tolerance > 0 {
		limit = e.Tolerance
	}
	var why []string
	if limit > 0 {
		why = append(why, one.byThreshold(e, limit))
	}
	if b.test.errorRate > 0 {
		why = append(why, one.byTest(e, b.test, d))
	}
	if b.prediction.errorRate > 0 {
		why = append(why, one.byPrediction(e, b.prediction, d))
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

// reaches says whether a p-value is at most the error rate.
func (r rates) reaches(p float64) bool { return p <= r.errorRate*(1+rounding) }

// allows a rate of 0, so that no rate is ever worse than that; empty where it does not.
func (r rates) allows(d contract.Direction) string {
	if d == contract.HigherIsBetter && r.minimumEffect >= 1 {
		return fmt.Sprintf("a minimum effect of %s allows a rate of 0", figure.Share(r.minimumEffect))
	}
	return ""
}

// allowed is the ratio of a measurement that is worse by the minimum effect.
func (r rates) allowed(d contract.Direction) float64 { return betterOf(d).RatioAt(r.minimumEffect) }

// p is a p-value in words, which no rounding brings to the other side of the error rate.
func (r rates) p(p float64) string {
	return figure.P(strconv.FormatFloat(p, 'g', -1, 64), r.errorRate)
}

// found is the change for the worse that is found where so large an effect beyond the minimum effect is.
func (r rates) found(d contract.Direction, effect float64) float64 {
	if d == contract.HigherIsBetter {
		return worse(d, r.allowed(d)/(1+effect))
	}
	return worse(d, r.allowed(d)*(1+effect))
}

// newOne is a measurement that the baseline does not have.
func newOne(key v1alpha1.MeasurementKey, v analysis.BlockValues) judged {
	is := medianOf(v.Blocks)
	out := judged{key: key, outcome: v1alpha1.OutcomeNew, text: fmt.Sprintf("%s: the run has %s, and the baseline has no such measurement", baseline.Words(key), withUnit(is, key.Unit))}
	out.entry.Median, out.entry.Direction = v1alpha1.FourDigits(is), string(v.Direction)
	return out
}

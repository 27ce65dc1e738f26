package gate

import (
	"fmt"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/analysis"
	"github.com/assay-bench/assay/internal/baseline"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/costs"
	"github.com/assay-bench/assay/internal/stats"
)

// bounds of the rules of a gate; 0 for a rule that is not given.
type bounds struct{ threshold, errorRate, minimumEffect float64 }

func boundsOf(g v1alpha1.Gate) (b bounds, err error) {
	if g.Threshold != "" {
		if b.threshold, err = baseline.Share(g.Threshold); err != nil {
			return b, fmt.Errorf("spec.gate.threshold: %w", err)
		}
	}
	if g.Test == nil {
		return b, nil
	}
	if b.errorRate, err = baseline.Share(g.Test.ErrorRate); err != nil {
		return b, fmt.Errorf("spec.gate.test.errorRate: %w", err)
	}
	if b.minimumEffect, err = baseline.Share(g.Test.MinimumEffect); err != nil {
		return b, fmt.Errorf("spec.gate.test.minimumEffect: %w", err)
	}
	return b, nil
}

// rules judge each measurement that the baseline expects. The test is over all of them together: which
// ones are in its family never depends on values.
func (j *judgement) rules(expected []baseline.Expected, has map[string]analysis.BlockValues) ([]judged, error) {
	b, err := boundsOf(j.Gate)
	if err != nil {
		return nil, err
	}
	out := make([]judged, len(expected))
	family := make([]stats.Comparison, len(expected))
	for i, e := range expected {
		v, there := has[baseline.Key(e.Key)]
		out[i] = medians(e, v, there)
		if b.errorRate == 0 || out[i].outcome != v1alpha1.OutcomePassed || costs.SinceStart(e.Key.Name) {
			continue
		}
		if c, err := stats.CompareUnpaired(v.Blocks, e.Blocks); err == nil {
			family[i] = c
		}
	}
	decisions := make([]stats.Decision, len(expected))
	if b.errorRate > 0 {
		decisions = stats.Decide(family, b.errorRate, b.minimumEffect)
	}
	for i, e := range expected {
		if out[i].outcome != v1alpha1.OutcomePassed {
			continue
		}
		limit := b.threshold
		if e.Tolerance > 0 {
			limit = e.Tolerance
		}
		out[i].byThreshold(e, limit)
		if b.errorRate > 0 {
			out[i].byTest(e, family[i], tested{decisions[i], b})
		}
	}
	return out, nil
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
	ratio := is / was
	why := ""
	switch {
	case e.Direction == "":
		why = "neither higher nor lower is better"
	case v.Direction != e.Direction:
		why = "another direction is better in the run"
	case !(was > 0 && is > 0):
		why = "a ratio needs positive values"
	case !(ratio > 1e-9 && ratio < 1e9):
		why = "the ratio is beyond what is compared"
	}
	if why != "" {
		out.outcome, out.text = v1alpha1.OutcomeNotJudged, fmt.Sprintf("%s: %s against %s is not judged: %s", baseline.Words(e.Key), withUnit(is, e.Key.Unit), v1alpha1.FourDigits(was), why)
		return out
	}
	out.ratio, out.entry.Ratio = ratio, v1alpha1.FourDigits(ratio)
	out.text = fmt.Sprintf("%s: %s against %s (%s)", baseline.Words(e.Key), withUnit(is, e.Key.Unit), v1alpha1.FourDigits(was), change(e.Direction, ratio))
	return out
}

// worse is the relative change for the worse: 0.25 for a time of 125 %, or a rate of 75 %. It is
// negative for one for the better.
func worse(d contract.Direction, ratio float64) float64 {
	if d == contract.HigherIsBetter {
		return 1 - ratio
	}
	return ratio - 1
}

// rounding of two ways to compute one number decides nothing.
const rounding = 1e-12

// byThreshold: the median is worse by more than the limit; 0 for no limit.
func (one *judged) byThreshold(e baseline.Expected, limit float64) {
	if w := worse(e.Direction, one.ratio); limit > 0 && w > limit+rounding {
		one.outcome = v1alpha1.OutcomeSlower
		one.text += fmt.Sprintf(", and %s is allowed", analysis.Percent(limit))
	}
}

// tested is what the test decides, with its bounds.
type tested struct {
	stats.Decision
	bounds
}

// byTest: the values are worse, as far as the error rate says, and by the minimum effect or more.
func (one *judged) byTest(e baseline.Expected, c stats.Comparison, d tested) {
	if costs.SinceStart(e.Key.Name) {
		return // all blocks are one observation
	}
	one.entry.AdjustedP = v1alpha1.FourDigits(d.P)
	if d.Exploratory {
		one.text += fmt.Sprintf("; %d blocks are too few for the test, which needs %d", c.N, stats.MinBlocks)
		return
	}
	differs := d.Larger && e.Direction == contract.LowerIsBetter || d.Smaller && e.Direction == contract.HigherIsBetter
	if differs && worse(e.Direction, c.Ratio) >= d.minimumEffect-rounding {
		one.outcome = v1alpha1.OutcomeSlower
		one.text += fmt.Sprintf(", p %s for all measurements", one.entry.AdjustedP)
	}
}

// newOne is a measurement that the baseline does not have.
func newOne(key v1alpha1.MeasurementKey, v analysis.BlockValues) judged {
	is := medianOf(v.Blocks)
	out := judged{key: key, outcome: v1alpha1.OutcomeNew, text: fmt.Sprintf("%s: the run has %s, and the baseline has no such measurement", baseline.Words(key), withUnit(is, key.Unit))}
	out.entry.Median, out.entry.Direction = v1alpha1.FourDigits(is), string(v.Direction)
	return out
}

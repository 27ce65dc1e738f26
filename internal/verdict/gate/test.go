package gate

import (
	"fmt"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/trial/costs"
	"github.com/assay-bench/assay/internal/verdict/analysis"
	"github.com/assay-bench/assay/internal/verdict/baseline"
)

// tested is the test of one measurement: the blocks of the run against those of the baseline.
type tested struct {
	of stats.Comparison
	// p of a change for the worse by the minimum effect or less, and then for the whole family.
	p float64
	// absent is why there is no comparison; empty where there is one.
	absent string
}

func testOf(e baseline.Expected, v analysis.BlockValues) tested {
	out := tested{p: 1}
	if costs.SinceStart(e.Key.Name) {
		out.absent = "all blocks show one observation, the largest since the server began"
		return out
	}
	var err error
	if out.of, err = stats.CompareUnpaired(v.Blocks, e.Blocks); err != nil {
		out.absent = "the test needs positive values: " + err.Error()
	}
	return out
}

// test that the values are worse by more than the minimum effect: that the interval is, and not the estimate alone.
func (d *tested) test(direction contract.Direction, by rates) {
	switch {
	case by.errorRate == 0 || d.absent != "" || d.of.N < stats.MinBlocks:
	case direction == contract.HigherIsBetter:
		d.p = d.of.PBelow(by.allowed(direction))
	case direction == contract.LowerIsBetter:
		d.p = d.of.PAbove(by.allowed(direction))
	}
}

// byTest: the values are worse by more than the minimum effect, as far as the error rate says. It returns why the rule says
// nothing; empty where it does.
func (one *judged) byTest(e baseline.Expected, by rates, d evidence) string {
	t := d.tested
	if why := by.allows(e.Direction); why != "" {
		return why
	}
	switch {
	case t.absent != "" && e.Direction == contract.HigherIsBetter && one.ratio == 0 && !costs.SinceStart(e.Key.Name):
		one.outcome = v1alpha1.OutcomeSlower
		return ""
	case t.absent != "":
		return t.absent
	}
	one.entry.AdjustedP = v1alpha1.FourDigits(t.p)
	if t.of.N < stats.MinBlocks {
		return fmt.Sprintf("%d blocks count in the run that has fewer, and the test needs %d", t.of.N, stats.MinBlocks)
	}
	if by.reaches(t.p) {
		one.outcome = v1alpha1.OutcomeSlower
		one.text += fmt.Sprintf(", by the blocks %s, and by more than %s with p %s for all measurements", change(e.Direction, t.of.Ratio, one.factor), figure.Share(by.minimumEffect), by.p(t.p))
		return ""
	}
	effect, ok := t.of.Detectable(by.errorRate/float64(d.family), power)
	if !ok {
		return fmt.Sprintf("%d blocks show nothing among %d measurements: measure more blocks, or promote fewer measurements", t.of.N, d.family)
	}
	one.finds(by.found(e.Direction, effect))
	return ""
}

package analysis

import (
	"maps"
	"math"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/stats"
)

// Losses are what the declared comparisons of a run show of a loss of the margin of its gate.
type Losses struct {
	// ErrorRate of the gate: that of the run, or the part of it that each interim analysis has.
	ErrorRate float64
	// All comparisons of the primary family, in its order.
	All []LossVerdict
}

// LossVerdict is one comparison.
type LossVerdict struct {
	// Comparison names the sides, and has the ratio of the blocks; it has no verdict.
	Comparison v1alpha1.ComparisonEntry
	// Value and Baseline are both sides, with the values of the blocks that count on both; none where there is no pair.
	Value, Baseline BlockValues
	// Decision of the tests, at the error rate of the gate.
	Decision stats.LossDecision
	// Outcome is Passed, Slower or NotJudged.
	Outcome v1alpha1.GateOutcome
	// Reasons why it cannot be judged; none where the blocks decide, or are too few for the margin.
	Reasons []v1alpha1.VerdictReason
	// BlocksNeeded let the whole family pass in four of five runs where nothing is lost, at the spread of this comparison; 0
	// where it is decided, and where that is not known.
	BlocksNeeded int
}

// LossesOf a run whose declaration has a margin, at its end. It fails as FamilyOf.
func LossesOf(in Input) (Losses, error) {
	family, err := FamilyOf(in.Layout, in.Declaration, in.Names, math.MaxInt)
	if err != nil {
		return Losses{}, err
	}
	a := analystOf(in, family)
	return a.losses(in.Declaration.gateRate(family)), nil
}

// Outcome of the gate: Slower where any comparison is, Passed where all have, and NotJudged otherwise.
func (l Losses) Outcome() v1alpha1.GateOutcome {
	out := v1alpha1.OutcomePassed
	for _, v := range l.All {
		switch v.Outcome {
		case v1alpha1.OutcomeSlower:
			return v1alpha1.OutcomeSlower
		case v1alpha1.OutcomeNotJudged:
			out = v1alpha1.OutcomeNotJudged
		}
	}
	if len(l.All) == 0 {
		return v1alpha1.OutcomeNotJudged
	}
	return out
}

// losses of the primary family: all of it, with or without data.
func (a *analyst) losses(errorRate float64) Losses {
	out := Losses{ErrorRate: errorRate}
	family := make([]stats.Margined, 0, len(a.family.Primary))
	for _, c := range a.family.Primary {
		one := a.measured(c)
		v := LossVerdict{Comparison: a.entry(one, v1alpha1.FamilyPrimary), Outcome: v1alpha1.OutcomeNotJudged}
		v.Value, v.Baseline = one.sides(a.Layout, a.series)
		m := stats.Margined{Direction: betterOf(v.Value.Direction), Step: one.above}
		if v.Reasons = a.unjudged(one); len(v.Reasons) == 0 {
			m.Comparison = one.comparison
		}
		if unmet := a.likeness(c).unmet; unmet != "" && len(v.Reasons) == 0 {
			v.Reasons = []v1alpha1.VerdictReason{because(v1alpha1.CodeNotAlike, "unmet", unmet)}
		}
		out.All, family = append(out.All, v), append(family, m)
	}
	for i, decision := range stats.DecideLosses(family, a.Declaration.Margin, errorRate) {
		v := &out.All[i]
		switch v.Decision = decision; {
		case len(v.Reasons) > 0:
		case decision.Failed:
			v.Outcome = v1alpha1.OutcomeSlower
		case decision.Passed:
			v.Outcome = v1alpha1.OutcomePassed
		default:
			v.BlocksNeeded = a.Declaration.blocksToPass(family[i], len(family), errorRate)
		}
	}
	return out
}

// unjudged is why there is nothing to test in a comparison; none where there is.
func (a *analyst) unjudged(one compared) []v1alpha1.VerdictReason {
	switch {
	case a.sequential():
		return []v1alpha1.VerdictReason{because(v1alpha1.CodeInSequence)}
	case len(one.absent) > 0:
		return one.absent
	case one.once:
		return []v1alpha1.VerdictReason{because(v1alpha1.CodeOneObservation)}
	case len(a.limits.of(one.contrast).disturbances()) > 0:
		return a.limits.of(one.contrast).disturbances()
	case one.comparison.N < stats.MinBlocks:
		return []v1alpha1.VerdictReason{because(v1alpha1.CodeTooFewBlocks, "blocks", count(one.comparison.N), "needed", count(stats.MinBlocks))}
	}
	return nil
}

// sides of a comparison with the values of the blocks that count on both. Without a measurement they have the name and the
// labels that were declared.
func (c compared) sides(l Layout, s *series) (value, baseline BlockValues) {
	of := c.contrast
	if c.kind < 0 {
		value = BlockValues{
			Target: l.Plan.Targets[of.Value.Target], Parameters: textsOf(l.Plan.Cells[of.Value.Cell]), Name: of.Measurement.Name, Labels: maps.Clone(of.Measurement.Labels),
		}
		return value, baseline
	}
	value, baseline = s.of(l, of.Value, c.kind), s.of(l, of.Baseline, c.kind)
	value.Blocks, baseline.Blocks = s.pairs(of, c.kind)
	return value, baseline
}

// blocksToPass is how many blocks let a gate over so many comparisons pass, with the power of a plan, where nothing is lost; 0
// where that is not known. Each may fail to pass with a part of the rest only.
func (d Declaration) blocksToPass(m stats.Margined, comparisons int, errorRate float64) int {
	margin := d.Margin - m.Step*(1-d.Margin) // steps hide a part of it
	if !(m.Spread > 0) || margin <= 0 {
		return 0
	}
	if blocks, ok := stats.BlocksForLoss(m.Direction, margin, m.Spread, errorRate, 1-(1-power)/float64(comparisons)); ok {
		return blocks
	}
	return 0
}

// betterOf a direction in the words of records.
func betterOf(d contract.Direction) stats.Direction {
	switch d {
	case contract.HigherIsBetter:
		return stats.HigherIsBetter
	case contract.LowerIsBetter:
		return stats.LowerIsBetter
	}
	return stats.NoDirection
}

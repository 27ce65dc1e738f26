package analysis

import (
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/stats"
)

// sizes are how much the blocks of a paired comparison vary, what they detect, and how many the minimum effect takes. Found
// values hide what is smaller than their steps, however many blocks there are.
func (d Declaration) sizes(e *v1alpha1.ComparisonEntry, one compared, family int) {
	c, rate := one.comparison, d.ErrorRate/float64(family)
	if !c.Paired || !(c.Spread > 0) {
		return
	}
	e.Spread = v1alpha1.FourDigits(c.Spread)
	if effect, ok := stats.DetectableEffect(c.N, c.Spread, rate, power); ok && effect > 0 {
		e.DetectableEffect = v1alpha1.FourDigits(max(effect, one.above))
	}
	if blocks, ok := stats.BlocksFor(d.MinimumEffect, c.Spread, rate, power); ok && one.above < d.MinimumEffect {
		e.BlocksNeeded = int32(blocks)
	}
}

// BlocksFor is how many blocks find an effect (0.05 for 5 %) in four of five runs of a spec that compares as many times, where its
// blocks vary by the spread (ComparisonEntry.Spread). ok is false where 10,000 are not enough.
func BlocksFor(spec v1alpha1.BenchmarkRunSpec, comparisons int, effect, spread float64) (blocks int, ok bool) {
	rate := ErrorRate(spec) / float64(max(comparisons, 1))
	if spec.Design.Precision != "" {
		rate *= stats.PrecisionErrorShare
	}
	return stats.BlocksFor(effect, spread, rate, power)
}

// undecided comparison, because of these reasons.
func undecided(e *v1alpha1.ComparisonEntry, verdict v1alpha1.ComparisonVerdict, because ...v1alpha1.VerdictReason) {
	e.Verdict, e.Reasons = verdict, because
}

// untested comparison: it has no p, neither by itself nor adjusted.
func (c compared) untested() bool { return c.once || c.unmeasured() }

// unmeasured comparison: no trial that counts has the number on both sides, in one unit. Nothing was tested, so that it is not
// inconclusive.
func (c compared) unmeasured() bool {
	return slices.ContainsFunc(c.absent, func(r v1alpha1.VerdictReason) bool {
		return r.Code == v1alpha1.CodeNotMeasured || r.Code == v1alpha1.CodeNotInBothRuns
	})
}

// judge a primary comparison.
func (a *analyst) judge(e *v1alpha1.ComparisonEntry, one compared, decision stats.Decision) {
	unmet := a.likeness(one.contrast).unmet
	e.Verdict = v1alpha1.ComparisonVerdict(decision.Verdict(directionOf(*e)))
	family, blocks, needed := count(len(a.family.Primary)), count(one.comparison.N), count(a.needed)
	switch {
	case a.series.blocks < a.needed:
		undecided(e, v1alpha1.VerdictExploratory, because(v1alpha1.CodeFamilyTooLarge, "comparisons", family, "needed", needed, "blocks", count(a.series.blocks)))
	case a.sequential():
		undecided(e, v1alpha1.VerdictExploratory, append(slices.Clone(one.absent), because(v1alpha1.CodeInSequence))...)
	case one.unmeasured():
		undecided(e, v1alpha1.VerdictNotMeasured, one.absent...)
	case len(one.absent) > 0:
		undecided(e, v1alpha1.VerdictInconclusive, one.absent...)
	case one.once:
		undecided(e, v1alpha1.VerdictExploratory, because(v1alpha1.CodeOneObservation))
	case len(a.limits.of(one.contrast).disturbances()) > 0:
		undecided(e, v1alpha1.VerdictExploratory) // the caveat says why
	case e.Verdict == v1alpha1.VerdictExploratory:
		few := because(v1alpha1.CodeTooFewBlocks, "blocks", blocks, "needed", count(stats.MinBlocks))
		if a.needed > stats.MinBlocks { // their common error rate leaves each of several comparisons less
			few.Values["comparisons"], few.Values["family"] = family, needed
		}
		undecided(e, v1alpha1.VerdictExploratory, few)
	case unmet != "":
		undecided(e, v1alpha1.VerdictInconclusive, because(v1alpha1.CodeNotAlike, "unmet", unmet))
	case e.Verdict == v1alpha1.VerdictInconclusive:
		if e.DetectableEffect == "" && one.comparison.N < a.needed {
			undecided(e, v1alpha1.VerdictInconclusive, because(v1alpha1.CodeFewerThanFamily, "blocks", blocks, "comparisons", family, "needed", needed))
		}
	case e.Verdict != v1alpha1.VerdictEquivalent:
		e.BelowMinimumEffect = decision.Equivalent
	}
	e.Reasons = bounded(append(e.Reasons, a.caveats(*e, one)...))
}

// decides says whether a comparison has a verdict of its own, so that what limits it matters.
func decides(e v1alpha1.ComparisonEntry) bool {
	return e.Verdict != v1alpha1.VerdictExploratory && e.Verdict != v1alpha1.VerdictNotMeasured
}

// caveats of a comparison with its verdict.
func (a *analyst) caveats(e v1alpha1.ComparisonEntry, one compared) (out []v1alpha1.VerdictReason) {
	if decides(e) {
		if a.sameOrder(e.Factor) {
			out = append(out, because(v1alpha1.CodeOneOrder))
		}
		out = append(out, limiting(one.contrast.Measurement.Name, a.limits.of(one.contrast))...)
		if c := one.contrast; a.Declaration.OneStart && c.Value.Target != c.Baseline.Target {
			out = append(out, because(v1alpha1.CodeOneStart))
		}
	}
	out = append(a.limits.of(one.contrast).disturbances(), out...)
	if len(one.absent) == 0 && e.IntervalLow != "" {
		out = append(out, coarse(one.above)...)
	}
	return out
}

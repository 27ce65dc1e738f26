package analysis

import (
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/trial/likeness"
)

// overRuns is a contrast with one ratio for each run.
type overRuns struct {
	compared
	ratios []string
	// counts of the blocks of each run.
	counts []int
}

// measured is a contrast of one run. Values that last from block to block are one observation of the
// run, as its ratio is: over runs they are like any other.
func (a *analyst) measured(c Contrast) compared {
	if id, has := a.series.find(c); has {
		return a.compare(c, id)
	}
	return uncompared(c, v1alpha1.CodeNotMeasured)
}

func (o *over) compareAll(contrasts []Contrast) []overRuns {
	out := make([]overRuns, 0, len(contrasts))
	for _, c := range contrasts {
		out = append(out, o.compare(c))
	}
	return out
}

// compare one contrast over all runs. A run without a ratio leaves none over the runs: which of
// them count never depends on their values.
func (o *over) compare(c Contrast) overRuns {
	out := overRuns{compared: compared{contrast: c, kind: -1}}
	var each []stats.Comparison
	for i, a := range o.analysts {
		one := a.measured(c)
		ratio := ""
		switch {
		case len(one.absent) > 0:
			for _, why := range one.absent {
				out.absent = append(out.absent, ofRun(why, o.runs[i].Name))
			}
		case out.kind >= 0 && !o.analysts[0].series.kinds[out.kind].is(a.series.kinds[one.kind]):
			out.absent = append(out.absent, because(v1alpha1.CodeNotInBothRuns, "run", o.runs[i].Name))
		default:
			ratio = besides(one.comparison.Ratio, 1)
		}
		if i == 0 {
			out.kind = one.kind
		}
		out.above = max(out.above, one.above)
		each = append(each, one.comparison)
		out.ratios, out.counts = append(out.ratios, ratio), append(out.counts, one.comparison.N)
	}
	switch {
	case len(out.absent) > 0:
	case len(each) == 1:
		out.comparison = each[0]
	default:
		var err error
		if out.comparison, err = stats.CompareRuns(each); err != nil {
			out.absent = []v1alpha1.VerdictReason{because(v1alpha1.CodeNoStatistic, "message", err.Error())}
		}
	}
	return out
}

// entry of a comparison over the runs, without its verdict.
func (o *over) entry(one overRuns, family v1alpha1.ComparisonFamily) RunsComparison {
	e := o.analysts[0].entry(one.compared, family)
	e.PlannedBlockCount = 0
	for _, a := range o.analysts {
		e.PlannedBlockCount += int32(a.series.blocks)
	}
	return RunsComparison{ComparisonEntry: e, Ratios: one.ratios, Variation: o.variation(one)}
}

// primary comparison with its verdict.
func (o *over) primary(one overRuns, decision stats.Decision) RunsComparison {
	c := o.entry(one, v1alpha1.FamilyPrimary)
	e := &c.ComparisonEntry
	if !one.untested() {
		e.AdjustedP = besides(decision.P, o.analysts[0].Declaration.ErrorRate)
	}
	differing := o.likeness(one.contrast)
	c.Differences, c.BetweenRuns = differing.sides, differing.runs
	e.Verdict = v1alpha1.ComparisonVerdict(decision.Verdict(directionOf(*e)))
	switch {
	case len(o.runs) < 2:
		undecided(e, v1alpha1.VerdictExploratory, because(v1alpha1.CodeOneRun))
		e.AdjustedP, e.P = "", "" // those of one run
	case slices.ContainsFunc(o.analysts, (*analyst).sequential):
		undecided(e, v1alpha1.VerdictExploratory, append(slices.Clone(one.absent), because(v1alpha1.CodeInSequence))...)
	case one.unmeasured():
		undecided(e, v1alpha1.VerdictNotMeasured, one.absent...)
	case len(one.absent) > 0:
		undecided(e, v1alpha1.VerdictInconclusive, one.absent...)
	case e.Verdict == v1alpha1.VerdictExploratory:
		undecided(e, v1alpha1.VerdictExploratory, o.tooFewBlocks(one))
	case len(differing.unmet) > 0:
		undecided(e, v1alpha1.VerdictInconclusive, differing.unmet...)
	case e.Verdict == v1alpha1.VerdictInconclusive && one.comparison.Spread == 0:
		undecided(e, v1alpha1.VerdictInconclusive, because(v1alpha1.CodeEqualRuns, "runs", count(len(o.runs))))
	case e.Verdict == v1alpha1.VerdictInconclusive:
		undecided(e, v1alpha1.VerdictInconclusive, because(v1alpha1.CodeSpreadOfRuns, "runs", count(len(o.runs)), "spread", v1alpha1.FourDigits(one.comparison.Spread)))
	case e.Verdict != v1alpha1.VerdictEquivalent:
		e.BelowMinimumEffect = decision.Equivalent
	}
	if len(one.absent) == 0 && len(o.runs) > 1 {
		setInterval(e, decision.Interval)
		setEquivalence(e, decision)
		e.Reasons = append(e.Reasons, coarse(one.above)...)
	}
	e.Reasons = bounded(append(e.Reasons, o.caveats(*e, one)...))
	return c
}

func (o *over) tooFewBlocks(one overRuns) v1alpha1.VerdictReason {
	return because(v1alpha1.CodeTooFewBlocks, "blocks", count(one.comparison.N), "needed", count(stats.MinBlocks), "runs", count(len(o.runs)))
}

// caveats of a comparison with its verdict.
func (o *over) caveats(e v1alpha1.ComparisonEntry, one overRuns) (out []v1alpha1.VerdictReason) {
	if c := one.contrast.Comparison; c >= 0 && slices.ContainsFunc(o.analysts, func(a *analyst) bool { return a.sameOrder(a.Declaration.Comparisons[c].Factor) }) {
		out = append(out, because(v1alpha1.CodeOneOrder))
	}
	if low, high := slices.Min(one.counts), slices.Max(one.counts); len(one.absent) == 0 && high > 2*low {
		out = append(out, because(v1alpha1.CodeUnequalRuns, "low", count(low), "high", count(high)))
	}
	if decides(e) {
		var n limited
		for _, a := range o.analysts {
			n = n.plus(a.limits.of(one.contrast))
		}
		out = append(out, limiting(one.contrast.Measurement.Name, n)...)
	}
	return out
}

// overLikeness is that of the sides of a comparison over the runs.
type overLikeness struct {
	// sides are the differences of both sides in any run, and runs those of their targets between the runs.
	sides, runs []v1alpha1.SideDifference
	// unmet is what is not alike that had to be, for each run.
	unmet []v1alpha1.VerdictReason
}

// likeness of the sides of a comparison of targets in each run, and of its targets between the runs.
func (o *over) likeness(c Contrast) overLikeness {
	var out overLikeness
	for i, a := range o.analysts {
		one := a.likeness(c)
		out.sides = withOthers(out.sides, one.differences)
		if one.unmet != "" {
			out.unmet = append(out.unmet, because(v1alpha1.CodeNotAlike, "unmet", one.unmet, "run", o.runs[i].Name))
		}
	}
	targets := o.runs[0].Layout.Plan.Targets
	for _, target := range slices.Compact([]int32{c.Value.Target, c.Baseline.Target}) {
		for _, b := range o.between[targets[target]] {
			out.runs = withOthers(out.runs, objections(b))
		}
	}
	return out
}

// withOthers adds the differences of other names, as many as are listed of two sides.
func withOthers(all, more []v1alpha1.SideDifference) []v1alpha1.SideDifference {
	for _, d := range more {
		if len(all) < likeness.MaxDifferences && !slices.ContainsFunc(all, func(o v1alpha1.SideDifference) bool { return o.Name == d.Name }) {
			all = append(all, d)
		}
	}
	return all
}

// control compares the baseline with itself over the runs: by itself, at the error rate of the runs.
func (o *over) control(one overRuns, decision stats.Decision) RunsComparison {
	c := o.entry(one, v1alpha1.FamilyControl)
	e, d := &c.ComparisonEntry, o.analysts[0].Declaration
	alone := d.alone(one.compared)
	if len(o.runs) > 1 {
		setInterval(e, alone.Interval)
	}
	e.Verdict = v1alpha1.VerdictInconclusive
	switch {
	case len(o.runs) < 2:
		undecided(e, v1alpha1.VerdictExploratory, because(v1alpha1.CodeOneRun))
		e.P = ""
	case one.unmeasured():
		undecided(e, v1alpha1.VerdictNotMeasured, bounded(one.absent)...)
	case len(one.absent) > 0:
		e.Reasons = bounded(one.absent)
	case decision.Larger || decision.Smaller:
		undecided(e, v1alpha1.ComparisonVerdict(decision.Verdict(directionOf(*e))), because(v1alpha1.CodeDiffersFromItself))
	case one.comparison.N < stats.MinBlocks:
		undecided(e, v1alpha1.VerdictExploratory, o.tooFewBlocks(one))
	case alone.Equivalent:
		e.Verdict = v1alpha1.VerdictEquivalent
		setEquivalence(e, alone)
	default:
		e.Reasons = []v1alpha1.VerdictReason{d.tooCoarse()}
	}
	return c
}

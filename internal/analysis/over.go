package analysis

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/stats"
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
	return compared{contrast: c, kind: -1, absent: noneOnBothSides}
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
		case one.absent != "":
			out.absent = joined(out.absent, fmt.Sprintf("run %s: %s", o.runs[i].Name, one.absent))
		case i > 0 && !o.sameKind(out.kind, a, one.kind):
			out.absent = joined(out.absent, fmt.Sprintf("run %s has it with other labels or in another unit", o.runs[i].Name))
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
	case out.absent != "":
	case len(each) == 1:
		out.comparison = each[0]
	default:
		var err error
		if out.comparison, err = stats.CompareRuns(each); err != nil {
			out.absent = err.Error()
		}
	}
	return out
}

// sameKind of measurement: of the first run, and of another one. The first one may have none.
func (o *over) sameKind(first int32, a *analyst, other int32) bool {
	if first < 0 {
		return true
	}
	x, y := o.analysts[0].series.kinds[first], a.series.kinds[other]
	return x.name == y.name && x.unit == y.unit && x.direction == y.direction && maps.Equal(x.labels, y.labels)
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
	e := o.entry(one, v1alpha1.FamilyPrimary)
	e.AdjustedP = besides(decision.P, o.analysts[0].Declaration.ErrorRate)
	differing := o.likeness(one.contrast)
	e.Differences = differing.Differences
	e.Verdict = v1alpha1.ComparisonVerdict(decision.Verdict(directionOf(e.ComparisonEntry)))
	switch {
	case len(o.runs) < 2:
		e.Verdict, e.Reason = v1alpha1.VerdictExploratory, tooFewRuns
		e.AdjustedP, e.P = "", "" // those of one run
	case slices.ContainsFunc(o.analysts, (*analyst).sequential):
		e.Verdict, e.Reason = v1alpha1.VerdictExploratory, abridge(joined(one.absent, InSequence), maxText)
	case one.absent != "":
		e.Verdict, e.Reason = v1alpha1.VerdictInconclusive, abridge(one.absent, maxText)
	case e.Verdict == v1alpha1.VerdictExploratory:
		e.Reason = fmt.Sprintf("%d blocks of all runs count on both sides, and a verdict needs %d", one.comparison.N, stats.MinBlocks)
	case differing.Unmet != "":
		e.Verdict, e.Reason = v1alpha1.VerdictInconclusive, "the sides are not alike, as requireLike wants them: "+differing.Unmet
	case e.Verdict == v1alpha1.VerdictInconclusive && one.comparison.Spread == 0:
		e.Reason = fmt.Sprintf("%d runs have one ratio to the last digit, so that nobody knows how runs differ", len(o.runs))
	case e.Verdict == v1alpha1.VerdictInconclusive:
		e.Reason = fmt.Sprintf("%d runs, whose ratios have a standard deviation of %s", len(o.runs), Percent(one.comparison.Spread))
	case e.Verdict != v1alpha1.VerdictEquivalent:
		e.BelowMinimumEffect = decision.Equivalent
	}
	if one.absent == "" && len(o.runs) > 1 {
		setInterval(&e.ComparisonEntry, decision.Interval)
		e.Reason = joined(e.Reason, coarse(one.above))
	}
	if caveats := o.caveats(one); caveats != "" {
		e.Reason = joined(e.Reason, caveats)
	}
	e.Text = o.analysts[0].describe(e.ComparisonEntry, differing.Words)
	return e
}

// tooFewRuns is why one run has no verdict over runs.
const tooFewRuns = "1 run, and the difference between runs takes 2"

// caveats that hold whatever the verdict is.
func (o *over) caveats(one overRuns) string {
	text := ""
	if c := one.contrast.Comparison; c >= 0 && slices.ContainsFunc(o.analysts, func(a *analyst) bool { return a.sameOrder(a.Declaration.Comparisons[c].Factor) }) {
		text = "all blocks measured the cells in one order, so that a drift within a block looks like a difference"
	}
	if low, high := slices.Min(one.counts), slices.Max(one.counts); one.absent == "" && high > 2*low {
		text = joined(text, fmt.Sprintf("the runs have %d to %d blocks, and each counts the same", low, high))
	}
	return text
}

// likeness of the sides of a comparison of targets in each run, and of its targets between the runs.
func (o *over) likeness(c Contrast) Likeness {
	var out Likeness
	add := func(all []string) {
		for _, name := range all {
			if !slices.Contains(out.Differences, name) && len(out.Differences) < maxDiffering {
				out.Differences = append(out.Differences, name)
			}
		}
	}
	for i, a := range o.analysts {
		one := a.likeness(c)
		add(one.Differences)
		if one.Unmet != "" {
			out.Unmet = joined(out.Unmet, "run "+o.runs[i].Name+": "+one.Unmet)
		}
	}
	out.Words = named("differs in ", out.Differences)
	var runs []string
	targets := o.runs[0].Layout.Plan.Targets
	for _, target := range slices.Compact([]int32{c.Value.Target, c.Baseline.Target}) {
		for _, b := range o.between[targets[target]] {
			for _, name := range objections(b) {
				if !slices.Contains(runs, name) {
					runs = append(runs, name)
				}
			}
		}
	}
	add(runs)
	words := named("the runs differ in ", runs)
	if out.Words != "" && words != "" {
		out.Words += "; "
	}
	out.Words += words
	return out
}

// named are the first few names of a list; empty without any.
func named(begin string, all []string) string {
	const most = 4
	if len(all) == 0 {
		return ""
	}
	text := begin + strings.Join(all[:min(len(all), most)], ", ")
	if more := len(all) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// control compares the baseline with itself over the runs: by itself, at the error rate of the runs.
func (o *over) control(one overRuns, decision stats.Decision) RunsComparison {
	e := o.entry(one, v1alpha1.FamilyControl)
	d := o.analysts[0].Declaration
	e.Verdict, e.Reason = v1alpha1.VerdictInconclusive, abridge(one.absent, maxText)
	interval, ok := one.comparison.Interval(d.ErrorRate)
	interval = *widen(&interval, one.above)
	if ok && len(o.runs) > 1 {
		setInterval(&e.ComparisonEntry, &interval)
	}
	switch {
	case len(o.runs) < 2:
		e.Verdict, e.Reason, e.P = v1alpha1.VerdictExploratory, tooFewRuns, ""
	case one.absent != "":
	case decision.Larger || decision.Smaller:
		e.Verdict, e.Reason = v1alpha1.ComparisonVerdict(decision.Verdict(directionOf(e.ComparisonEntry))), differsFromItself
	case one.comparison.N < stats.MinBlocks:
		e.Verdict, e.Reason = v1alpha1.VerdictExploratory, fmt.Sprintf("%d blocks of all runs count on both sides, and a verdict needs %d", one.comparison.N, stats.MinBlocks)
	case ok && interval.Low >= 1/(1+d.MinimumEffect) && interval.High <= 1+d.MinimumEffect:
		e.Verdict = v1alpha1.VerdictEquivalent
	default:
		e.Reason = fmt.Sprintf("the resolution is coarser than the minimum effect of %s", Percent(d.MinimumEffect))
	}
	e.Text = o.analysts[0].describe(e.ComparisonEntry, "")
	return e
}

package analysis

import (
	"math"
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/trial/costs"
	"github.com/assay-bench/assay/internal/trial/likeness"
	"github.com/assay-bench/assay/internal/verdict/summary"
)

// factorRun is what is compared where one run is compared with another one.
const factorRun = "run"

// against compares the targets of a run with those of the same names in another one.
type against struct {
	baseline, value *analyst
	first, second   Run
	// twin is the index in the second run of each target of the first one; -1 for none.
	twin []int32
	like map[string]likeness.Comparison
}

func againstRun(first, second Run, d differing) (RunsResult, error) {
	a := &against{
		baseline: &analyst{Input: first.Input, series: readSeries(first.Layout, first.Records, summary.LeftOut), limits: limitsOf(first.Layout, first.Records, summary.LeftOut)},
		value:    &analyst{Input: second.Input, series: readSeries(second.Layout, second.Records, summary.LeftOut), limits: limitsOf(second.Layout, second.Records, summary.LeftOut)},
		first:    first, second: second, like: map[string]likeness.Comparison{},
	}
	// Of an equal target nothing is compared but the day: then its image is an objection.
	factor := likeness.OfParameters
	if len(d.targets) > 0 {
		factor = likeness.OfTargets
	}
	out := RunsResult{Kind: RunAgainstRun, Compared: d.targets, Between: d.around}
	for _, target := range first.Layout.Plan.Targets {
		twin := int32(slices.Index(second.Layout.Plan.Targets, target))
		if target == v1alpha1.ControlName {
			twin = -1
		}
		a.twin = append(a.twin, twin)
		if twin >= 0 {
			a.like[target] = between(first, second, target, factor)
			out.Between = append(out.Between, differencesOf(first, second, target, a.like[target])...)
		}
	}
	if len(a.like) == 0 {
		return RunsResult{}, errOneTarget
	}
	all, err := a.compareAll()
	if err != nil {
		return RunsResult{}, err
	}
	declared := first.Declaration
	var family []stats.Comparison
	for _, one := range all {
		family = append(family, one.tested())
	}
	for i, decision := range stats.Decide(family, declared.ErrorRate, declared.MinimumEffect) {
		e := a.entry(all[i], declared.known(decision, all[i].above))
		out.Comparisons = append(out.Comparisons, RunsComparison{ComparisonEntry: e, Differences: objections(a.like[e.Target])})
	}
	return out, nil
}

// measurements that the runs declared for their comparisons, each once; the usual ones without any.
func (r Run) measurements() []Measurement {
	var out []Measurement
	for _, c := range r.Declaration.Comparisons {
		for _, m := range c.Measurements {
			if !slices.ContainsFunc(out, func(o Measurement) bool { return o.Name == m.Name && without(o.Labels) == without(m.Labels) }) {
				out = append(out, m)
			}
		}
	}
	if len(out) == 0 {
		out = usualMeasurements(r.Names, len(r.Layout.Combinations) > 0)
	}
	return out
}

// compareAll units of the first run that the second one has, too. It fails when they are too many.
func (a *against) compareAll() ([]compared, error) {
	units, err := a.first.Layout.units()
	if err != nil {
		return nil, err
	}
	units = slices.DeleteFunc(units, func(u Unit) bool { return a.twin[u.Target] < 0 })
	measurements := a.first.measurements()
	n, limit := len(units)*len(measurements), limitFor(a.first.Limit, max(a.baseline.series.blocks, a.value.series.blocks))
	if n > limit {
		return nil, &TooManyError{Comparisons: n, Limit: limit}
	}
	var out []compared
	for m := range measurements {
		for _, u := range units {
			out = append(out, a.compare(&measurements[m], u))
		}
	}
	return out, nil
}

// compare one unit of the second run with that of the first one. Their blocks are not pairs.
func (a *against) compare(m *Measurement, u Unit) compared {
	twin := u
	twin.Target = a.twin[u.Target]
	out := compared{contrast: Contrast{-1, m, twin, u}, kind: -1}
	id, has := a.baseline.series.find(Contrast{-1, m, u, u})
	other, also := a.value.series.find(Contrast{-1, m, twin, twin})
	if !has || !also || !a.baseline.series.kinds[id].is(a.value.series.kinds[other]) {
		out.absent = []v1alpha1.VerdictReason{because(v1alpha1.CodeNotInBothRuns)}
		return out
	}
	out.kind, out.once = id, costs.SinceStart(m.Name)
	subject, _ := a.value.series.pairs(Contrast{-1, m, twin, twin}, other)
	baseline, _ := a.baseline.series.pairs(Contrast{-1, m, u, u}, id)
	out.comparison, out.absent = ratioOf(subject, baseline, stats.CompareUnpaired)
	out.above = a.first.Declaration.Steps.above(slices.Concat(subject, baseline)...)
	return out
}

// entry of a comparison, with its verdict.
func (a *against) entry(one compared, decision stats.Decision) v1alpha1.ComparisonEntry {
	u := one.contrast.Baseline
	// The entry is that of a unit of the first run with itself.
	own := one
	own.contrast.Value = u
	e := a.baseline.entry(own, v1alpha1.FamilyPrimary)
	target := a.first.Layout.Plan.Targets[u.Target]
	e.Factor, e.Target, e.Value, e.Baseline = factorRun, target, a.second.Name, a.first.Name
	e.PlannedBlockCount = int32(min(a.baseline.series.blocks, a.value.series.blocks))
	if !one.untested() {
		e.AdjustedP = besides(decision.P, a.first.Declaration.ErrorRate)
	}
	e.Verdict = v1alpha1.ComparisonVerdict(decision.Verdict(directionOf(e)))
	if len(one.absent) == 0 && !one.once {
		setInterval(&e, decision.Interval)
	}
	a.judge(&e, one, decision)
	setEquivalence(&e, decision)
	if e.IntervalLow != "" {
		e.Reasons = append(e.Reasons, coarse(one.above)...)
	}
	if decides(e) {
		twin := one.contrast.Value
		n := a.baseline.limits[place{u.Target, u.Cell}].plus(a.value.limits[place{twin.Target, twin.Cell}])
		e.Reasons = append(e.Reasons, limiting(one.contrast.Measurement.Name, n)...)
	}
	e.Reasons = bounded(append(e.Reasons, because(v1alpha1.CodeOneRunEach)))
	return e
}

// judge a comparison of a target in one run with that in the other one.
func (a *against) judge(e *v1alpha1.ComparisonEntry, one compared, decision stats.Decision) {
	unmet := ""
	if require := a.first.Declaration.Require; len(require) > 0 {
		unmet = a.like[e.Target].Unlike(ClassesOf(require))
	}
	switch {
	case one.unmeasured():
		undecided(e, v1alpha1.VerdictNotMeasured, one.absent...)
	case len(one.absent) > 0:
		undecided(e, v1alpha1.VerdictInconclusive, one.absent...)
	case one.once:
		undecided(e, v1alpha1.VerdictExploratory, because(v1alpha1.CodeOneObservation))
	case e.Verdict == v1alpha1.VerdictExploratory:
		undecided(e, v1alpha1.VerdictExploratory, because(v1alpha1.CodeTooFewBlocks, "blocks", count(one.comparison.N), "needed", count(stats.MinBlocks)))
	case unmet != "":
		undecided(e, v1alpha1.VerdictInconclusive, because(v1alpha1.CodeNotAlike, "unmet", unmet))
	case e.Verdict == v1alpha1.VerdictInconclusive:
		undecided(e, v1alpha1.VerdictInconclusive, because(v1alpha1.CodeSpreadOfValues, "spread", v1alpha1.FourDigits(one.comparison.Spread/math.Sqrt2)))
	case e.Verdict != v1alpha1.VerdictEquivalent:
		e.BelowMinimumEffect = decision.Equivalent
	}
}

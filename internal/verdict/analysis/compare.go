package analysis

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/trial/costs"
	"github.com/assay-bench/assay/internal/verdict/summary"
)

// Input of an analysis.
type Input struct {
	// Layout and Declaration of the experiment.
	Layout      Layout
	Declaration Declaration
	// Names of the measurements of the tool, the main one first.
	Names []string
	// Records of all attempts, in the order of their ends.
	Records []contract.Record
	// Limit of the comparisons, of the primary family and of the exploratory ones.
	Limit int
	// Settings that the spec sets for the servers, by target (SettingsOf). What they differ in is part of a
	// comparison of targets.
	Settings map[string][]contract.Setting
}

// Result of an analysis.
type Result struct {
	// Entries are the comparisons: the primary family, the control, the exploratory ones.
	Entries []v1alpha1.ComparisonEntry
	// Sweeps over loads, in the order of the axes, the cells and the targets.
	Sweeps []v1alpha1.SweepEntry
	// Differences of the targets that are compared: of each pair that differs, in the order of the comparisons.
	Differences []v1alpha1.SideDifferences
	// Findings about the comparisons.
	Findings []v1alpha1.Finding
}

// analyst has what all comparisons of a run are made from.
type analyst struct {
	Input
	family Family
	series *series
	limits limits
	// needed blocks of the family.
	needed int
	// alike are the pairs of targets that were compared in their circumstances.
	alike map[[2]int32]alike
	// differing are the pairs of targets that were found to differ, in the order of the comparisons.
	differing []v1alpha1.SideDifferences
}

// analystOf the trials that a run shows.
func analystOf(in Input, family Family) *analyst {
	return &analyst{
		Input: in, family: family, series: readSeries(in.Layout, in.Records, summary.LeftOutShown), limits: limitsOf(in.Layout, in.Records, summary.LeftOutShown), alike: map[[2]int32]alike{},
	}
}

// undisturbed has the trials that were not disturbed: a knee is found in those, or not at all.
func undisturbed(a *analyst) *analyst {
	if len(summary.Lasting(a.Layout.Plan, a.Records)) == 0 {
		return a
	}
	out := *a
	out.series = readSeries(a.Layout, a.Records, summary.LeftOut)
	return &out
}

// Conclude compares what was declared, and finds the knees of sweeps. It fails as FamilyOf does; the
// sweeps and what windows carry over are there nevertheless.
func Conclude(in Input) (Result, error) {
	family, err := FamilyOf(in.Layout, in.Declaration, in.Names, in.Limit)
	sweeps, compares := in.Layout.sweeps(), err == nil && len(family.Primary)+len(family.Control) > 0
	out := Result{Findings: debtCarried(in, family)}
	if len(sweeps) == 0 && !compares {
		return out, err
	}
	in.Declaration = in.Declaration.stopping(family)
	a := analystOf(in, family)
	out.Sweeps = undisturbed(a).sweep(sweeps)
	if !compares {
		return out, err
	}
	a.needed = stats.BlocksNeeded(len(family.Primary), in.Declaration.ErrorRate)
	out.Entries = a.primary()
	out.Differences = a.differing
	controls, findings := a.control()
	out.Entries, out.Findings = append(out.Entries, controls...), slices.Concat(findings, a.debtDiffers(), out.Findings)
	explored, cut := a.explore()
	out.Entries = append(out.Entries, explored...)
	var left []string
	if n := a.series.left; n > 0 {
		left = append(left, fmt.Sprintf("%d values are not compared: a run compares %d measurements that differ in name, unit or labels; use fewer labels", n, maxKinds))
	}
	if cut > 0 {
		left = append(left, fmt.Sprintf("left out: %s that nobody declared; the limit is %d (limits.comparisons of the operator): declare those that matter",
			figure.Counted(cut, "comparison"), a.Limit))
	}
	if len(left) > 0 {
		out.Findings = append(out.Findings, v1alpha1.Finding{
			Check: "comparisons-cut", Severity: v1alpha1.SeverityWarning, Message: strings.Join(left, "; "),
		})
	}
	return out, nil
}

// compared is a contrast with its comparison.
type compared struct {
	contrast   Contrast
	kind       int32
	comparison stats.Comparison
	// pairs are the blocks with a counted value on both sides, also where these have no ratio.
	pairs int
	// absent is why there is no comparison; none where there is one.
	absent []v1alpha1.VerdictReason
	// once: the values of all blocks are one observation. There is a ratio, and nothing to test.
	once bool
	// above is how far the true values may be above those of a search; 0 for values that were measured.
	above float64
}

// uncompared is a contrast of which nothing is known but why.
func uncompared(c Contrast, why v1alpha1.ReasonCode) compared {
	return compared{contrast: c, kind: -1, absent: []v1alpha1.VerdictReason{because(why)}}
}

// tested is the comparison for the family: nothing where there is nothing to test.
func (c compared) tested() stats.Comparison {
	if c.once {
		return stats.Comparison{}
	}
	return c.comparison
}

// maxRatio of two values that are compared. Beyond it one of them is no measurement of the same thing,
// and at the ends of what a number can be a ratio is infinite or 0.
const maxRatio = 1e9

// compare one contrast in a kind of measurement. Trials in sequence are not paired: those of one
// block are as far apart in time as any others.
func (a *analyst) compare(c Contrast, id int32) compared {
	out := compared{contrast: c, kind: id, once: costs.SinceStart(a.series.kinds[id].name)}
	subject, baseline := a.series.pairs(c, id)
	if len(subject) == 0 {
		out.absent = []v1alpha1.VerdictReason{because(v1alpha1.CodeNoPair)}
		return out
	}
	how := stats.ComparePaired
	if a.sequential() {
		how = stats.CompareUnpaired
	}
	out.comparison, out.absent = ratioOf(subject, baseline, how)
	out.pairs = len(subject)
	out.above = a.Declaration.Steps.above(slices.Concat(subject, baseline)...)
	return out
}

// ratioOf two samples, neither of them empty; absent is why there is none.
func ratioOf(subject, baseline []float64, how func(subject, baseline []float64) (stats.Comparison, error)) (c stats.Comparison, absent []v1alpha1.VerdictReason) {
	all := slices.Concat(subject, baseline)
	low, high := slices.Min(all), slices.Max(all)
	if low == 0 && high == 0 {
		return c, []v1alpha1.VerdictReason{because(v1alpha1.CodeNotPositive, "both", shortest(0))}
	}
	if low > 0 && high/maxRatio > low {
		return c, []v1alpha1.VerdictReason{because(v1alpha1.CodeNotComparable, "low", shortest(low), "high", shortest(high), "most", shortest(maxRatio))}
	}
	c, err := how(subject, baseline)
	var notPositive *stats.NotPositiveError
	switch {
	case errors.As(err, &notPositive):
		return c, []v1alpha1.VerdictReason{because(v1alpha1.CodeNotPositive, "value", shortest(notPositive.Value))}
	case err != nil:
		return c, []v1alpha1.VerdictReason{because(v1alpha1.CodeNoStatistic, "message", err.Error())}
	}
	return c, nil
}

// sequential trials carry no verdict: without any difference, and with a drift of 5 % over the session,
// two of three such comparisons find one (make bench-stats).
func (a *analyst) sequential() bool { return a.Layout.Plan.Order == v1alpha1.OrderSequential }

// sameOrder says whether every block measures the values of a factor in the same order. ABBA turns
// only the targets round.
func (a *analyst) sameOrder(factor string) bool {
	return a.Layout.Plan.Order == v1alpha1.OrderABBA && slices.Contains(a.Layout.Plan.Axes, factor)
}

// decide the primary family: all of it, with or without data.
func (a *analyst) decide() ([]compared, []stats.Decision) {
	var all []compared
	var family []stats.Comparison
	for _, c := range a.family.Primary {
		one := a.measured(c)
		all, family = append(all, one), append(family, one.tested())
	}
	return all, stats.Decide(family, a.Declaration.ErrorRate, a.Declaration.MinimumEffect)
}

// primary family, with its verdicts.
func (a *analyst) primary() []v1alpha1.ComparisonEntry {
	all, decisions := a.decide()
	d := a.Declaration
	out := make([]v1alpha1.ComparisonEntry, 0, len(all))
	for i, one := range all {
		e := a.entry(one, v1alpha1.FamilyPrimary)
		decision := d.known(decisions[i], one.above)
		if !one.untested() {
			e.AdjustedP = besides(decision.P, d.ErrorRate)
		}
		if len(one.absent) == 0 && !one.once {
			setInterval(&e, decision.Interval)
			d.sizes(&e, one, len(all))
		}
		a.judge(&e, one, decision)
		setEquivalence(&e, decision)
		out = append(out, e)
	}
	return out
}

// entry of a comparison, without its verdict.
func (a *analyst) entry(one compared, family v1alpha1.ComparisonFamily) v1alpha1.ComparisonEntry {
	l, c := a.Layout, one.contrast
	factor := v1alpha1.FactorTarget
	if c.Comparison >= 0 {
		factor = a.Declaration.Comparisons[c.Comparison].Factor
	}
	e := v1alpha1.ComparisonEntry{Family: family, Factor: factor, Cell: c.Value.Cell, Name: c.Measurement.Name, PlannedBlockCount: int32(a.series.blocks)}
	e.Value, _ = l.valueOf(factor, c.Value)
	e.Baseline, _ = l.valueOf(factor, c.Baseline)
	e.Unlike = a.Declaration.unlike(l, c)
	if factor != v1alpha1.FactorTarget {
		e.Target = l.Plan.Targets[c.Value.Target]
	}
	for axis, value := range l.Plan.Cells[c.Value.Cell] {
		if axis == factor && factor != v1alpha1.FactorTarget || a.decided(c, axis) {
			continue
		}
		if e.Parameters == nil {
			e.Parameters = map[string]intstr.IntOrString{}
		}
		e.Parameters[axis] = value
	}
	addLabels(&e, l.combinations()[c.Value.Combination].Labels, factor)
	if one.kind >= 0 {
		k := a.series.kinds[one.kind]
		e.Unit, e.Direction = k.unit, string(k.direction)
		addLabels(&e, k.labels, factor)
	} else {
		addLabels(&e, c.Measurement.Labels, factor)
	}
	e.BlockCount = int32(max(one.comparison.N, one.pairs))
	if len(one.absent) == 0 {
		e.Ratio = besides(one.comparison.Ratio, 1)
		if !one.once {
			e.P = besides(one.comparison.P(), a.Declaration.ErrorRate)
		}
	}
	return e
}

// decided says whether the sides differ in an axis because of the factor, as in the language of a driver.
func (a *analyst) decided(c Contrast, axis string) bool {
	x, y := a.Layout.Plan.Cells[c.Value.Cell][axis], a.Layout.Plan.Cells[c.Baseline.Cell][axis]
	return x.String() != y.String()
}

func addLabels(e *v1alpha1.ComparisonEntry, labels map[string]string, factor string) {
	for name, value := range labels {
		if name == factor {
			continue
		}
		if e.Labels == nil {
			e.Labels = map[string]string{}
		}
		e.Labels[name] = value
	}
}

func setInterval(e *v1alpha1.ComparisonEntry, i *stats.Interval) {
	if i != nil {
		e.IntervalLow, e.IntervalHigh, e.IntervalConfidence = besides(i.Low, 1), besides(i.High, 1), figure.Beside(4, i.Coverage, 1)
	}
}

// setEquivalence is the interval that showed a difference to be less than the minimum effect; none where nothing showed that.
func setEquivalence(e *v1alpha1.ComparisonEntry, by stats.Decision) {
	if i := by.EquivalenceInterval; i != nil && (e.Verdict == v1alpha1.VerdictEquivalent || e.BelowMinimumEffect) {
		e.EquivalenceLow, e.EquivalenceHigh, e.EquivalenceConfidence = besides(i.Low, 1), besides(i.High, 1), figure.Beside(4, i.Coverage, 1)
	}
}

// directionOf a measurement, if it is one of speed. Less memory or fewer flushes are not faster.
func directionOf(e v1alpha1.ComparisonEntry) stats.Direction {
	d := betterOf(contract.Direction(e.Direction))
	if d == stats.LowerIsBetter && !slices.Contains(timeUnits, e.Unit) {
		return stats.NoDirection
	}
	return d
}

var timeUnits = []string{"s", "ms", "us", "ns"}

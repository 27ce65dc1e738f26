package analysis

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/costs"
	"github.com/assay-bench/assay/internal/stats"
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
	// Alike compares the circumstances of two targets; nil: they are not compared, and a
	// declaration that requires them to be alike has no verdict.
	Alike func(Sides) Likeness
}

// Sides of a comparison of targets.
type Sides struct {
	// Value and Baseline are the names of the targets, with the records of their trials.
	Value, Baseline               string
	ValueRecords, BaselineRecords []contract.Record
	// Require are the aspects that have to be alike.
	Require []v1alpha1.LikeAspect
}

// Likeness of two sides.
type Likeness struct {
	// Differences that matter, by their names, the most important one first.
	Differences []string
	// Words that a verdict adds, such as "differs in log_bin"; empty without differences.
	Words string
	// Unmet says which required aspects differ or are unknown; empty where all are alike.
	Unmet string
}

// Result of an analysis.
type Result struct {
	// Entries are the comparisons: the primary family, the control, the exploratory ones.
	Entries []v1alpha1.ComparisonEntry
	// Left is how many exploratory comparisons exceed the limit.
	Left int
	// Sweeps over loads, in the order of the axes, the cells and the targets.
	Sweeps []v1alpha1.SweepEntry
	// Verdict in one line; empty for a run that compares nothing and sweeps no load.
	Verdict string
	// Findings about the comparisons.
	Findings []v1alpha1.Finding
}

// analyst has what all comparisons of a run are made from.
type analyst struct {
	Input
	family Family
	series *series
	limits map[place]limited
	// needed blocks of the family.
	needed int
	alike  map[[2]int32]Likeness
}

// Conclude compares what was declared, and finds the knees of sweeps. It fails as FamilyOf does; the
// sweeps and their verdict are there nevertheless.
func Conclude(in Input) (Result, error) {
	family, err := FamilyOf(in.Layout, in.Declaration, in.Names, in.Limit)
	sweeps, compares := in.Layout.sweeps(), err == nil && len(family.Primary)+len(family.Control) > 0
	if len(sweeps) == 0 && !compares {
		return Result{}, err
	}
	in.Declaration = in.Declaration.atALook(family)
	a := &analyst{Input: in, family: family, series: readSeries(in.Layout, in.Records), limits: limitsOf(in.Layout, in.Records), alike: map[[2]int32]Likeness{}}
	out := Result{Sweeps: a.sweep(sweeps)}
	if out.Verdict = sweepVerdict(out.Sweeps); !compares {
		return out, err
	}
	a.needed = stats.BlocksNeeded(len(family.Primary), in.Declaration.ErrorRate)
	out.Entries = a.primary()
	primary := len(out.Entries)
	controls, findings := a.control()
	out.Entries, out.Findings = append(out.Entries, controls...), findings
	out.Verdict = joined(a.verdict(out.Entries[:primary], controls), out.Verdict)
	explored, left := a.explore()
	out.Entries, out.Left = append(out.Entries, explored...), left
	if n := a.series.left; n > 0 {
		out.Findings = append(out.Findings, v1alpha1.Finding{
			Check: "comparisons-cut", Severity: v1alpha1.SeverityWarning,
			Message: fmt.Sprintf("%d values are not compared: a run compares %d measurements that differ in name, unit or labels; use fewer labels", n, maxKinds),
		})
	}
	return out, nil
}

// compared is a contrast with its comparison.
type compared struct {
	contrast   Contrast
	kind       int32
	comparison stats.Comparison
	// absent is why there is no comparison; empty where there is one.
	absent string
	// once: the values of all blocks are one observation. There is a ratio, and nothing to test.
	once bool
	// above is how far the true values may be above those of a search; 0 for values that were measured.
	above float64
}

const noneOnBothSides = "no trial that counts has this measurement on both sides, in one unit"

// onlyOnce is why values that last from block to block carry no verdict.
const onlyOnce = "it is the largest value since the server began: all blocks show one observation"

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
		out.absent = "no block has a counted value on both sides"
		return out
	}
	how := stats.ComparePaired
	if a.sequential() {
		how = stats.CompareUnpaired
	}
	out.comparison, out.absent = ratioOf(subject, baseline, how)
	out.above = a.Declaration.Steps.above(slices.Concat(subject, baseline)...)
	return out
}

// ratioOf two samples, neither of them empty; absent is why there is none.
func ratioOf(subject, baseline []float64, how func(subject, baseline []float64) (stats.Comparison, error)) (c stats.Comparison, absent string) {
	all := slices.Concat(subject, baseline)
	low, high := slices.Min(all), slices.Max(all)
	if low > 0 && high/maxRatio > low {
		return c, fmt.Sprintf("the values lie between %.3g and %.3g, and ratios of more than %.0e are compared by nobody", low, high, maxRatio)
	}
	c, err := how(subject, baseline)
	var notPositive *stats.NotPositiveError
	switch {
	case errors.As(err, &notPositive):
		return c, fmt.Sprintf("a value is %g, and a ratio needs positive values", notPositive.Value)
	case err != nil:
		return c, err.Error()
	}
	return c, ""
}

func (a *analyst) sequential() bool { return a.Layout.Plan.Order == v1alpha1.OrderSequential }

// InSequence is why trials in sequence carry no verdict: without any difference, and with a drift of
// 5 % over the session, two of three such comparisons find one (make bench-stats).
const InSequence = "the trials run in sequence, so that a drift over time looks like a difference"

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
		one := compared{contrast: c, kind: -1, absent: noneOnBothSides}
		if id, has := a.series.find(c); has {
			one = a.compare(c, id)
		}
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
		if !one.once {
			e.AdjustedP = besides(decision.P, d.ErrorRate)
		}
		if one.absent == "" && !one.once {
			setInterval(&e, decision.Interval)
			if effect, ok := stats.DetectableEffect(one.comparison.N, one.comparison.Spread, d.ErrorRate/float64(len(all)), power); ok && effect > 0 && one.comparison.Paired {
				e.DetectableEffect = v1alpha1.FourDigits(max(effect, one.above))
			}
		}
		a.judge(&e, one, decision)
		out = append(out, e)
	}
	return out
}

// ofFamily adds how many blocks a difference takes where there are several comparisons: their common error rate leaves each
// of them less.
func (a *analyst) ofFamily() string {
	if a.needed <= stats.MinBlocks {
		return ""
	}
	return fmt.Sprintf("; to show a difference, %d comparisons together need %d", len(a.family.Primary), a.needed)
}

// judge a primary comparison.
func (a *analyst) judge(e *v1alpha1.ComparisonEntry, one compared, decision stats.Decision) {
	differing := a.likeness(one.contrast)
	e.Differences = differing.Differences
	e.Verdict = v1alpha1.ComparisonVerdict(decision.Verdict(directionOf(*e)))
	switch {
	case a.series.blocks < a.needed:
		e.Verdict = v1alpha1.VerdictExploratory
		e.Reason = fmt.Sprintf("%d comparisons need %d blocks, and the plan has %d", len(a.family.Primary), a.needed, a.series.blocks)
	case a.sequential():
		e.Verdict, e.Reason = v1alpha1.VerdictExploratory, joined(one.absent, InSequence)
	case one.absent != "":
		e.Verdict, e.Reason = v1alpha1.VerdictInconclusive, one.absent
	case one.once:
		e.Verdict, e.Reason = v1alpha1.VerdictExploratory, onlyOnce
	case e.Verdict == v1alpha1.VerdictExploratory:
		e.Reason = fmt.Sprintf("%d blocks count on both sides, and a verdict needs %d%s", one.comparison.N, stats.MinBlocks, a.ofFamily())
	case differing.Unmet != "":
		e.Verdict, e.Reason = v1alpha1.VerdictInconclusive, "the sides are not alike, as requireLike wants them: "+differing.Unmet
	case e.Verdict == v1alpha1.VerdictInconclusive && e.DetectableEffect != "":
		e.Reason = fmt.Sprintf("these blocks detect %s", percentOf(e.DetectableEffect))
	case e.Verdict == v1alpha1.VerdictInconclusive && one.comparison.N < a.needed:
		e.Reason = fmt.Sprintf("%d blocks count on both sides, and %d comparisons need %d", one.comparison.N, len(a.family.Primary), a.needed)
	case e.Verdict != v1alpha1.VerdictEquivalent:
		e.BelowMinimumEffect = decision.Equivalent
	}
	if a.sameOrder(e.Factor) && e.Verdict != v1alpha1.VerdictExploratory {
		e.Reason = joined(e.Reason, "all blocks measured the cells in one order, so that a drift within a block looks like a difference")
	}
	if text := a.caveat(one.contrast); text != "" && e.Verdict != v1alpha1.VerdictExploratory {
		e.Reason = joined(e.Reason, text)
	}
	if one.absent == "" && e.IntervalLow != "" {
		e.Reason = joined(e.Reason, coarse(one.above))
	}
	e.Reason = abridge(e.Reason, maxReason)
	e.Text = a.describe(*e, differing.Words)
}

// likeness of the sides of a comparison of targets. Other factors have the same servers on both sides.
func (a *analyst) likeness(c Contrast) Likeness {
	require := a.Declaration.Require
	switch {
	case c.Value.Target == c.Baseline.Target:
		return Likeness{}
	case a.Alike == nil && len(require) > 0:
		return Likeness{Unmet: "this manager does not compare them"}
	case a.Alike == nil:
		return Likeness{}
	}
	key := [2]int32{c.Value.Target, c.Baseline.Target}
	if known, is := a.alike[key]; is {
		return known
	}
	sides := Sides{Value: a.Layout.Plan.Targets[c.Value.Target], Baseline: a.Layout.Plan.Targets[c.Baseline.Target], Require: require}
	for _, t := range countedTrials(a.Layout, a.Records) {
		switch t.Target {
		case c.Value.Target:
			sides.ValueRecords = append(sides.ValueRecords, *t.record)
		case c.Baseline.Target:
			sides.BaselineRecords = append(sides.BaselineRecords, *t.record)
		}
	}
	a.alike[key] = a.Alike(sides)
	return a.alike[key]
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
	e.BlockCount = int32(one.comparison.N)
	if one.absent == "" {
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
		e.IntervalLow, e.IntervalHigh, e.IntervalConfidence = besides(i.Low, 1), besides(i.High, 1), besidesIn(4, i.Coverage, 1)
	}
}

// directionOf a measurement, if it is one of speed. Less memory or fewer flushes are not faster.
func directionOf(e v1alpha1.ComparisonEntry) stats.Direction {
	switch contract.Direction(e.Direction) {
	case contract.HigherIsBetter:
		return stats.HigherIsBetter
	case contract.LowerIsBetter:
		if slices.Contains(timeUnits, e.Unit) {
			return stats.LowerIsBetter
		}
	}
	return stats.NoDirection
}

var timeUnits = []string{"s", "ms", "us", "ns"}

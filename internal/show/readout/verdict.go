package readout

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/verdict/analysis"
)

// Verdict is a comparison for a reader. Numbers are decimals; the texts beside them are for people.
type Verdict struct {
	// Key names the comparison within its run, such as "Primary/target/mariadb/mysql///throughput": the same on every surface.
	Key string `json:"key"`
	// Family is Primary, Control or Exploratory.
	Family string `json:"family"`
	// Verdict is Faster, Slower, Higher, Lower, Equivalent, Inconclusive, Exploratory or NotMeasured.
	Verdict string `json:"verdict"`
	// BelowMinimumEffect: there is a difference, and it was shown to be less than the minimum effect.
	BelowMinimumEffect bool `json:"belowMinimumEffect,omitempty"`
	// Factor whose values are compared: the value with the baseline.
	Factor   string `json:"factor"`
	Value    string `json:"value"`
	Baseline string `json:"baseline"`
	// Unlike are other factors in which the sides differ, as the comparison declares: then the ratio is not that of the factor alone.
	// Absent where all else is equal.
	Unlike []v1alpha1.UnlikeFactor `json:"unlike,omitempty"`
	// Target that was measured on both sides; absent where the targets are compared.
	Target string `json:"target,omitempty"`
	// Where in the experiment: the parameters of the cell, without the factor.
	Where map[string]string `json:"where,omitempty"`
	// Name of the measurement, with its labels and unit.
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels,omitempty"`
	Unit   string            `json:"unit,omitempty"`
	// Direction is HigherIsBetter or LowerIsBetter; absent where neither is better.
	Direction string `json:"direction,omitempty"`
	// Ratio of the value over the baseline; absent without a pair. The interval is absent where the blocks or runs are too few.
	Ratio              string `json:"ratio,omitempty"`
	IntervalLow        string `json:"intervalLow,omitempty"`
	IntervalHigh       string `json:"intervalHigh,omitempty"`
	IntervalConfidence string `json:"intervalConfidence,omitempty"`
	// EquivalenceLow and EquivalenceHigh bound the ratio by the interval that showed the difference to be less than the minimum effect,
	// which is narrower than the other one; absent where nothing showed that.
	EquivalenceLow        string `json:"equivalenceLow,omitempty"`
	EquivalenceHigh       string `json:"equivalenceHigh,omitempty"`
	EquivalenceConfidence string `json:"equivalenceConfidence,omitempty"`
	// P by itself, and for the whole family by Holm.
	P         string `json:"p,omitempty"`
	AdjustedP string `json:"adjustedP,omitempty"`
	// Spread is the standard deviation of the log-ratios of the blocks: 0.1 is about 10 %.
	Spread string `json:"spread,omitempty"`
	// DetectableEffect is the smallest relative difference that these blocks find in four of five runs.
	DetectableEffect string `json:"detectableEffect,omitempty"`
	// BlocksNeeded is how many blocks find the minimum effect in four of five runs, at this spread; absent where that is unknown.
	BlocksNeeded int32 `json:"blocksNeeded,omitempty"`
	// Blocks that count, and those that were planned.
	Blocks        int32 `json:"blocks"`
	PlannedBlocks int32 `json:"plannedBlocks"`
	// Differences is how many settings and other properties differ between the sides besides what is compared.
	Differences int `json:"differences,omitempty"`
	// Reasons why the comparison is not decided, and what limits its numbers, a sentence each.
	Reasons []string `json:"reasons,omitempty"`
	// Detects is the detectable effect for people, beside that of the plan, which had to assume a spread: "these blocks detect
	// 16 % (planned 4.8 %)". Absent where it is unknown.
	Detects string `json:"detects,omitempty"`
	// Equivalence says for people by which interval the difference is less than the minimum effect: "within ±2 % by the 91.6 %
	// interval (-0.8 to +1.9 %)". Absent where nothing showed that.
	Equivalence string `json:"equivalence,omitempty"`
	// Resolves says for people how far two servers of one spec are apart, of a control: a smaller difference is not resolved.
	Resolves string `json:"resolves,omitempty"`
	// Effect and Interval of the ratio for people, such as "+16 %" and "+1.7 to +26 %".
	Effect   string `json:"effect,omitempty"`
	Interval string `json:"interval,omitempty"`
	// Evidence is p and the blocks for people, such as "p 0.023, 9 of 10 blocks".
	Evidence string `json:"evidence"`
	// Subject is what is compared, such as "mariadb against mysql, latency p95".
	Subject string `json:"subject"`
	// Text is all of it in one line, the answer first.
	Text string `json:"text"`

	differ string
	// factor: Effect and Interval are factors.
	factor bool
	// byItself and adjusted are p for people.
	byItself, adjusted string
}

// Ps are p by itself and p for all declared comparisons together, for people; empty without one.
func (v Verdict) Ps() (byItself, adjusted string) { return v.byItself, v.adjusted }

// maxLine of a comparison, in bytes: the API server refuses more than 1,024 characters.
const maxLine = 1000

// about is what the verdicts of a run have in common.
type about struct {
	errorRate, minimumEffect float64

	differences []v1alpha1.SideDifferences
	// unsupported: a check found that a tool cannot do something of the run.
	unsupported bool
}

// aboutRun is what the verdicts of a run have in common, beside these differences.
func aboutRun(run *v1alpha1.BenchmarkRun, differences []v1alpha1.SideDifferences) about {
	out := about{errorRate: analysis.ErrorRate(run.Spec), minimumEffect: MinimumEffect(run), differences: differences}
	out.unsupported = slices.ContainsFunc(run.Status.Findings, func(f v1alpha1.Finding) bool { return f.Check == "unsupported" })
	return out
}

func (a about) verdict(e v1alpha1.ComparisonEntry) Verdict {
	effect := figure.EffectOf(e.Ratio, e.IntervalLow, e.IntervalHigh)
	v := Verdict{
		Family: string(e.Family), Verdict: string(e.Verdict), BelowMinimumEffect: e.BelowMinimumEffect,
		Factor: e.Factor, Value: e.Value, Baseline: e.Baseline, Unlike: e.Unlike, Target: e.Target, Where: ParametersOf(e.Parameters),
		Name: e.Name, Labels: e.Labels, Unit: e.Unit, Direction: e.Direction,
		Ratio: e.Ratio, IntervalLow: e.IntervalLow, IntervalHigh: e.IntervalHigh, IntervalConfidence: e.IntervalConfidence,
		EquivalenceLow: e.EquivalenceLow, EquivalenceHigh: e.EquivalenceHigh, EquivalenceConfidence: e.EquivalenceConfidence,
		P: e.P, AdjustedP: e.AdjustedP, Spread: e.Spread, DetectableEffect: e.DetectableEffect, BlocksNeeded: e.BlocksNeeded,
		Blocks: e.BlockCount, PlannedBlocks: e.PlannedBlockCount, Reasons: sentencesOf(e.Reasons),
		Effect: effect.Ratio, Interval: effect.Interval, factor: effect.Factor,
	}
	v.Key = strings.Join([]string{v.Family, v.Factor, v.Value, analysis.SideOfBaseline(v.Baseline, v.Unlike), v.Target, whereOf(v.Where), v.Name + whereOf(v.Labels)}, "/")
	if e.Verdict == v1alpha1.VerdictNotMeasured {
		v.Reasons = a.unmeasured(v)
	}
	v.byItself, v.adjusted = figure.P(v.P, a.errorRate), figure.P(v.AdjustedP, a.errorRate)
	v.Subject, v.Evidence = subjectOf(v), evidenceOf(v)
	v.Equivalence = a.equivalence(v)
	if e.Family == v1alpha1.FamilyControl {
		v.Resolves = resolves(v.Ratio, v.IntervalLow, v.IntervalHigh)
	}
	v.Detects = v.detect()
	if e.Factor == v1alpha1.FactorTarget && e.Family != v1alpha1.FamilyControl {
		all := a.between(e.Value, e.Baseline)
		v.Differences, v.differ = len(all), differ(all)
	}
	v.Text = contract.Cut(v.line(), maxLine)
	return v
}

// equivalence is the interval that showed a difference to be less than the minimum effect; empty where nothing showed that.
func (a about) equivalence(v Verdict) string {
	if v.EquivalenceLow == "" {
		return ""
	}
	return fmt.Sprintf("within ±%s by the %s interval (%s)", figure.Share(a.minimumEffect), figure.Level(v.EquivalenceConfidence),
		figure.EffectOf(v.Ratio, v.EquivalenceLow, v.EquivalenceHigh).Interval)
}

// resolves says how far two servers of one spec are apart, by an interval of their ratio; empty without one.
func resolves(ratio, low, high string) string {
	l, ok := figure.Decimal(low)
	h, also := figure.Decimal(high)
	if !ok || !also {
		return ""
	}
	return fmt.Sprintf("two servers of one spec are %s apart: a difference of less than %s is not resolved here",
		figure.EffectOf(ratio, low, high).Interval, figure.Share(max(math.Abs(l-1), math.Abs(h-1))))
}

// unmeasured is why a comparison has no numbers, and what it counts for.
func (a about) unmeasured(v Verdict) []string {
	out := v.Reasons
	if a.unsupported {
		out = append(out, "the finding unsupported says what a tool cannot do")
	}
	if v.Family == string(v1alpha1.FamilyPrimary) {
		out = append(out, "it counts in the error rate of the declared comparisons")
	}
	return out
}

// InOneForm are comparisons whose effects and intervals have one form, for a list: factors where one of them has that form. The control,
// whose effects are none, has a form of its own: as a factor, 1.00x hides how little it differs.
func InOneForm(all []Verdict) []Verdict {
	out, factors := slices.Clone(all), map[bool]bool{}
	isControl := func(v Verdict) bool { return v.Family == string(v1alpha1.FamilyControl) }
	for _, v := range all {
		factors[isControl(v)] = factors[isControl(v)] || v.IsFactor()
	}
	for i, v := range out {
		if !factors[isControl(v)] {
			continue
		}
		effect := figure.EffectAs(false, v.Ratio, v.IntervalLow, v.IntervalHigh)
		out[i].Effect, out[i].Interval, out[i].factor = effect.Ratio, effect.Interval, effect.Factor
	}
	return out
}

// IsFactor says whether the effect is written as a factor, such as 1.52x, and not as a difference in percent.
func (v Verdict) IsFactor() bool { return v.factor }

// undecided are the verdicts that decide nothing.
var undecided = []v1alpha1.ComparisonVerdict{v1alpha1.VerdictNotMeasured, v1alpha1.VerdictInconclusive, v1alpha1.VerdictExploratory}

// Undecided says that a comparison decides nothing: it is Inconclusive, Exploratory or not measured.
func (v Verdict) Undecided() bool {
	return slices.Contains(undecided, v1alpha1.ComparisonVerdict(v.Verdict))
}

// Word of the verdict as a line begins: in capitals.
func (v Verdict) Word() string { return strings.ToUpper(v.Label()) }

// Label of the verdict for people, as a table has it.
func (v Verdict) Label() string { return label(v1alpha1.ComparisonVerdict(v.Verdict)) }

func label(v v1alpha1.ComparisonVerdict) string {
	if v == v1alpha1.VerdictNotMeasured {
		return "Not measured"
	}
	return string(v)
}

// Figures are the effect with its interval and the evidence, such as "+16 % (+1.7 to +26 %), p 0.023, 9 of 10 blocks".
func (v Verdict) Figures() string {
	var words []string
	if v.Effect != "" {
		words = append(words, figure.Effect{Ratio: v.Effect, Interval: v.Interval}.String())
	}
	if v.BelowMinimumEffect {
		words = append(words, "less than the minimum effect")
	}
	return strings.Join(append(words, v.Evidence), ", ")
}

// Rest is what follows the figures and the subject where there is room: by which interval the sides are equivalent, why there
// is no verdict, what limits the numbers, what a control resolves, what the blocks detect, and what differs.
func (v Verdict) Rest() []string { return v.rest(v.Detects) }

func (v Verdict) rest(detects string) []string {
	all := slices.Concat([]string{v.Equivalence}, v.Reasons, []string{v.Resolves, detects, v.differ})
	return slices.DeleteFunc(all, func(text string) bool { return text == "" })
}

// detect is what the blocks detect; empty where that is unknown.
func (v Verdict) detect() string {
	if v.DetectableEffect == "" {
		return ""
	}
	return "these blocks detect " + figure.ShareText(v.DetectableEffect)
}

// line such as
//
//	FASTER +16 % (+1.7 to +26 %), p 0.023, 9 of 10 blocks: mariadb against mysql, throughput; 17 settings that matter differ
//	INCONCLUSIVE -3.8 % (-9.1 to +1.6 %), p 0.21, 10 blocks: mariadb against mysql, latency p95; these blocks detect 8.2 %
//	SLOWER 1.52x (1.43 to 1.61), p 0.002 by itself, 10 blocks: threads 64 against 2 on mariadb, throughput
//	FASTER 45.6x (39.5 to 56.7), p 0.043, 10 blocks: driver mariadb with scheme Batch against mysql with scheme SingleRow on mariadb, throughput
//
// A line is short: one that is decided says elsewhere what the blocks detect.
func (v Verdict) line() string {
	detects := ""
	if v.Undecided() {
		detects = v.detect()
	}
	return strings.Join(append([]string{v.Word() + " " + v.Figures() + ": " + v.Subject}, v.rest(detects)...), "; ")
}

// evidenceOf a comparison: p for the whole family, or by itself, and the blocks.
func evidenceOf(v Verdict) string {
	var words []string
	switch {
	case v.adjusted != "":
		words = append(words, "p "+v.adjusted)
	case v.byItself != "":
		words = append(words, "p "+v.byItself+" by itself") // not for all comparisons of the run
	}
	return strings.Join(append(words, BlocksOf(v.Blocks, v.PlannedBlocks)), ", ")
}

// BlocksOf is "10 blocks", or "9 of 10 blocks".
func BlocksOf(counted, planned int32) string {
	if counted == planned {
		return figure.Counted(int(planned), "block")
	}
	return fmt.Sprintf("%d of %d blocks", counted, planned)
}

// Against is the side of the baseline, such as "mysql", or "mysql with scheme SingleRow" where the sides differ in more than the factor.
func (v Verdict) Against() string {
	return contract.Line(analysis.SideOfBaseline(v.Baseline, v.Unlike))
}

// subjectOf a comparison: the sides, the measurement and the place.
func subjectOf(v Verdict) string {
	return v.subject(" against " + analysis.SideOfBaseline(v.Baseline, v.Unlike))
}

// Compared is the subject without the side of the baseline, for where Against stands above it.
func (v Verdict) Compared() string { return v.subject("") }

// subject with its side of the baseline in words. What the sides differ in is said of them, and not of the measurement.
func (v Verdict) subject(against string) string {
	text := analysis.SideOfValue(v.Value, v.Unlike) + against
	switch {
	case v.Family == string(v1alpha1.FamilyControl):
		text = "control, " + v.Baseline + " against itself"
	case v.Factor != v1alpha1.FactorTarget:
		text = v.Factor + " " + text // an axis may have the name of a target
		if v.Target != "" {
			text += " on " + v.Target
		}
	}
	labels := maps.Clone(v.Labels)
	for _, u := range v.Unlike {
		delete(labels, u.Factor)
	}
	words := []string{text, MeasurementName(v.Name, labels)}
	if where := whereOf(v.Where); where != "" {
		words = append(words, where)
	}
	return contract.Line(strings.Join(words, ", "))
}

// MeasurementName for people, such as "latency p95" or "cpu.time (side target)".
func MeasurementName(name string, labels map[string]string) string {
	if name == contract.NameLatencyPercentile && labels[contract.LabelPercentile] != "" {
		name = "latency p" + labels[contract.LabelPercentile]
		labels = maps.Clone(labels)
		delete(labels, contract.LabelPercentile)
	}
	var words []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		words = append(words, key+" "+labels[key])
	}
	if len(words) > 0 {
		name += " (" + strings.Join(words, ", ") + ")"
	}
	return contract.Line(name)
}

// tally of verdicts, each spelt so, in the order of the enumeration, such as "2 Faster, 1 Inconclusive".
// Of one verdict it is the word alone.
func tally(verdicts []string, spelt func(v1alpha1.ComparisonVerdict) string) string {
	return strings.Join(kindsOf(verdicts, spelt), ", ")
}

// kindsOf verdicts, with how many there are of each; without a number for one verdict alone.
func kindsOf(verdicts []string, spelt func(v1alpha1.ComparisonVerdict) string) (words []string) {
	if len(verdicts) == 1 {
		return []string{spelt(v1alpha1.ComparisonVerdict(verdicts[0]))}
	}
	for _, v := range []v1alpha1.ComparisonVerdict{
		v1alpha1.VerdictFaster, v1alpha1.VerdictSlower, v1alpha1.VerdictHigher, v1alpha1.VerdictLower,
		v1alpha1.VerdictEquivalent, v1alpha1.VerdictInconclusive, v1alpha1.VerdictExploratory, v1alpha1.VerdictNotMeasured,
	} {
		n := 0
		for _, word := range verdicts {
			if word == string(v) {
				n++
			}
		}
		if n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, spelt(v)))
		}
	}
	return words
}

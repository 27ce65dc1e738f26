package readout

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/trial/likeness"
	"github.com/assay-bench/assay/internal/verdict/analysis"
)

// next is what to do next, the most useful first.
func (r Run) next(in Input) (out []string) {
	run := in.Run
	why := "kubectl assay why " + cmp.Or(in.View.Bundle, run.Name+" -n "+run.Namespace)
	switch r.Kind {
	case Failed, Invalid:
		return []string{why + " says what happened, and what to do about it"}
	case Going:
		return nil
	case GateFailed:
		out = append(out, why+" lists the measurements that the gate failed for")
	}
	if text := moreBlocks(r.Family(v1alpha1.FamilyPrimary), run); text != "" && !judgesComparisons(run) {
		out = append(out, text)
	}
	if text := blocksForPrecision(run); text != "" {
		out = append(out, text)
	}
	if text := blocksForGate(run); text != "" {
		out = append(out, text)
	}
	if text := costs(r.Family(v1alpha1.FamilyPrimary), run); text != "" {
		out = append(out, text)
	}
	if text := oneNode(r.Differences); text != "" {
		out = append(out, text)
	}
	if text := makeAlike(r.Differences, run); text != "" {
		out = append(out, text)
	}
	if len(r.Family(v1alpha1.FamilyPrimary)) == 0 && len(run.Status.Targets) > 1 && run.Spec.Gate == nil {
		out = append(out, "declare what to compare in spec.analysis.comparisons, and run again: only a comparison that was declared before the data has a verdict")
	}
	return out
}

// moreBlocks says how many blocks find the minimum effect for every comparison that is inconclusive; empty without one, and
// where a comparison does not know.
func moreBlocks(primary []Verdict, run *v1alpha1.BenchmarkRun) string {
	needed, open := int32(0), false
	for _, v := range primary {
		if v.Verdict != string(v1alpha1.VerdictInconclusive) {
			continue
		}
		if v.BlocksNeeded == 0 {
			return ""
		}
		needed, open = max(needed, v.BlocksNeeded), true
	}
	measured := run.Spec.Design.BlockCount()
	if n := stoppedAfter(run); n > 0 {
		measured = n
	}
	if !open || needed <= measured {
		return ""
	}
	return fmt.Sprintf("to find a difference of %s in four of five runs, at the spread of this one, %s", strings.TrimSuffix(minimumEffectOf(run), "%")+" %", setBlocks(run, needed))
}

// blocksForPrecision says how many blocks reach the precision that was asked for, where the run did not; empty without one, where a
// gate decided, and where the spread is not known.
func blocksForPrecision(run *v1alpha1.BenchmarkRun) string {
	p := run.Status.Plan
	if run.Spec.Design.Precision == "" || judgesComparisons(run) || p == nil || p.Analysis == nil || p.Analysis.Forecast == nil {
		return ""
	}
	f := p.Analysis.Forecast
	wanted, err := analysis.Share(run.Spec.Design.Precision)
	known, is := figure.Decimal(f.Precision)
	if err != nil || f.ExpectedBlocks == nil || *f.ExpectedBlocks <= f.AfterBlocks || is && known <= wanted {
		return ""
	}
	return fmt.Sprintf("to know every ratio to within %s, at the spread of this run, %s", figure.Share(wanted), setBlocks(run, *f.ExpectedBlocks))
}

// oneNode says how to take the machines out of a comparison of servers on two of them; empty where none is.
func oneNode(all []Differences) string {
	for _, pair := range all {
		for _, d := range pair.Differences {
			if d.Name == likeness.FactNode {
				return fmt.Sprintf("%s ran on %s, %s on %s: give both one node by nodeSelector in their shapes, where it has room for both (they take turns), or repeat the run "+
					"with the nodes exchanged", pair.Value, d.Value, pair.Baseline, d.Baseline)
			}
		}
	}
	return ""
}

// usualEffects are the differences whose price a run tells.
var usualEffects = []float64{0.1, 0.05, 0.02, 0.01}

// costs says how many blocks find smaller and smaller differences, at the spread of the comparison that varies most; empty where
// no spread is known.
func costs(primary []Verdict, run *v1alpha1.BenchmarkRun) string {
	worst, spread := Verdict{}, 0.0
	for _, v := range primary {
		if s, err := strconv.ParseFloat(v.Spread, 64); err == nil && s > spread {
			worst, spread = v, s
		}
	}
	if spread == 0 || judgesComparisons(run) {
		return ""
	}
	var each []string
	most := ""
	for _, effect := range usualEffects {
		blocks, ok := analysis.BlocksFor(run.Spec, len(primary), effect, spread)
		if !ok {
			break
		}
		text := fmt.Sprintf("%s with %s", figure.Share(effect), figure.Counted(blocks, "block"))
		if took := timeOfBlocks(run, int32(blocks)); took > 0 {
			text += fmt.Sprintf(" (%s)", figure.Duration(took))
		}
		if blocks > v1alpha1.MostBlocks {
			most = fmt.Sprintf("; a run has at most %d", v1alpha1.MostBlocks)
		}
		each = append(each, text)
	}
	if len(each) == 0 {
		return ""
	}
	return fmt.Sprintf("of runs like this one, whose blocks vary by %s (%s), four of five find %s%s",
		figure.Share(spread), MeasurementName(worst.Name, worst.Labels), strings.Join(each, ", "), most)
}

// setBlocks says which fields have to change, and how long a run of so many blocks takes, where that is known. A run has a bound.
func setBlocks(run *v1alpha1.BenchmarkRun, needed int32) string {
	took, text := timeOfBlocks(run, needed), "set design.blocks to "+figure.Number(float64(needed))
	switch {
	case needed > v1alpha1.MostBlocks:
		return fmt.Sprintf("take %s, and a run has at most %d: longer windows and a machine of its own make its blocks vary less",
			figure.Counted(int(needed), "block"), v1alpha1.MostBlocks)
	case run.Spec.Design.Within != nil && took > 0 && needed <= run.Spec.Design.BlockCount():
		return fmt.Sprintf("set design.within to %dm (%s)", int(took.Minutes()), figure.Counted(int(needed), "block"))
	case run.Spec.Design.Within != nil && took > 0:
		return fmt.Sprintf("%s and design.within to %dm", text, int(took.Minutes()))
	case took > 0:
		text += fmt.Sprintf(" (about %s)", figure.Duration(took))
	}
	return text
}

// judgesComparisons says whether the gate of a run is about its own comparisons: then its margin is what the blocks are for.
func judgesComparisons(run *v1alpha1.BenchmarkRun) bool {
	return run.Spec.Gate != nil && run.Spec.Gate.Comparisons != ""
}

// blocksForGate says how many blocks let a gate over comparisons pass where nothing is lost; empty where they are decided, or
// where more would not help.
func blocksForGate(run *v1alpha1.BenchmarkRun) string {
	needed := int32(0)
	if g := run.Status.Gate; g != nil {
		for _, e := range g.Entries {
			needed = max(needed, e.BlocksNeeded)
		}
	}
	if needed <= run.Spec.Design.BlockCount() || !judgesComparisons(run) {
		return ""
	}
	return "to let the gate pass in four of five runs where nothing is lost, at the spread of this run, " + setBlocks(run, needed)
}

// timeOfBlocks is how long a run of so many blocks takes at the pace of this one; 0 where that is not known.
func timeOfBlocks(run *v1alpha1.BenchmarkRun, blocks int32) time.Duration {
	st := run.Status
	if st.StartTime == nil || st.CompletionTime == nil || run.Spec.Design.BlockCount() <= 0 || st.Progress.Done < st.Progress.Planned {
		return 0
	}
	had := run.Spec.Design.BlockCount()
	if n := stoppedAfter(run); n > 0 {
		had = n
	}
	whole := st.CompletionTime.Sub(st.StartTime.Time)
	// Servers come up, load and go once, whatever the number of blocks.
	blocksTook := whole
	loaded, measured := apimeta.FindStatusCondition(st.Conditions, v1alpha1.ConditionDataLoaded), apimeta.FindStatusCondition(st.Conditions, v1alpha1.ConditionMeasured)
	if loaded != nil && measured != nil && measured.LastTransitionTime.After(loaded.LastTransitionTime.Time) {
		blocksTook = min(whole, measured.LastTransitionTime.Sub(loaded.LastTransitionTime.Time))
	}
	took := (whole - blocksTook).Seconds() + blocksTook.Seconds()/float64(had)*float64(blocks)
	return time.Duration(math.Max(1, math.Round(took/60))) * time.Minute
}

// lacks is what the verdicts do not say, as far as the run itself knows it.
func (r Run) lacks(in Input) (out []string) {
	primary := r.Family(v1alpha1.FamilyPrimary)
	switch {
	case r.Kind == Going || r.Kind == Failed:
		return nil
	case len(primary) > 0:
		out = append(out, "It is about these servers on these nodes in this one run. How another run would differ is in no interval: "+
			"repeat the run, and analyse the runs together with kubectl assay compare.")
	case in.Run.Status.Gate != nil:
		out = append(out, "No comparison was declared before the data, so there is no verdict on differences within the run: they are hints for the next run. "+
			"The gate compares with earlier runs.")
	default:
		out = append(out, "No comparison was declared before the data, so there is no verdict: differences between numbers are hints for the next run.")
	}
	for _, v := range primary {
		if v.Verdict == string(v1alpha1.VerdictInconclusive) {
			out = append(out, "Inconclusive is not equal: a difference that these blocks do not detect may be there.")
			break
		}
	}
	out = append(out, unlike(primary)...)
	for _, pair := range r.Differences {
		var names []string
		for _, d := range pair.Differences {
			names = append(names, d.Name)
		}
		out = append(out, fmt.Sprintf("%s and %s differ in more than what is compared: %s. What of the difference comes from it is not known.",
			pair.Value, pair.Baseline, Few(names, 6)))
	}
	if n := len(r.Family(v1alpha1.FamilyExploratory)); n > 0 && len(primary) > 0 {
		out = append(out, fmt.Sprintf("%s have no error rate: they are hints.", plural(n, "comparison that was not declared", "comparisons that were not declared")))
	}
	for _, t := range r.Targets {
		if t.Quoted != "" {
			return append(out, "Quoted numbers were measured by somebody else, somewhere else. No test uses them.")
		}
	}
	return out
}

// unlike is what the comparisons leave open whose sides were declared to differ in more than the factor: a sentence for each factor with
// what else differs.
func unlike(primary []Verdict) (out []string) {
	type kind struct{ factor, names string }
	var kinds []kind
	of := map[kind][]Verdict{}
	for _, v := range primary {
		if len(v.Unlike) == 0 || v.Effect == "" {
			continue
		}
		var names []string
		for _, u := range v.Unlike {
			names = append(names, u.Factor)
		}
		k := kind{v.Factor, strings.Join(names, " and ")}
		if len(of[k]) == 0 {
			kinds = append(kinds, k)
		}
		of[k] = append(of[k], v)
	}
	for _, k := range kinds {
		out = append(out, fmt.Sprintf("In %s the sides differ in %s too, as declared, such as %s: what of the ratio comes from the %s is not known.",
			plural(len(of[k]), "comparison", "comparisons"), k.names, of[k][0].Subject, k.factor))
	}
	return out
}

// Few of some names, and how many more there are.
func Few(names []string, most int) string {
	text := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

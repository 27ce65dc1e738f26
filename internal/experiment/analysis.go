package experiment

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/trial/costs"
	"github.com/assay-bench/assay/internal/trial/levels"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/verdict/analysis"
)

// Experiment is what the run compares, and what it varies.
func (w Work) Experiment(p *plan.Plan) (analysis.Layout, analysis.Declaration, error) {
	l := analysis.Layout{Plan: p, Loads: w.Tool.Design.Loads}
	d, err := analysis.Declare(w.spec, w.Compared())
	if err != nil {
		return l, d, err
	}
	combinations, err := w.Tool.Combinations(w.Params)
	if err != nil {
		return l, d, fmt.Errorf("spec.%w", err)
	}
	for _, c := range combinations {
		l.Combinations = append(l.Combinations, analysis.Combination(c))
	}
	return l, d, nil
}

// Foresee what a plan can show, with so many comparisons at most; nil for a run that compares nothing. It refuses a declaration
// that this run cannot satisfy. The default analysis never refuses a run: it says why it has no verdict.
func (w Work) Foresee(p *plan.Plan, most int32) (*v1alpha1.PlannedAnalysis, error) {
	if err := checkControl(w.spec); err != nil {
		return nil, err
	}
	l, d, err := w.Experiment(p)
	if err != nil {
		return nil, err
	}
	family, err := analysis.FamilyOf(l, d, w.Compared(), int(most))
	var many *analysis.TooManyError
	var large *analysis.TooLargeError
	switch {
	case d.Stop != nil && (errors.As(err, &many) || errors.As(err, &large)):
		return nil, fmt.Errorf("spec.design.%s: %w", stopField(w.spec.Design), err)
	case errors.As(err, &large) && !d.Declared:
		n := int(min(large.Units, math.MaxInt32))
		return &v1alpha1.PlannedAnalysis{ComparisonCount: int32(n), BlocksNeeded: int32(stats.BlocksNeeded(n, d.ErrorRate)), Exploratory: err.Error()}, nil
	case errors.As(err, &many) && !d.Declared:
		return &v1alpha1.PlannedAnalysis{
			ComparisonCount: int32(many.Comparisons), BlocksNeeded: int32(stats.BlocksNeeded(many.Comparisons, d.ErrorRate)), Exploratory: err.Error(),
		}, nil
	case errors.As(err, &many):
		return nil, fmt.Errorf("spec.analysis.comparisons: %w", err)
	case err != nil && (d.Declared || d.Stop != nil):
		return nil, err
	}
	if err := checkStop(family, d, w.spec.Design); err != nil {
		return nil, err
	}
	if err := checkGate(family, d, p, slices.Concat(w.Tool.Facts, levels.Names())); err != nil {
		return nil, err
	}
	f := analysis.Foresee(family, l, d)
	if err != nil || f.Comparisons == 0 {
		return nil, nil
	}
	shows := showForesight(f)
	switch {
	case p.Order == v1alpha1.OrderSequential:
		shows.Exploratory = inSequence
	case f.Enough():
	case f.Blocks >= stats.MinBlocks && d.Declared:
		return nil, fmt.Errorf("spec.analysis.comparisons: %s, and design.blocks is %d: raise it, compare less, or raise errorRate",
			needs(int32(f.Comparisons), int32(f.Needed)), f.Blocks)
	default:
		shows.Exploratory = "the plan has " + figure.Counted(f.Blocks, "block")
	}
	return shows, nil
}

// checkControl refuses a control of a server that Assay cannot provide twice.
func checkControl(spec v1alpha1.BenchmarkRunSpec) error {
	of := spec.ControlOf()
	if of == "" {
		return nil
	}
	i := slices.IndexFunc(spec.Targets, func(t v1alpha1.Target) bool { return t.Name == of })
	switch {
	case i < 0:
		return fmt.Errorf("spec.analysis.comparisons: the baseline %q is no target: use the name of one", of)
	case spec.Targets[i].MySQL == nil:
		return fmt.Errorf("spec.analysis.control: the baseline %s is not a server that Assay provides (mysql), and the control is a second one like it: "+
			"leave control out, or name a target with mysql as the baseline", of)
	case spec.Targets[i].FromRun() != nil:
		return fmt.Errorf("spec.analysis.control: the baseline %s measures on the volume of run %s (mysql.storage.fromRun), which only one server can use, and the control is a second one like it: "+
			"leave control out, or name a target with a volume of its own as the baseline", of, spec.Targets[i].FromRun().Name)
	}
	return nil
}

// Message of the condition Accepted: what is planned, and what it can show.
func Message(trials, cells int, spec v1alpha1.BenchmarkRunSpec, shows *v1alpha1.PlannedAnalysis) string {
	return fmt.Sprintf("%s planned: %s x %s x %s%s%s", figure.Counted(trials, "trial"), figure.Counted(cells, "cell"), figure.Counted(spec.MeasuredTargets(), "target"),
		figure.Counted(spec.Design.Blocks+spec.Design.ReserveBlocks, "block"), searches(spec, trials), canShow(shows, spec.Design))
}

// needs says how many blocks comparisons need.
func needs(comparisons, blocks int32) string {
	verb := " need "
	if comparisons == 1 {
		verb = " needs "
	}
	return figure.Counted(comparisons, "comparison") + verb + figure.Counted(blocks, "block")
}

// canShow says what the plan can show, for the message of Accepted.
func canShow(a *v1alpha1.PlannedAnalysis, d v1alpha1.Design) string {
	if a == nil {
		return ends(d)
	}
	text := "; " + needs(a.ComparisonCount, a.BlocksNeeded)
	if a.Exploratory != "" {
		return text + map[bool]string{true: ", and is", false: ", and are"}[a.ComparisonCount == 1] + " exploratory here: " + a.Exploratory
	}
	pilot := "before the run"
	if a.PilotBlocks != nil {
		pilot = "before a pilot of " + figure.Counted(*a.PilotBlocks, "block")
	}
	return text + ends(d) + "; what they detect is not known " + pilot + usually(d)
}

// ends says when a run ends that decides itself; empty for any other.
func ends(d v1alpha1.Design) string {
	if d.ReserveBlocks > 0 {
		return fmt.Sprintf("; up to %d of the blocks are a reserve for those that do not count", d.ReserveBlocks)
	}
	var until []string
	if d.Precision != "" {
		until = append(until, "every compared ratio is known to within "+strings.TrimSuffix(d.Precision, "%")+" %")
	}
	if d.Within != nil {
		until = append(until, d.Within.Duration.String()+" are over")
	}
	if len(until) == 0 {
		return ""
	}
	return "; it ends when " + strings.Join(until, ", or ")
}

// Spreads of the ratios of blocks (standard deviation), as measured on two cores, with databases and clients on slices of a
// CPU: docs/evidence/statistics.md, docs/evidence/resolution.md.
const (
	shortWindow, usualOfShort = 2 * time.Second, "9 to 22 %"
	midWindow, usualOfMid     = 5 * time.Second, "8 to 17 %"
	longWindow, usualOfLong   = 20 * time.Second, "1.5 to 4 % where nothing uses up its CPU limit"
)

// usually says by how much the ratios of such windows spread where it was measured; empty elsewhere.
func usually(d v1alpha1.Design) string {
	var window, spread string
	switch {
	case d.Duration == nil:
		return ""
	case d.Duration.Duration <= shortWindow:
		window, spread = "1 to 2 s", usualOfShort
	case d.Duration.Duration >= longWindow:
		window, spread = "20 s and more", usualOfLong
	case d.Duration.Duration <= midWindow:
		window, spread = "2 to 5 s", usualOfMid
	default:
		return ""
	}
	return fmt.Sprintf(": ratios of windows of %s on slices of a CPU spread, where that was measured, by %s", window, spread)
}

// stopField of a design, for messages: the one that a family which is too large stands in the way of.
func stopField(d v1alpha1.Design) string {
	switch {
	case d.Precision != "":
		return "precision"
	case d.Within != nil:
		return "within"
	}
	return "reserveBlocks"
}

// checkStop refuses a run that is to stop early and never can.
func checkStop(family analysis.Family, d analysis.Declaration, design v1alpha1.Design) error {
	if d.Stop == nil {
		return nil
	}
	n, field := len(family.Primary), "spec.design."+stopField(design)
	switch {
	case design.Order == v1alpha1.OrderSequential:
		return fmt.Errorf("%s: with design.order %s no block ends before the last target: use RandomizedBlocks or ABBA", field, design.Order)
	case n == 0 && d.Stop.Precision > 0:
		return fmt.Errorf("%s: the run compares nothing, and it stops when compared ratios are known: leave precision out, name a second target, "+
			"or declare analysis.comparisons", field)
	}
	for _, c := range family.Primary {
		if d.Stop.Precision > 0 && costs.SinceStart(c.Measurement.Name) {
			return fmt.Errorf("%s: %s is the largest value since the server began, so that its ratio has no interval: "+
				"leave precision out, or declare other measurements", field, c.Measurement.Name)
		}
	}
	if pilot := analysis.PilotOf(family, d); pilot >= d.Stop.MostBlocks && pilot > 0 {
		return fmt.Errorf("%s: the pilot of %s takes %s, and design.blocks is %d: raise it or leave it out, compare less, or leave precision out",
			field, figure.Counted(n, "comparison"), figure.Counted(pilot, "block"), d.Stop.MostBlocks)
	}
	return nil
}

// checkGate refuses a gate over comparisons of the run that can never be judged. Facts are the measurements that have no
// direction.
func checkGate(family analysis.Family, d analysis.Declaration, p *plan.Plan, facts []string) error {
	const field = "spec.gate.comparisons"
	switch {
	case d.Margin == 0:
		return nil
	case !d.Declared: // a CRD of another version has accepted it
		return fmt.Errorf("%s: the run declares none: name them in spec.analysis.comparisons", field)
	case p.Order == v1alpha1.OrderSequential:
		return fmt.Errorf("%s: with design.order %s the trials run in sequence, so that a drift over time looks like a loss: use RandomizedBlocks or ABBA", field, p.Order)
	case p.Blocks() < stats.MinBlocks:
		return fmt.Errorf("%s: a comparison is judged from %d blocks on, and design.blocks is %d: raise it", field, stats.MinBlocks, p.Blocks())
	}
	for _, c := range family.Primary {
		name, remedy := c.Measurement.Name, "name other measurements in spec.analysis.comparisons, or leave the gate out"
		switch {
		case costs.SinceStart(name):
			return fmt.Errorf("%s: %s is the largest value since the server began, so that all blocks are one observation: %s", field, name, remedy)
		case slices.Contains(facts, name):
			return fmt.Errorf("%s: neither a higher nor a lower %s is better, so that none of its values is a loss: %s", field, name, remedy)
		}
	}
	return nil
}

// showForesight for the status.
func showForesight(f analysis.Foresight) *v1alpha1.PlannedAnalysis {
	shows := &v1alpha1.PlannedAnalysis{ComparisonCount: int32(f.Comparisons), BlocksNeeded: int32(f.Needed)}
	if f.Pilot > 0 {
		shows.PilotBlocks = new(int32(f.Pilot))
	}
	return shows
}

// inSequence is why a plan whose trials run in sequence can have no verdict.
const inSequence = "the trials run in sequence, so that a drift over time looks like a difference"

package experiment

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/trial/costs"
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
		return nil, fmt.Errorf("spec.design.stopEarly: %w", err)
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
	if err := checkStop(family, d, p.Order); err != nil {
		return nil, err
	}
	if err := checkGate(family, d, p, w.Tool.Facts); err != nil {
		return nil, err
	}
	f := analysis.Foresee(family, l, d)
	if err != nil || f.Comparisons == 0 {
		return nil, nil
	}
	shows := showForesight(f)
	switch {
	case p.Order == v1alpha1.OrderSequential:
		shows.DetectableEffect, shows.Exploratory = "", inSequence
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
	}
	return nil
}

// Message of the condition Accepted: what is planned, and what it can show.
func Message(trials, cells int, spec v1alpha1.BenchmarkRunSpec, shows *v1alpha1.PlannedAnalysis) string {
	targets := 0
	for _, t := range spec.Targets {
		if t.Published == nil {
			targets++
		}
	}
	return fmt.Sprintf("%s planned: %s x %s x %s%s%s", figure.Counted(trials, "trial"), figure.Counted(cells, "cell"), figure.Counted(targets, "target"),
		figure.Counted(spec.Design.Blocks, "block"), searches(spec, trials), canShow(shows, spec.Design.Blocks))
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
func canShow(a *v1alpha1.PlannedAnalysis, blocks int32) string {
	if a == nil {
		return ""
	}
	text := "; " + needs(a.ComparisonCount, a.BlocksNeeded)
	if a.Exploratory != "" {
		return text + map[bool]string{true: ", and is", false: ", and are"}[a.ComparisonCount == 1] + " exploratory here: " + a.Exploratory
	}
	effect, err := strconv.ParseFloat(a.DetectableEffect, 64)
	if err != nil {
		return text
	}
	return fmt.Sprintf("%s; %d blocks detect %s on a quiet machine, assuming that values spread by %s and ratios of two by %s%s",
		text, blocks, figure.Share(effect), figure.Share(analysis.TypicalSpread), figure.Share(analysis.TypicalRatioSpread), interimsAt(a))
}

// checkStop refuses a run that is to stop early and never can.
func checkStop(family analysis.Family, d analysis.Declaration, order v1alpha1.TrialOrder) error {
	if d.Stop == nil {
		return nil
	}
	n := len(family.Primary)
	switch {
	case order == v1alpha1.OrderSequential:
		return fmt.Errorf("spec.design.stopEarly: with design.order %s no block ends before the last target: use RandomizedBlocks or ABBA", order)
	case n == 0:
		return fmt.Errorf("spec.design.stopEarly: the run compares nothing, and it stops when compared ratios are known: " +
			"leave stopEarly out, name a second target, or declare analysis.comparisons")
	}
	for _, c := range family.Primary {
		if costs.SinceStart(c.Measurement.Name) {
			return fmt.Errorf("spec.design.stopEarly: %s is the largest value since the server began, so that its ratio has no interval: "+
				"leave stopEarly out, or declare other measurements", c.Measurement.Name)
		}
	}
	if interims := analysis.InterimsOf(family, d); len(interims) < 2 {
		return fmt.Errorf("spec.design.stopEarly: there is no room for an interim analysis before block %d: %s at a first interim analysis, "+
			"and the next one has half as many more: raise design.blocks, or leave stopEarly out",
			d.Stop.MaxBlocks, needs(int32(n), int32(max(d.Stop.MinBlocks, stats.BlocksNeeded(n, d.ErrorRate/2)))))
	}
	return nil
}

// checkGate refuses a gate over comparisons of the run that can never be judged. Facts are the measurements of the tool that have no
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
	if f.Detectable > 0 {
		shows.DetectableEffect = v1alpha1.FourDigits(f.Detectable)
	}
	for _, interim := range f.Interims {
		shows.InterimBlocks = append(shows.InterimBlocks, int32(interim.Blocks))
		shows.InterimErrorRate = v1alpha1.FourDigits(interim.ErrorRate)
	}
	return shows
}

// interimsAt says when a run that may stop early analyses its data; empty for any other.
func interimsAt(a *v1alpha1.PlannedAnalysis) string {
	if len(a.InterimBlocks) == 0 {
		return ""
	}
	var words []string
	for _, n := range a.InterimBlocks {
		words = append(words, strconv.Itoa(int(n)))
	}
	return fmt.Sprintf("; it may stop after %s of them, and its %d interim analyses share the error rate", strings.Join(words[:len(words)-1], ", "), len(words))
}

// inSequence is why a plan whose trials run in sequence can have no verdict.
const inSequence = "the trials run in sequence, so that a drift over time looks like a difference"

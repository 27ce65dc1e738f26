package accept

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/analysis"
	"github.com/assay-bench/assay/internal/plan"
	"github.com/assay-bench/assay/internal/stats"
)

// Experiment is what the run compares, and what it varies.
func (w Work) Experiment(p *plan.Plan) (analysis.Layout, analysis.Declaration, error) {
	l := analysis.Layout{Plan: p, Loads: w.Tool.Design.Loads}
	d, err := analysis.Declare(w.spec, Compared(w))
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

// foresee what the plan can show; nil for a run that compares nothing. It refuses a declaration that
// this run cannot satisfy. The default analysis never refuses a run: it says why it has no verdict.
func (in Input) foresee(out Result) (*v1alpha1.PlannedAnalysis, error) {
	if err := in.checkControl(); err != nil {
		return nil, err
	}
	p := out.Planned.Plan
	l, d, err := out.Work.Experiment(p)
	if err != nil {
		return nil, err
	}
	family, err := analysis.FamilyOf(l, d, Compared(out.Work), int(in.Catalogue.Config.Limits.Comparisons))
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
	f := analysis.Foresee(family, l, d)
	if err != nil || f.Comparisons == 0 {
		return nil, nil
	}
	shows := showForesight(f)
	switch {
	case p.Order == v1alpha1.OrderSequential:
		shows.DetectableEffect, shows.Exploratory = "", analysis.InSequence
	case f.Enough():
	case f.Blocks >= stats.MinBlocks && d.Declared:
		return nil, fmt.Errorf("spec.analysis.comparisons: %d comparisons need %d blocks, and design.blocks is %d: raise it, compare less, or raise errorRate",
			f.Comparisons, f.Needed, f.Blocks)
	default:
		shows.Exploratory = fmt.Sprintf("the plan has %d blocks", f.Blocks)
	}
	return shows, nil
}

// checkControl refuses a control of a server that Assay cannot provide twice.
func (in Input) checkControl() error {
	of := in.Run.Spec.ControlOf()
	if of == "" {
		return nil
	}
	switch t := in.Run.Target(of); {
	case t.Name == "":
		return fmt.Errorf("spec.analysis.comparisons: the baseline %q is no target: use the name of one", of)
	case t.MySQL == nil:
		return fmt.Errorf("spec.analysis.control: the baseline %s is not a server that Assay provides (mysql), and the control is a second one like it: "+
			"leave control out, or name a target with mysql as the baseline", of)
	}
	return nil
}

// canShow says what the plan can show, for the message of Accepted.
func canShow(a *v1alpha1.PlannedAnalysis, blocks int32) string {
	if a == nil {
		return ""
	}
	text := fmt.Sprintf("; %d comparisons need %d blocks", a.ComparisonCount, a.BlocksNeeded)
	if a.ComparisonCount == 1 {
		text = fmt.Sprintf("; 1 comparison needs %d blocks", a.BlocksNeeded)
	}
	if a.Exploratory != "" {
		return text + ", and are exploratory here: " + a.Exploratory
	}
	effect, err := strconv.ParseFloat(a.DetectableEffect, 64)
	if err != nil {
		return text
	}
	return fmt.Sprintf("%s; %d blocks detect %s, assuming that values spread by %s and ratios of two by %s%s",
		text, blocks, analysis.Percent(effect), analysis.Percent(analysis.TypicalSpread), analysis.Percent(analysis.TypicalRatioSpread), looksAt(a))
}

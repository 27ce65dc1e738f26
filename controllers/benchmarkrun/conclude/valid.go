package conclude

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/verdict/summary"
)

// fates count the results of a run by what became of them.
type fates struct {
	// results are the trials that have one.
	results, usable, invalid, disturbed int
	// beside are those that are left out because another trial of their block and cell was
	// disturbed: what is compared must stay pairs.
	beside int
	// bare are the cells without one usable trial of each target; cells are all of them.
	bare, cells int
	// lasting are the checks that disturbed most of the run.
	lasting []string
}

// fatesOf the trials of a plan, by the rule of the summary.
func fatesOf(p *plan.Plan, records []contract.Record) fates {
	f := fates{cells: len(p.Cells), lasting: summary.Lasting(p, records)}
	type pair struct{ cell, target int32 }
	usable := map[pair]bool{}
	for i, why := range summary.LeftOut(p, records) {
		switch why {
		case v1alpha1.LeftOutFailed, v1alpha1.LeftOutNotRun:
			continue
		case v1alpha1.LeftOutInvalid:
			f.invalid++
		case v1alpha1.LeftOutDisturbed:
			f.disturbed++
		case v1alpha1.LeftOutBlockDisturbed:
			f.beside++
		default:
			f.usable++
			usable[pair{p.Trials[i].Cell, p.Trials[i].Target}] = true
		}
		f.results++
	}
	bare := map[int32]bool{}
	for _, t := range p.Trials {
		if !usable[pair{t.Cell, t.Target}] {
			bare[t.Cell] = true
		}
	}
	f.bare = len(bare)
	return f
}

// left says why results are left out of the summary; empty when none is.
func (f fates) left() string {
	var parts []string
	for _, p := range []struct {
		n   int
		why string
	}{
		{f.disturbed, "%d disturbed"},
		{f.beside, "%d of the same blocks as disturbed ones"},
		{f.invalid, "%d invalid"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf(p.why, p.n))
		}
	}
	return strings.Join(parts, ", ")
}

// shown says that the summary has disturbed trials, because that lasted; empty otherwise.
func (f fates) shown() string {
	if len(f.lasting) == 0 {
		return ""
	}
	return fmt.Sprintf("; %s, and %s lasted for more than half of the blocks: the summary has these trials, marked, and decides nothing by them", f.left(), strings.Join(f.lasting, ", "))
}

// Verdict on the results of a run, as its condition Valid says it.
type Verdict struct {
	// Known: there is a result that was checked.
	Known bool
	// Valid: some results count, and none contradicts itself.
	Valid bool
	// Reason and Message of the condition.
	Reason, Message string
}

// onlyLoaded is the verdict on a run that has loaded its data, and measured nothing: what was found of a target would make every result
// of it contradict itself.
func onlyLoaded(targets []v1alpha1.TargetStatus) Verdict {
	for _, t := range targets {
		if len(t.InvalidatedBy) > 0 {
			return Verdict{Known: true, Reason: v1alpha1.ReasonContradictions, Message: fmt.Sprintf("loading target %s: %s: %s", t.Name, t.InvalidatedBy[0].Check, t.InvalidatedBy[0].Message)}
		}
	}
	return Verdict{Known: true, Valid: true, Reason: v1alpha1.ReasonOnlyLoaded, Message: "there are no results: nothing was measured (spec.data.policy: Make)"}
}

// verdict on the results. Nothing that is left out has passed.
func (f fates) verdict() Verdict {
	left, bare := f.left(), ""
	if left != "" {
		left = "; not part of the summary: " + left
	}
	if shown := f.shown(); shown != "" {
		left = shown
	}
	if f.bare > 0 {
		bare = fmt.Sprintf("; %d of %d cells have no usable trial of at least one target", f.bare, f.cells)
	}
	switch {
	case f.results == 0:
		return Verdict{}
	case f.usable == 0:
		return Verdict{Known: true, Reason: v1alpha1.ReasonNoUsableTrial,
			Message: fmt.Sprintf("none of %d results counts%s: see status.findings", f.results, cmp.Or(f.shown(), ": "+f.left()))}
	case f.invalid > 0:
		return Verdict{Known: true, Reason: v1alpha1.ReasonContradictions,
			Message: fmt.Sprintf("%d of %d results contradict themselves: see status.findings%s%s", f.invalid, f.results, left, bare)}
	}
	return Verdict{Known: true, Valid: true, Reason: v1alpha1.ReasonSucceeded,
		Message: fmt.Sprintf("%d of %d results passed every check%s%s", f.results-f.disturbed, f.results, left, bare)}
}

package readout

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/trial/plan"
)

const (
	// maxTargets of a headline are named; of more, the number.
	maxTargets = 4
	// maxContext and maxHeadline bound the name of the cell and the whole, in bytes.
	maxContext, maxHeadline = 80, 300
)

// Headline is the main measurement of every target in the first cell of the plan, such as
//
//	threads=2: mariadb 585 | mysql 327 tx/s (n=6; 1 of 3 cells)
//
// Notes that apply to all targets are shown once at the end, others beside each target. A
// target without a counted trial has "-". Empty without any entry.
func Headline(p *plan.Plan, names []string, entries []v1alpha1.SummaryEntry) string {
	main := mainEntries(names, entries)
	if len(main) == 0 {
		return ""
	}
	first := main[0]
	shown, notes := []string{}, []string{}
	for _, target := range p.Targets[:min(len(p.Targets), maxTargets)] {
		e := v1alpha1.SummaryEntry{}
		for _, o := range main {
			if o.Cell == first.Cell && o.Target == target && whereOf(o.Labels) == whereOf(first.Labels) {
				e = o
			}
		}
		value, _, _ := figure.Measured(e.Median, e.IntervalLow, e.IntervalHigh)
		value = cmp.Or(value, "-")
		shown, notes = append(shown, target+" "+value), append(notes, note(e))
	}
	var ends []string
	if len(slices.Compact(slices.Clone(notes))) == 1 {
		ends = append(ends, notes[0])
	} else {
		for i := range shown {
			shown[i] += " (" + notes[i] + ")"
		}
	}
	if more := len(p.Targets) - maxTargets; more > 0 {
		ends = append(ends, fmt.Sprintf("and %d more targets", more))
	}
	if of := shownPart(p, main); of != "" {
		ends = append(ends, of)
	}
	text := context(p, first) + strings.Join(shown, " | ") + " " + first.Unit
	if len(ends) > 0 {
		text += " (" + strings.Join(ends, "; ") + ")"
	}
	return contract.Cut(contract.Line(text), maxHeadline)
}

// mainEntries are those of the first name that has any.
func mainEntries(names []string, entries []v1alpha1.SummaryEntry) []v1alpha1.SummaryEntry {
	for _, name := range names {
		var out []v1alpha1.SummaryEntry
		for _, e := range entries {
			if e.Name == name {
				out = append(out, e)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// context names the cell, and the measurement unless it is the throughput without labels.
func context(p *plan.Plan, e v1alpha1.SummaryEntry) string {
	var words []string
	if e.Name != contract.NameThroughput {
		words = append(words, e.Name)
	}
	for _, axis := range p.Axes {
		if v, ok := e.Parameters[axis]; ok {
			words = append(words, axis+"="+v.String())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.Labels)) {
		words = append(words, name+"="+e.Labels[name])
	}
	if len(words) == 0 {
		return ""
	}
	return contract.Cut(contract.Line(strings.Join(words, " ")), maxContext) + ": "
}

// note has the number of counted trials and what limits them, in the words of doubts.go.
func note(e v1alpha1.SummaryEntry) string {
	n := fmt.Sprintf("n=%d", e.TrialCount)
	if e.TrialCount < e.PlannedTrialCount {
		n += fmt.Sprintf(" of %d", e.PlannedTrialCount)
	}
	words := []string{n}
	m := MeasurementOf(e)
	for _, d := range doubts {
		if n := d.trials(m); n > 0 && !d.leftOut {
			word := d.word
			if n < e.TrialCount {
				word += fmt.Sprintf(" in %d", n)
			}
			words = append(words, word)
		}
	}
	return strings.Join(words, ", ")
}

// shownPart is which part of the main measurements is shown; empty when all are shown.
func shownPart(p *plan.Plan, main []v1alpha1.SummaryEntry) string {
	type group struct {
		cell   int32
		labels string
	}
	groups := map[group]bool{}
	for _, e := range main {
		if !contract.OfGroup(e.Labels) {
			groups[group{e.Cell, whereOf(e.Labels)}] = true
		}
	}
	switch {
	case len(groups) <= 1:
		return ""
	case len(groups) == len(p.Cells):
		return fmt.Sprintf("1 of %d cells", len(groups))
	}
	return fmt.Sprintf("1 of %d measurements", len(groups))
}

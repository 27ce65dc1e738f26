package summary

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/plan"

	"github.com/assay-bench/assay/internal/contract"
)

const (
	// maxTargets of a headline are named; of more, the number.
	maxTargets = 4
	// maxContext and maxHeadline bound the name of the cell and the whole, in characters.
	maxContext, maxHeadline = 80, 300
)

// Headline is the main measurement of every target in the first cell of the plan, such as
//
//	threads=2: mariadb 585.3 | mysql 326.9 tx/s (n=6; 1 of 3 cells)
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
			if o.Cell == first.Cell && o.Target == target && labelText(o.Labels) == labelText(first.Labels) {
				e = o
			}
		}
		value := "-"
		if v, ok := number(e.Median); ok {
			value = figure(v)
		}
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
	return abridge(text, maxHeadline)
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
	return abridge(strings.Join(words, " "), maxContext) + ": "
}

// note has the number of counted trials and the resource limits that they reached.
func note(e v1alpha1.SummaryEntry) string {
	words := []string{"n=" + ofAll(e.TrialCount, e.PlannedTrialCount)}
	for _, l := range e.LimitedBy {
		words = append(words, inTrials(limitWords[l.By], l.TrialCount, e.TrialCount))
	}
	if e.SaturatedTrialCount > 0 {
		words = append(words, inTrials("saturated", e.SaturatedTrialCount, e.TrialCount))
	}
	if s := e.Steadiness; s != nil && s.NotSteady > 0 {
		words = append(words, inTrials("not steady", s.NotSteady, e.TrialCount))
	}
	return strings.Join(words, ", ")
}

var limitWords = map[v1alpha1.LimitKind]string{
	v1alpha1.LimitCPU: "CPU-limited", v1alpha1.LimitMemory: "memory-limited", v1alpha1.LimitClient: "client-limited",
}

func inTrials(what string, n, of int32) string {
	if n >= of {
		return what
	}
	return fmt.Sprintf("%s in %d", what, n)
}

// ofAll is "6", or "4 of 6".
func ofAll(n, planned int32) string {
	if n >= planned {
		return strconv.Itoa(int(n))
	}
	return fmt.Sprintf("%d of %d", n, planned)
}

// shownPart is which part of the main measurements is shown; empty when all are shown.
func shownPart(p *plan.Plan, main []v1alpha1.SummaryEntry) string {
	type group struct {
		cell   int32
		labels string
	}
	groups := map[group]bool{}
	for _, e := range main {
		groups[group{e.Cell, labelText(e.Labels)}] = true
	}
	switch {
	case len(groups) <= 1:
		return ""
	case len(groups) == len(p.Cells):
		return fmt.Sprintf("1 of %d cells", len(groups))
	}
	return fmt.Sprintf("1 of %d measurements", len(groups))
}

// figure has four significant digits, and all digits before the point.
func figure(v float64) string {
	if v == 0 {
		return "0"
	}
	digits := 3 - int(math.Floor(math.Log10(math.Abs(v))))
	if digits > 9 {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	return strconv.FormatFloat(v, 'f', max(0, digits), 64)
}

// abridge makes a text one line and cuts it to a number of characters.
func abridge(text string, most int) string {
	text = contract.Line(text)
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-3]) + "..."
	}
	return text
}

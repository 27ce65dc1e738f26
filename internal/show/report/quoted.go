package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/internal/trial/quoted"
)

// quotedNumbers are those that somebody else published, with their sources: in the tables and bars in which numbers of the run
// would stand, and below each the number of this run that has the same name and labels.
func quotedNumbers(in Input) (out []block) {
	var sources []string
	for _, q := range in.Quoted {
		if len(q.Phases) > 0 {
			sources = append(sources, q.Target+": "+strings.TrimSuffix(q.Source, "."))
		}
	}
	if len(sources) == 0 {
		return nil
	}
	here := hereOf(in)
	out = []block{{Text: "Somebody else measured these numbers: the machine, the settings and the date are theirs. They stand in no other table of this page, " +
		"and no test uses them. Bold is the best of its group as it was published. Where this run has a number of the same name, it stands below, " +
		"as \"here\": what can be compared is a ratio, and no figure of two machines.", Bullets: sources}}
	pictures, rest := 0, &table{Caption: "All other quoted numbers, not measured here", Folded: true,
		Head: []column{{"measurement", false}, {"source", false}, {"phase", false}, {"value", true}, {"unit", false}}}
	for _, g := range publishedGroups(in.Quoted) {
		if pictures >= maxQuoted || !g.shown() {
			rest.Rows = append(rest.Rows, g.plain()...)
			continue
		}
		blocks := g.blocks(here, declaredOf(in))
		pictures += len(blocks)
		out = append(append(out, block{Heading: g.title()}), blocks...)
	}
	if len(rest.Rows) > 0 {
		out = append(out, block{Table: rest})
	}
	return out
}

// maxQuoted blocks of quoted numbers have tables and pictures of their own.
const maxQuoted = 24

// published numbers of one measurement and phase, of all targets that give it the same labels.
type publishedGroup struct {
	phase string
	m     *measurement
	// source is the quoted target whose table has the label target, which says whose each number is. Empty where the target of each number
	// is the quoted one.
	source string
	// tabular: they were published as a table, and by no tool, so that each of them was meant to be read.
	tabular bool
}

// publishedGroups of the quoted targets, in their order: as entries of a summary, whose medians are the numbers.
func publishedGroups(all []quoted.Numbers) (out []*publishedGroup) {
	known := map[string]*publishedGroup{}
	for _, q := range all {
		for _, phase := range q.Phases {
			entries, labels := publishedEntries(q.Target, phase.Measurements), map[string]map[string]bool{}
			for _, e := range entries {
				if labels[e.Name] == nil {
					labels[e.Name] = map[string]bool{}
				}
				for label := range e.Labels {
					labels[e.Name][label] = true
				}
			}
			for _, m := range measurements(entries) {
				names, source := slices.Sorted(maps.Keys(labels[m.entries[0].Name])), ""
				if slices.Contains(names, v1alpha1.FactorTarget) {
					source = q.Target
				}
				key := fmt.Sprintf("%q %q %q %q %q", phase.Phase, m.name, m.unit, names, source)
				g := known[key]
				if g == nil {
					g = &publishedGroup{phase: phase.Phase, m: &measurement{name: m.name, unit: m.unit, direction: m.direction}, source: source, tabular: q.Format == quoted.FormatTable}
					known[key], out = g, append(out, g)
				}
				g.m.entries = append(g.m.entries, m.entries...)
			}
		}
	}
	return out
}

// publishedEntries of a quoted target. One table may have the numbers of several servers: its label target says whose.
func publishedEntries(target string, all []contract.Measurement) (out []v1alpha1.SummaryEntry) {
	for _, m := range all {
		if m.Value != nil {
			out = append(out, v1alpha1.SummaryEntry{Target: cmp.Or(m.Labels[v1alpha1.FactorTarget], target), Name: m.Name, Unit: m.Unit, Direction: string(m.Direction), Labels: m.Labels,
				Median: strconv.FormatFloat(*m.Value, 'g', -1, 64), TrialCount: 1, PlannedTrialCount: 1})
		}
	}
	return out
}

// shown says whether the numbers have a table: of what a tool has printed, its rate and its latencies.
func (g *publishedGroup) shown() bool {
	switch g.m.entries[0].Name {
	case contract.NameThroughput, contract.NameLatencyAvg, contract.NameLatencyPercentile:
		return true
	}
	return g.tabular
}

func (g *publishedGroup) title() string {
	title := "Published: " + g.m.title()
	if g.source != "" {
		title += ", from " + g.source
	}
	if g.phase != contract.KeyQuotedRun {
		title += ", phase " + g.phase
	}
	return title
}

// plain rows of a list.
func (g *publishedGroup) plain() (rows [][]cell) {
	for _, e := range g.m.entries {
		v, _ := figure.Decimal(e.Median)
		rows = append(rows, []cell{{Text: readout.MeasurementName(e.Name, e.Labels), Heading: true}, {Text: cmp.Or(g.source, e.Target)}, {Text: g.phase}, {Text: figure.Number(v)}, {Text: e.Unit}})
	}
	return rows
}

// blocks of the numbers: a table for each panel, and bars where what is measured here has bars too.
func (g *publishedGroup) blocks(measured here, declared readout.Verdict) (out []block) {
	if g.phase != contract.KeyQuotedRun {
		measured = here{} // all that is measured here is of the run
	}
	measured.hundred, measured.published = g.hundred(), map[string]*v1alpha1.SummaryEntry{}
	for _, e := range g.m.entries {
		measured.published[labelKey(dimensionsOf(e))] = e
	}
	l := layOut(g.m.entries, cmp.Or(declared.Factor, v1alpha1.FactorTarget))
	names, by := panels(l.place(g.m.entries))
	for _, name := range names[:min(len(names), maxPanels)] {
		t := &table{Caption: captionOf(g.m, name, "as published")}
		g.fill(t, l, by[name], shownAs(by[name], l, measured, declared))
		out = append(out, block{Table: t})
		if g.m.unit == "1" || g.m.unit == "%" {
			continue // what others made of their numbers needs no picture beside them
		}
		if f := bars(g.m, l, name, "as published", by[name], trials{}); f != nil {
			f.Note = ""
			f.Behind.Head[1].Name = g.m.unit
			out = append(out, block{Picture: f})
		}
	}
	return out
}

// hundred are the dimensions of the numbers that are 100 %.
func (g *publishedGroup) hundred() map[string]bool {
	out := map[string]bool{}
	for _, e := range g.m.entries {
		if v, ok := figure.Decimal(e.Median); ok && v == 100 && e.Unit == unitPercent {
			out[labelKey(dimensionsOf(e))] = true
		}
	}
	return out
}

// shownAs are the cells of a panel: the number, in bold if it is the best of its group, and below it its ratio to the published
// baseline and what was measured here.
func shownAs(all []placed, l layout, measured here, declared readout.Verdict) func(*v1alpha1.SummaryEntry) cell {
	best, bases := l.best(all), basesOf(all, declared)
	return func(e *v1alpha1.SummaryEntry) cell {
		v, _ := figure.Decimal(e.Median)
		c := cell{Text: printed(v), Strong: best[e]}
		if text := ratioAsPublished(e, bases, measured, declared); text != "" {
			c.Below = append(c.Below, text)
		}
		c.Below = append(c.Below, measured.beside(e)...)
		return c
	}
}

// ratioAsPublished of a number is to what this run compares its own with, so that both ratios mean the same. Where that was not published it
// is to the baseline of the table, which is named then. A table with categories has its speed-ups. Empty without any of them.
func ratioAsPublished(e *v1alpha1.SummaryEntry, all bases, measured here, declared readout.Verdict) string {
	text, other := measured.otherwise(e, declared)
	own := all.against(e)
	switch {
	case own == "" || text != "" && !all.speed:
		return text
	case other && !all.speed:
		return own + " against " + contract.Line(declared.Baseline)
	}
	return own
}

// printed is a number with all digits that somebody printed; one of a tool with more than seven is no more exact for it.
func printed(v float64) string {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	if len(strings.Trim(strings.ReplaceAll(text, ".", ""), "0-")) > 7 {
		return figure.Number(v)
	}
	return figure.Grouped(text)
}

// fill a table with the numbers of a panel.
func (g *publishedGroup) fill(t *table, l layout, all []placed, show func(*v1alpha1.SummaryEntry) cell) {
	l, all = l.narrow(all)
	if len(l.across) > 0 {
		t.grid(g.m, l, all, show)
		return
	}
	t.Head = []column{{strings.Join(l.series, ", "), false}, {g.m.unit, true}}
	for _, p := range all {
		t.add(cell{Text: cmp.Or(p.series, p.entry.Target), Heading: true}, show(p.entry))
	}
}

// axesOf a cell, as people read it; empty for one without axes.
func axesOf(cell map[string]intstr.IntOrString) string {
	var out []string
	for _, axis := range slices.Sorted(maps.Keys(cell)) {
		v := cell[axis]
		out = append(out, axis+" "+v.String())
	}
	return strings.Join(out, ", ")
}

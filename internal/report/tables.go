package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/analysis"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/report/chart"
)

// factorOf the run: what its first declared comparison compares.
func factorOf(in Input) string {
	for _, want := range []v1alpha1.ComparisonFamily{v1alpha1.FamilyPrimary, v1alpha1.FamilyExploratory} {
		if all := family(in, want); len(all) > 0 {
			return all[0].Factor
		}
	}
	return v1alpha1.FactorTarget
}

// ratios of the run, to be found by the entry of their value.
type ratios struct {
	factors []string
	by      map[string]*v1alpha1.ComparisonEntry
	// bases are the baselines of the factors, as "factor value".
	bases map[string]bool
	// speedUps are those that the tool has computed, against the baseline of its workload.
	speedUps map[string]float64
}

func ratiosOf(in Input) ratios {
	out := ratios{by: map[string]*v1alpha1.ComparisonEntry{}, bases: map[string]bool{}, speedUps: speedUpsOf(in)}
	for i := range in.Comparisons {
		c := &in.Comparisons[i]
		if c.Family == v1alpha1.FamilyControl {
			continue
		}
		if !slices.Contains(out.factors, c.Factor) {
			out.factors = append(out.factors, c.Factor)
		}
		key := ratioKey(c.Name, c.Cell, c.Labels, c.Factor, c.Value, c.Target)
		if out.by[key] == nil {
			out.by[key] = c
		}
		out.bases[c.Factor+" "+c.Baseline] = true
	}
	return out
}

func ratioKey(name string, cell int32, labels map[string]string, factor, value, target string) string {
	return fmt.Sprintf("%q %d %s %q %q %q", name, cell, labelKey(labels), factor, value, target)
}

// of an entry: the comparison in which it is the value.
func (r ratios) of(e *v1alpha1.SummaryEntry) *v1alpha1.ComparisonEntry {
	d := dimensionsOf(e)
	for _, factor := range r.factors {
		labels, target := e.Labels, e.Target
		if _, has := labels[factor]; has {
			labels = maps.Clone(labels)
			delete(labels, factor)
		}
		if factor == v1alpha1.FactorTarget {
			target = ""
		}
		if c := r.by[ratioKey(e.Name, e.Cell, labels, factor, d[factor], target)]; c != nil {
			return c
		}
	}
	return nil
}

// short is the ratio in a cell: +3.8 % or 1.52×.
func short(c *v1alpha1.ComparisonEntry) string {
	r, ok := decimal(c.Ratio)
	switch {
	case !ok || r <= 0:
		return ""
	case r > 1/1.25 && r < 1.25:
		return percent(r - 1)
	}
	return ratioText(r) + "×"
}

// inDoubt is the ratio beside a median, with a question mark where it has no verdict: nobody takes it for shown then.
func inDoubt(c *v1alpha1.ComparisonEntry) string {
	text := short(c)
	if text != "" && !hasVerdict(*c) {
		text += " ?"
	}
	return text
}

// cellOf an entry: the median, below it the range and the ratio.
func cellOf(e *v1alpha1.SummaryEntry, of ratios, best bool) cell {
	mid, ok := decimal(e.Median)
	if !ok {
		return cell{text: "–", below: []string{why(e)}}
	}
	var below []string
	low, has := decimal(e.Min)
	high, also := decimal(e.Max)
	if has && also && e.TrialCount > 1 {
		below = append(below, chart.Figure(low)+" to "+chart.Figure(high))
	}
	if e.TrialCount < e.PlannedTrialCount {
		below = append(below, fmt.Sprintf("n=%d of %d", e.TrialCount, e.PlannedTrialCount))
	}
	if c := of.of(e); c != nil && short(c) != "" {
		below = append(below, inDoubt(c))
	} else if text := of.speedUp(e); text != "" {
		below = append(below, text)
	}
	return cell{text: chart.Figure(mid), below: below, strong: best}
}

// why an entry has no median.
func why(e *v1alpha1.SummaryEntry) string {
	var parts []string
	for _, l := range e.LeftOut {
		parts = append(parts, fmt.Sprintf("%d %s", l.TrialCount, words(string(l.Reason))))
	}
	return strings.Join(parts, ", ")
}

// bestOf entries by their direction: the one with the best median; nil where nothing is better, nothing is compared,
// or two are equally good.
func bestOf(all []*v1alpha1.SummaryEntry) (best *v1alpha1.SummaryEntry) {
	n, tie := 0, false
	for _, e := range all {
		v, ok := decimal(e.Median)
		if !ok || e.Direction == "" {
			continue
		}
		n++
		if best == nil {
			best = e
			continue
		}
		switch b, _ := decimal(best.Median); {
		case v == b:
			tie = true
		case (v > b) == (e.Direction == string(contract.HigherIsBetter)):
			best, tie = e, false
		}
	}
	if n < 2 || tie {
		return nil
	}
	return best
}

// medians of a panel as a table.
func medians(m *measurement, l layout, panel string, all []placed, of ratios) *table {
	t := &table{caption: captionOf(m, panel, "medians of the trials that count"+betterOf(m.direction))}
	best := l.best(all)
	l, all = l.narrow(all)
	if len(l.across) > 0 {
		t.grid(m, l, all, func(e *v1alpha1.SummaryEntry) cell { return cellOf(e, of, best[e]) })
		return t
	}
	t.head = []column{{strings.Join(l.series, ", "), false}, {"median, " + m.unit, true}, {"interval or range", true}, {"trials", true}}
	compared := slices.ContainsFunc(all, func(p placed) bool {
		c := of.of(p.entry)
		return c != nil && short(c) != ""
	})
	if compared {
		t.head = append(t.head, column{"against the baseline", true})
	}
	for _, p := range all {
		if t.full() {
			continue
		}
		t.rows = append(t.rows, lone(p, of, best[p.entry])[:len(t.head)])
	}
	return t
}

// best entries of a panel, one of each group that is compared: things done are not.
func (l layout) best(all []placed) map[*v1alpha1.SummaryEntry]bool {
	groups, best := map[string][]*v1alpha1.SummaryEntry{}, map[*v1alpha1.SummaryEntry]bool{}
	if len(l.across) == 0 && slices.ContainsFunc(l.series, func(name string) bool { return slices.Contains(operations, name) }) {
		return best
	}
	for _, p := range all {
		groups[p.across] = append(groups[p.across], p.entry)
	}
	for _, g := range groups {
		if b := bestOf(g); b != nil {
			best[b] = true
		}
	}
	return best
}

// grid fills a table with what goes across and the series: the fewer of them beside each other.
func (t *table) grid(m *measurement, l layout, all []placed, show func(*v1alpha1.SummaryEntry) cell) {
	across, series := each(all, func(p placed) string { return p.across }), each(all, func(p placed) string { return p.series })
	at, row := map[[2]string]*v1alpha1.SummaryEntry{}, map[string]*v1alpha1.SummaryEntry{}
	for _, p := range all {
		at[[2]string{p.across, p.series}], row[p.series] = p.entry, p.entry
	}
	get := func(a, s string) cell {
		if e := at[[2]string{a, s}]; e != nil {
			return show(e)
		}
		return cell{text: "–"}
	}
	if len(series) <= 4 || len(across) > 6 {
		t.head = []column{{strings.Join(l.across, ", "), false}}
		for _, s := range series {
			t.head = append(t.head, column{orUnit(s, m), true})
		}
		for _, a := range across {
			if t.full() {
				continue
			}
			cells := []cell{{text: a, heading: true}}
			for _, s := range series {
				cells = append(cells, get(a, s))
			}
			t.rows = append(t.rows, cells)
		}
		return
	}
	first := l.first(all)
	t.head = slices.Clone(first.head)
	for _, a := range across {
		t.head = append(t.head, column{strings.Join(l.across, ", ") + " " + a, true})
	}
	for _, s := range series {
		if t.full() {
			continue
		}
		cells := first.cells(s, row[s])
		for _, a := range across {
			cells = append(cells, get(a, s))
		}
		t.rows = append(t.rows, cells)
	}
}

func orUnit(series string, m *measurement) string {
	if series == "" {
		return m.unit
	}
	return series
}

// lone is a row of a table without anything across.
func lone(p placed, of ratios, best bool) []cell {
	e := p.entry
	row := []cell{{text: p.series, heading: true}, {text: "–"}, {text: "–"}, {text: fmt.Sprintf("%d of %d", e.TrialCount, e.PlannedTrialCount), below: []string{why(e)}}, {}}
	if p.series == "" {
		row[0].text = e.Target
	}
	if v, ok := decimal(e.Median); ok {
		row[1] = cell{text: chart.Figure(v), strong: best}
	}
	if low, high, how := spreadOf(e); how != "" {
		row[2] = cell{text: chart.Figure(low) + " to " + chart.Figure(high), below: []string{how}}
	}
	if c := of.of(e); c != nil {
		row[4] = cell{text: inDoubt(c), below: []string{levelledOf(*c)}}
	} else if of.bases["target "+e.Target] {
		row[4] = cell{text: "baseline"}
	}
	return row
}

// levelledOf is the interval of a ratio with its level; empty without one.
func levelledOf(c v1alpha1.ComparisonEntry) string {
	text, level := intervalOf(c), analysis.Level(c.IntervalConfidence)
	if text == "" || level == "" {
		return text
	}
	return text + " (" + level + ")"
}

// allMedians is the whole summary, folded.
func allMedians(in Input) (out []block) {
	if len(in.Entries) == 0 {
		return nil
	}
	t := &table{caption: "Every measurement of every target and cell", folded: true,
		head: []column{{"measurement", false}, {"cell", false}, {"target", false}, {"median", true}, {"min", true}, {"max", true}, {"unit", false}, {"trials", true}, {"interval of the median", true}}}
	for i := range in.Entries {
		if t.full() {
			continue
		}
		e := &in.Entries[i]
		var axes []string
		for _, axis := range slices.Sorted(maps.Keys(e.Parameters)) {
			v := e.Parameters[axis]
			axes = append(axes, axis+" "+v.String())
		}
		figure := func(text string) string {
			v, ok := decimal(text)
			if !ok {
				return "–"
			}
			return chart.Figure(v)
		}
		t.rows = append(t.rows, []cell{{text: nameOf(e.Name, e.Labels), heading: true, below: []string{e.Caveat}}, {text: strings.Join(axes, ", ")}, {text: e.Target},
			{text: figure(e.Median)}, {text: figure(e.Min)}, {text: figure(e.Max)}, {text: e.Unit}, {text: fmt.Sprintf("%d of %d", e.TrialCount, e.PlannedTrialCount)}, intervalCell(e)})
	}
	return []block{{table: t}}
}

// intervalCell has the interval of a median with its coverage; a dash where the trials are too few for one.
func intervalCell(e *v1alpha1.SummaryEntry) cell {
	if e.IntervalLow == "" {
		return cell{text: "–"}
	}
	low, high, how := spreadOf(e)
	return cell{text: chart.Figure(low) + " to " + chart.Figure(high), below: []string{strings.TrimSuffix(how, " interval")}}
}

// betterOf says which direction of a measurement is better; empty where neither is.
func betterOf(direction string) string {
	switch contract.Direction(direction) {
	case contract.HigherIsBetter:
		return "; higher is better"
	case contract.LowerIsBetter:
		return "; lower is better"
	}
	return ""
}

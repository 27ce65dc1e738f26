package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/show/readout"
)

// factorOf the run: what its first comparison compares, of those that were declared if there are any.
func factorOf(in Input) string {
	if all := append(in.doc.Family(v1alpha1.FamilyPrimary), in.doc.Family(v1alpha1.FamilyExploratory)...); len(all) > 0 {
		return all[0].Factor
	}
	return v1alpha1.FactorTarget
}

// ratios of the run, to be found by the entry of their value.
type ratios struct {
	factors []string
	by      map[string]readout.Verdict
	// bases are the baselines of the factors, as "factor value", and first that of the first comparison of each factor.
	bases map[string]bool
	first map[string]string
	// speedUps are those that the tool has computed, against the baseline of its workload.
	speedUps map[string]float64
}

func ratiosOf(in Input) ratios {
	out := ratios{by: map[string]readout.Verdict{}, bases: map[string]bool{}, first: map[string]string{}, speedUps: speedUpsOf(in)}
	for _, v := range in.doc.Verdicts {
		if v.Family == string(v1alpha1.FamilyControl) {
			continue
		}
		if !slices.Contains(out.factors, v.Factor) {
			out.factors, out.first[v.Factor] = append(out.factors, v.Factor), v.Baseline
		}
		key := ratioKey(v.Name, v.Where, v.Labels, v.Factor, v.Value, v.Target)
		if before, known := out.by[key]; !known || precedes(v, before) {
			out.by[key] = v
		}
		if len(v.Unlike) == 0 {
			out.bases[v.Factor+" "+v.Baseline] = true
		}
	}
	return out
}

// precedes says whether a ratio stands beside a median in the place of the one before: one that is there, then one that was declared,
// and then one whose sides differ in the factor alone.
func precedes(v, before readout.Verdict) bool {
	if v.Effect == "" || before.Effect == "" {
		return v.Effect != ""
	}
	if v.Family != before.Family {
		return v.Family == string(v1alpha1.FamilyPrimary)
	}
	return len(v.Unlike) == 0 && len(before.Unlike) > 0
}

func ratioKey(name string, where, labels map[string]string, factor, value, target string) string {
	return fmt.Sprintf("%q %s %s %q %q %q", name, labelKey(where), labelKey(labels), factor, value, target)
}

// of an entry: the comparison in which it is the value; false without one.
func (r ratios) of(e *v1alpha1.SummaryEntry) (readout.Verdict, bool) {
	d := dimensionsOf(e)
	for _, factor := range r.factors {
		where, labels, target := readout.ParametersOf(e.Parameters), maps.Clone(e.Labels), e.Target
		delete(where, factor)
		delete(labels, factor)
		if factor == v1alpha1.FactorTarget {
			target = ""
		}
		if v, has := r.by[ratioKey(e.Name, where, labels, factor, d[factor], target)]; has {
			return v, true
		}
	}
	return readout.Verdict{}, false
}

// inDoubt is the ratio beside a median, with a question mark where it has no verdict: nobody takes it for shown then. It names a
// baseline that a reader does not expect: one that differs in more than the factor, or is not that of the factor's first comparison.
func (r ratios) inDoubt(v readout.Verdict) string {
	text := v.Effect
	if text != "" && v.Undecided() {
		text += " ?"
	}
	if text != "" && (len(v.Unlike) > 0 || v.Baseline != r.first[v.Factor]) {
		text += " against " + v.Against()
	}
	return text
}

// figuresOf an entry: its median, and its interval with the level, or the range of the trials, marked.
func figuresOf(e *v1alpha1.SummaryEntry) (median, interval, level string) {
	median, interval = readout.MeasurementOf(*e).Figures()
	if e.IntervalLow != "" {
		level = figure.Level(e.IntervalCoverage)
	}
	return median, interval, level
}

// cellOf an entry: the median, below it the interval, what limits it, and the ratio.
func cellOf(m *measurement, e *v1alpha1.SummaryEntry, of ratios, best bool) cell {
	median, interval, _ := figuresOf(e)
	if median == "" {
		return cell{Text: "–", Below: []string{m.notes[e]}}
	}
	c := cell{Text: median, Strong: best}
	if e.TrialCount > 1 {
		c.Below = append(c.Below, interval)
	}
	ratio := of.speedUp(e)
	if v, has := of.of(e); has && v.Effect != "" {
		ratio = of.inDoubt(v)
	}
	c.Below = append(c.Below, m.notes[e], ratio)
	return c
}

// bestOf entries by their direction: the one with the best median; nil where nothing is better, nothing is compared,
// or two are equally good.
func bestOf(all []*v1alpha1.SummaryEntry) (best *v1alpha1.SummaryEntry) {
	n, tie := 0, false
	for _, e := range all {
		v, ok := figure.Decimal(e.Median)
		if !ok || e.Direction == "" {
			continue
		}
		n++
		if best == nil {
			best = e
			continue
		}
		switch b, _ := figure.Decimal(best.Median); {
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

// betters say which direction of a measurement is better, if one is.
var betters = map[contract.Direction]string{contract.HigherIsBetter: "; higher is better", contract.LowerIsBetter: "; lower is better"}

// medians of a panel as a table.
func medians(m *measurement, l layout, panel string, all []placed, of ratios) *table {
	t := &table{Caption: captionOf(m, panel, "medians of the trials that count"+betters[contract.Direction(m.direction)])}
	best := l.best(all)
	l, all = l.narrow(all)
	if len(l.across) > 0 {
		t.grid(m, l, all, func(e *v1alpha1.SummaryEntry) cell { return cellOf(m, e, of, best[e]) })
		return t
	}
	t.Head = []column{{strings.Join(l.series, ", "), false}, {"median, " + m.unit, true}, {"interval", true}, {"trials", true}}
	compared := slices.ContainsFunc(all, func(p placed) bool {
		v, has := of.of(p.entry)
		return has && v.Effect != ""
	})
	if compared {
		t.Head = append(t.Head, column{"against the baseline", true})
	}
	for _, p := range all {
		t.add(lone(m, p, of, best[p.entry])[:len(t.Head)]...)
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
		return cell{Text: "–"}
	}
	if len(series) <= 4 || len(across) > 6 {
		t.Head = []column{{strings.Join(l.across, ", "), false}}
		for _, s := range series {
			t.Head = append(t.Head, column{cmp.Or(s, m.unit), true})
		}
		for _, a := range across {
			cells := []cell{{Text: a, Heading: true}}
			for _, s := range series {
				cells = append(cells, get(a, s))
			}
			t.add(cells...)
		}
		return
	}
	first := l.first(all)
	t.Head = slices.Clone(first.head)
	for _, a := range across {
		t.Head = append(t.Head, column{strings.Join(l.across, ", ") + " " + a, true})
	}
	for _, s := range series {
		cells := first.cells(s, row[s])
		for _, a := range across {
			cells = append(cells, get(a, s))
		}
		t.add(cells...)
	}
}

// lone is a row of a table without anything across.
func lone(m *measurement, p placed, of ratios, best bool) []cell {
	e := p.entry
	median, interval, level := figuresOf(e)
	row := []cell{{Text: cmp.Or(p.series, e.Target), Heading: true}, {Text: orDash(median), Strong: best && median != ""}, {Text: orDash(interval), Below: []string{level}},
		{Text: fmt.Sprintf("%d of %d", e.TrialCount, e.PlannedTrialCount), Below: []string{m.notes[e]}}, {}}
	if v, has := of.of(e); has {
		row[4] = cell{Text: of.inDoubt(v), Below: []string{levelledOf(v)}}
	} else if of.bases["target "+e.Target] {
		row[4] = cell{Text: "baseline"}
	}
	return row
}

// levelledOf is the interval of a ratio with its level; empty without one.
func levelledOf(v readout.Verdict) string {
	if level := figure.Level(v.IntervalConfidence); v.Interval != "" && level != "" {
		return v.Interval + " (" + level + ")"
	}
	return v.Interval
}

// allMedians is the whole summary, folded.
func allMedians(in Input) (out []block) {
	if len(in.Entries) == 0 {
		return nil
	}
	t := &table{Caption: "Every measurement of every target and cell", Folded: true,
		Head: []column{{"measurement", false}, {"cell", false}, {"target", false}, {"median", true}, {"interval", true}, {"min", true}, {"max", true}, {"unit", false}, {"trials", true}}}
	for i := range in.Entries {
		e := &in.Entries[i]
		median, interval, level := figuresOf(e)
		row := []cell{{Text: readout.MeasurementName(e.Name, e.Labels), Heading: true, Below: []string{e.Caveat}}, {Text: axesOf(e.Parameters)}, {Text: e.Target},
			{Text: orDash(median)}, {Text: orDash(interval), Below: []string{level}}, {Text: orDash(figure.Text(e.Min))}, {Text: orDash(figure.Text(e.Max))}, {Text: e.Unit},
			{Text: fmt.Sprintf("%d of %d", e.TrialCount, e.PlannedTrialCount)}}
		t.add(row...)
	}
	return []block{{Table: t}}
}

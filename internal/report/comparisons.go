package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/analysis"
	"github.com/assay-bench/assay/internal/report/chart"
)

// comparison is the first chapter: medians beside each other, and the ratios that were tested.
func comparison(in Input, trials trials) (out []block) {
	names, of := shownNames(in), ratiosOf(in)
	strong, told, ratios := false, false, ratioBlocks(in)
	for _, m := range measurements(in.Entries) {
		if !slices.Contains(names, m.entries[0].Name) {
			continue
		}
		l := layOut(m.entries, factorOf(in))
		blocks := mediansOf(m, l, of, trials)
		if len(blocks) == 0 {
			continue
		}
		if !strong && hasStrong(blocks) {
			out = append(out, paragraph("Bold is the best median of its group. Whether it is better than the others is what the verdict says, not the bold letters. "+
				"Below a median stand the smallest and the largest trial, and the ratio to the baseline where it was compared; a question mark is one without a verdict."))
			strong = true
		}
		out = append(append(out, block{heading: m.title()}), blocks...)
		if !told && hasIntervals(in.Entries) {
			out, told = append(out, paragraph(analysis.MedianLegend)), true
		}
		if lines := caveatsOf(m); len(lines) > 0 {
			out = append(out, block{text: "What limits these numbers:", bullets: lines})
		}
		if ratios != nil { // behind the main measurement, which the verdict is about
			out, ratios = append(append(out, block{heading: "Ratios"}), ratios...), nil
		}
	}
	if len(of.speedUps) > 0 && len(out) > 0 {
		out = append([]block{paragraph(speedUpLegend)}, out...)
	}
	return append(out, ratios...)
}

// mostCaveats of a measurement are listed; the table of all medians has each.
const mostCaveats = 6

// caveatsOf the medians of a measurement, each once with those that have it.
func caveatsOf(m *measurement) (out []string) {
	var order []string
	by := map[string][]string{}
	for _, e := range m.entries {
		if e.Caveat == "" {
			continue
		}
		if by[e.Caveat] == nil {
			order = append(order, e.Caveat)
		}
		var axes []string
		for _, axis := range slices.Sorted(maps.Keys(e.Parameters)) {
			v := e.Parameters[axis]
			axes = append(axes, axis+" "+v.String())
		}
		by[e.Caveat] = append(by[e.Caveat], strings.Join(append([]string{e.Target}, axes...), ", "))
	}
	for _, caveat := range order {
		who := by[caveat]
		text := strings.Join(who[:min(len(who), 3)], "; ")
		if more := len(who) - 3; more > 0 {
			text += fmt.Sprintf("; and %d more", more)
		}
		out = append(out, line(text+": "+caveat))
	}
	if more := len(out) - mostCaveats; more > 0 {
		out = append(out[:mostCaveats], fmt.Sprintf("%d more are in the table of all medians", more))
	}
	return out
}

// hasIntervals says whether a median has an interval.
func hasIntervals(entries []v1alpha1.SummaryEntry) bool {
	return slices.ContainsFunc(entries, func(e v1alpha1.SummaryEntry) bool { return e.IntervalLow != "" })
}

// hasStrong says whether a table has anything in bold.
func hasStrong(blocks []block) bool {
	return slices.ContainsFunc(blocks, func(b block) bool {
		return b.table != nil && slices.ContainsFunc(b.table.rows, func(row []cell) bool {
			return slices.ContainsFunc(row, func(c cell) bool { return c.strong })
		})
	})
}

// mediansOf a measurement: a table for each panel, and bars where nothing numeric goes across.
func mediansOf(m *measurement, l layout, of ratios, values trials) (out []block) {
	names, by := panels(l.place(m.entries))
	for _, name := range names[:min(len(names), maxPanels)] {
		out = append(out, block{table: medians(m, l, name, by[name], of)})
		if f := bars(m, l, name, by[name], values); f != nil {
			out = append(out, block{figure: f})
		}
	}
	if more := len(names) - maxPanels; more > 0 {
		out = append(out, paragraph(fmt.Sprintf("%d more groups are in the table of all medians.", more)))
	}
	return out
}

// bars of a panel, in groups, each with its spread and its trials.
func bars(m *measurement, l layout, panel string, all []placed, values trials) *figure {
	if l.numeric && len(each(all, func(p placed) string { return p.across })) > 2 {
		return nil // curves show it
	}
	series := each(all, func(p placed) string { return p.series })
	sorted := grouped(all)
	var rows []chart.Row
	var spreads []string
	measured := 0
	for _, p := range sorted[:min(len(sorted), maxMarks)] {
		row := rowOf(p, m, l, slices.Index(series, p.series))
		_, _, how := spreadOf(p.entry)
		spreads = append(spreads, how)
		if row.Mid != nil {
			measured++
		}
		counted := slices.DeleteFunc(slices.Clone(values.of(p.entry)), func(t trial) bool { return t.leftOut != "" })
		if row.Dots = dots(counted, m.unit, maxDots/maxMarks); len(row.Dots) < len(counted) {
			row.Note += fmt.Sprintf(", %d of %d points", len(row.Dots), len(counted))
		}
		rows = append(rows, row)
	}
	if measured < 2 {
		return nil
	}
	f := &figure{caption: captionOf(m, panel, "medians with their spread"), behind: barsBehind(m, rows, spreads),
		note: "The thin line of a bar is the interval of its median, or the range of the trials where they are too few for one: the table says which."}
	if len(l.across) > 0 && len(series) > 1 {
		f.key = series
	}
	if len(sorted) > maxMarks {
		f.note += fmt.Sprintf(" The first %d of %d rows are drawn.", maxMarks, len(sorted))
	}
	bars := chart.Rows{Unit: m.title(), Rows: rows, Bars: true}
	if bars.Log = tooWide(rows); bars.Log { // a bar would be a hair: its place says it
		bars.Bars, bars.Unit = false, m.title()+", logarithmic"
	}
	f.draw = func(width int) (string, error) {
		bars.Label = f.caption + ". The table has the numbers."
		return bars.SVG(width)
	}
	return f
}

// tooWide says whether medians differ so much that the smallest ones cannot be seen beside the largest.
func tooWide(rows []chart.Row) bool {
	low, high := math.Inf(1), 0.0
	for _, r := range rows {
		if r.Mid != nil {
			low, high = min(low, *r.Mid), max(high, *r.Mid)
		}
	}
	return low > 0 && high/low > 100
}

func barsBehind(m *measurement, rows []chart.Row, spreads []string) *table {
	t := &table{caption: "Numbers behind the picture: " + m.title(), head: []column{{"", false}, {"median", true}, {"from", true}, {"to", true}, {"spread", false}}}
	for n, r := range rows {
		cells := []cell{{text: strings.TrimPrefix(r.Group+", "+r.Label, ", "), heading: true}, {text: "–"}, {text: "–"}, {text: "–"}, {text: spreads[n]}}
		for i, v := range []*float64{r.Mid, r.Low, r.High} {
			if v != nil {
				cells[i+1].text = chart.Figure(*v)
			}
		}
		t.rows = append(t.rows, cells)
	}
	return t
}

// ratioBlocks are the comparisons of the run as a picture and a table: declared ones first.
func ratioBlocks(in Input) (out []block) {
	if len(in.Comparisons) == 0 {
		return nil
	}
	t := &table{caption: "Comparisons with their verdicts", head: []column{{"comparison", false}, {"verdict", false}, {"ratio", true}, {"interval", true}, {"p by itself", true}, {"adjusted p", true}, {"blocks", true}}}
	percents, errorRate := allNearOne(in.Comparisons), in.errorRate()
	for _, e := range in.Comparisons {
		note := e.Reason
		if e.Family != v1alpha1.FamilyPrimary {
			note = strings.TrimPrefix(strings.ToLower(string(e.Family))+"; "+e.Reason, "; ")
		}
		verdict := strings.ToLower(string(e.Verdict))
		if e.BelowMinimumEffect {
			verdict += ", by less than matters"
		}
		strong := e.Verdict == v1alpha1.VerdictFaster || e.Verdict == v1alpha1.VerdictSlower
		t.rows = append(t.rows, []cell{{text: in.subject(e), heading: true, below: []string{strings.TrimSuffix(note, "; ")}}, {text: verdict, strong: strong},
			{text: ratioAs(e, percents)}, {text: orDash(intervalAs(e, percents)), below: []string{analysis.Level(e.IntervalConfidence)}}, {text: orDash(pOf(e.P, errorRate))}, {text: orDash(pOf(e.AdjustedP, errorRate))},
			{text: fmt.Sprintf("%d of %d", e.BlockCount, e.PlannedBlockCount)}})
	}
	how := paragraph(analysis.Method(orderOf(in)) + " " + analysis.RatioLegend)
	f := forest(in)
	switch {
	case f == nil:
		return []block{how, {table: t}}
	case len(t.rows) > mostVerdicts:
		f.behind = t
		return []block{how, {figure: f}}
	}
	return []block{how, {figure: f}, {table: t}} // the verdicts are what most readers come for
}

// mostVerdicts stand open below their picture; more of them are folded behind it.
const mostVerdicts = 20

// orderOf the trials.
func orderOf(in Input) v1alpha1.TrialOrder {
	if in.Plan != nil {
		return in.Plan.Order
	}
	return in.Run.Spec.Design.Order
}

// orDash is a dash for what is not known.
func orDash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}

// subject of a comparison.
func (in Input) subject(e v1alpha1.ComparisonEntry) string {
	text := e.Value + " against " + e.Baseline
	if e.Factor != v1alpha1.FactorTarget {
		text = e.Factor + " " + text
	}
	if where := in.placeOf(e); where != "" {
		text += ", " + where
	}
	return nameOf(e.Name, e.Labels) + ": " + text
}

// forest is one row for each comparison, over the ratio.
func forest(in Input) *figure {
	all := in.Comparisons
	var rows []chart.Row
	percents, intervals := allNearOne(all), 0
	for _, e := range all {
		r, ok := decimal(e.Ratio)
		if !ok || r <= 0 || len(rows) >= maxMarks {
			continue
		}
		row := chart.Row{Label: in.subject(e), Mid: &r, Note: ratioAs(e, percents), Title: line(e.Text), Series: seriesOf(e)}
		low, has := decimal(e.IntervalLow)
		high, also := decimal(e.IntervalHigh)
		if has && also && low > 0 && high > 0 {
			row.Low, row.High = &low, &high
			row.Title = line(row.Title + "; " + analysis.Level(e.IntervalConfidence) + " interval")
			intervals++
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil
	}
	one := 1.0
	f := &figure{caption: "Ratios to the baseline", key: []string{"declared, with a verdict", "without a verdict"},
		note: "The dashed line is no difference. Right of it is more: for times, left is better. The axis is logarithmic: half and double are equally far from it."}
	if intervals > 0 {
		f.caption += ", with their intervals"
		f.note += " An interval that crosses the line shows no difference; it may show equivalence."
	}
	if intervals < len(rows) {
		f.note += " A row without a stroke has no interval: too few blocks count."
	}
	if len(all) > len(rows) {
		f.note += fmt.Sprintf(" %d of %d comparisons are drawn.", len(rows), len(all))
	}
	f.draw = chart.Rows{Label: f.caption + ". The table with it has the numbers.", Unit: "ratio to the baseline", Rows: rows, Log: true, Reference: &one}.SVG
	return f
}

// allNearOne says whether all ratios are shown as differences in percent: one list has one form.
func allNearOne(all []v1alpha1.ComparisonEntry) bool {
	return !slices.ContainsFunc(all, func(e v1alpha1.ComparisonEntry) bool {
		r, ok := decimal(e.Ratio)
		return ok && r > 0 && !nearOne(r)
	})
}

// ratioAs a difference in percent, or as a factor; empty without one.
func ratioAs(e v1alpha1.ComparisonEntry, percents bool) string {
	r, ok := decimal(e.Ratio)
	switch {
	case !ok || r <= 0:
		return ""
	case percents:
		return percent(r - 1)
	}
	return ratioText(r) + "×"
}

// seriesOf a comparison: the first colour for a verdict, the second one for none.
func seriesOf(e v1alpha1.ComparisonEntry) int {
	if hasVerdict(e) {
		return 0
	}
	return 1
}

// hasVerdict says whether a comparison was decided: Inconclusive and Exploratory decide nothing.
func hasVerdict(e v1alpha1.ComparisonEntry) bool { return analysis.Decided(e.Verdict) }

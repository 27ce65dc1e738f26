package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/analysis"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/report/chart"
	"github.com/assay-bench/assay/internal/search"
	"github.com/assay-bench/assay/internal/summary"
)

// trial is one value of one trial.
type trial struct {
	index, block int32
	value        float64
	// leftOut is why it does not count; empty where it does.
	leftOut v1alpha1.LeftOutReason
}

// trials are the values of the measurements that are shown, by the entries of the summary that they are behind.
type trials struct {
	values map[string][]trial
	// last records of the trials that count, in the order of the plan; of a search, those at the highest rate that held.
	counted []contract.Record
}

// keyOf the values behind an entry.
func keyOf(cell int32, target, name, unit string, labels map[string]string) string {
	return fmt.Sprintf("%d %q %q %q %s", cell, target, name, unit, labelKey(labels))
}

func (t trials) of(e *v1alpha1.SummaryEntry) []trial {
	return t.values[keyOf(e.Cell, e.Target, e.Name, e.Unit, e.Labels)]
}

// shownNames are the measurements that have pictures: the main one, those that were compared, and latencies.
func shownNames(in Input) []string {
	out := []string{mainName(in.Entries)}
	add := func(name string) {
		if !slices.Contains(out, name) && len(out) < 6 {
			out = append(out, name)
		}
	}
	for _, e := range family(in, v1alpha1.FamilyPrimary) {
		add(e.Name)
	}
	for _, e := range in.Entries {
		if e.Name == contract.NameLatencyPercentile || e.Name == contract.NameLatencyAvg {
			add(e.Name)
		}
	}
	return out
}

// trialsOf the run: the last attempt at each trial decides, as in the summary.
func trialsOf(in Input) trials {
	out := trials{values: map[string][]trial{}}
	if in.Plan == nil {
		return out
	}
	names, last := shownNames(in), map[int32]*contract.Record{}
	for i := range in.Records {
		last[in.Records[i].Index] = &in.Records[i]
	}
	plan, held := in.Plan, heldRates(in)
	if held != nil { // the trials of a search are no pairs
		plan = search.Judged(in.Plan, in.Records)
	}
	leftOut := summary.LeftOut(plan, in.Records)
	for i, t := range plan.Trials {
		rec := last[t.Index]
		if rec == nil {
			continue
		}
		if leftOut[i] == "" && (held == nil || held[place{rec.Cell, rec.Block, rec.Target}] == rec.Rate) {
			out.counted = append(out.counted, *rec)
		}
		for _, v := range rec.Values {
			if slices.Contains(names, v.Name) {
				key := keyOf(rec.Cell, rec.Target, v.Name, v.Unit, v.Labels)
				out.values[key] = append(out.values[key], trial{rec.Index, rec.Block, v.Value, leftOut[i]})
			}
		}
	}
	return out
}

// place of a search.
type place struct {
	cell, block int32
	target      string
}

// heldRates are the highest rates that held, by the place of their searches, as each client offered them; nil for a run
// that searches nothing. Trials at other rates are no trials of one thing.
func heldRates(in Input) map[place]int64 {
	if in.Run.Spec.Search == nil {
		return nil
	}
	out := map[place]int64{}
	for _, s := range in.Searches {
		if s.Held > 0 {
			out[place{s.Cell, s.Block, s.Target}] = int64(s.Held)
		}
	}
	return out
}

// title of a point.
func (t trial) title(unit string) string {
	text := fmt.Sprintf("trial %d, block %d: %s %s", t.index, t.block, chart.Figure(t.value), unit)
	if t.leftOut != "" {
		text += ", left out: " + words(string(t.leftOut))
	}
	return text
}

// dots of some trials, at most so many: then they are evenly spaced in the order of their values, with the smallest
// and the largest, and with those that are left out.
func dots(all []trial, unit string, most int) []chart.Dot {
	if len(all) > most {
		sorted := slices.Clone(all)
		slices.SortStableFunc(sorted, func(a, b trial) int {
			switch {
			case a.value < b.value:
				return -1
			case a.value > b.value:
				return 1
			}
			return 0
		})
		all = all[:0:0]
		for i := range most {
			all = append(all, sorted[i*(len(sorted)-1)/max(most-1, 1)])
		}
	}
	out := make([]chart.Dot, 0, len(all))
	for _, t := range all {
		out = append(out, chart.Dot{Y: t.value, Title: t.title(unit), Open: t.leftOut != ""})
	}
	return out
}

// everyTrial has all values of the main measurement, with those that do not count.
func everyTrial(in Input, all trials) (out []block) {
	ms := measurements(in.Entries)
	if len(ms) == 0 || len(all.values) == 0 {
		return nil
	}
	m := ms[0]
	l := layOut(m.entries, factorOf(in))
	names, by := panels(l.place(m.entries))
	total, rows := 0, 0
	for _, e := range m.entries {
		total, rows = total+len(all.of(e)), rows+1
	}
	most := max(maxDots/max(min(rows, maxPanels*maxMarks), 1), 6)
	out = append(out, paragraph("One point is one trial. The thick stroke is the median of the trials that count, the thin line its interval, or the "+
		"range of the trials where they are too few for an interval. The axis does not begin at 0."))
	drawn := 0
	for _, name := range names[:min(len(names), maxPanels)] {
		f, n := strips(m, l, name, by[name], all, most)
		if f == nil {
			continue
		}
		drawn += n
		out = append(out, block{figure: f})
	}
	if drawn == 0 {
		return nil
	}
	if drawn < total {
		out = append(out, paragraph(fmt.Sprintf("Points are thinned: %s of %s are drawn. In each row they are evenly spaced in the order of their values, "+
			"and the smallest and the largest are among them. kubectl assay export --format csv writes all of them.", chart.Figure(float64(drawn)), plural(total, "value"))))
	}
	return out
}

// strips of a panel, and how many points they have.
func strips(m *measurement, l layout, panel string, all []placed, values trials, most int) (*figure, int) {
	series := each(all, func(p placed) string { return p.series })
	var rows []chart.Row
	behind := &table{caption: "Trials behind the picture: " + m.title(), head: []column{{"", false}, {"trial", true}, {"block", true}, {m.title(), true}, {"left out", false}}}
	drawn, open := 0, false
	for _, p := range grouped(all)[:min(len(all), maxMarks)] {
		trials := values.of(p.entry)
		row := rowOf(p, m, l, slices.Index(series, p.series))
		row.Dots = dots(trials, m.unit, most)
		drawn += len(row.Dots)
		rows = append(rows, row)
		for _, t := range trials {
			open = open || t.leftOut != ""
			if len(behind.rows) < maxRows {
				behind.rows = append(behind.rows, []cell{{text: strings.TrimPrefix(row.Group+", "+row.Label, ", "), heading: true}, {text: fmt.Sprint(t.index)}, {text: fmt.Sprint(t.block)},
					{text: chart.Figure(t.value)}, {text: words(string(t.leftOut))}})
			}
		}
		if more := len(trials) - len(row.Dots); more > 0 {
			row.Note += fmt.Sprintf(", %d of %d points", len(row.Dots), len(trials))
			rows[len(rows)-1] = row
		}
	}
	if drawn == 0 {
		return nil, 0
	}
	f := &figure{caption: captionOf(m, panel, "every trial"), behind: behind}
	f.draw = chart.Rows{Label: f.caption + ". The table behind it has the numbers.", Unit: m.title(), Rows: rows}.SVG
	var notes []string
	if open {
		notes = append(notes, "Rings are trials that do not count.")
	}
	if len(all) > maxMarks {
		notes = append(notes, fmt.Sprintf("The first %d of %d rows are drawn.", maxMarks, len(all)))
	}
	f.note = strings.Join(notes, " ")
	return f, drawn
}

// captionOf a picture or a table of a panel.
func captionOf(m *measurement, panel, what string) string {
	if panel == "" || panel == "all" {
		return line(m.title() + ": " + what)
	}
	return line(panel + ", " + m.title() + ": " + what)
}

// rowOf an entry: its median with its interval, or its range.
func rowOf(p placed, m *measurement, l layout, series int) chart.Row {
	e := p.entry
	across := p.across
	if l.numeric {
		across = l.across[0] + " " + p.across
	}
	row := chart.Row{Label: cmp.Or(p.series, across, e.Target), Series: max(series, 0)}
	label := row.Label
	if p.across != "" && p.series != "" {
		row.Group, label = across, across+", "+p.series
	}
	mid, ok := decimal(e.Median)
	if !ok {
		row.Note = "no trial counts"
		return row
	}
	row.Mid, row.Note = &mid, chart.Figure(mid)
	row.Title = line(label + ": median " + chart.Figure(mid) + " " + m.unit)
	low, high, how := spreadOf(e)
	if how != "" {
		row.Low, row.High = &low, &high
		row.Title += fmt.Sprintf(", %s %s to %s", how, chart.Figure(low), chart.Figure(high))
	}
	return row
}

// spreadOf an entry: the interval of its median, or its range.
func spreadOf(e *v1alpha1.SummaryEntry) (low, high float64, how string) {
	l, has := decimal(e.IntervalLow)
	h, also := decimal(e.IntervalHigh)
	if has && also {
		return l, h, strings.TrimSpace(analysis.Level(e.IntervalCoverage) + " interval")
	}
	l, has = decimal(e.Min)
	h, also = decimal(e.Max)
	if has && also {
		return l, h, "range"
	}
	return 0, 0, ""
}

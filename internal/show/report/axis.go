package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/internal/show/report/chart"
)

// overLoad has curves of the measurements over an axis with numbers, with every trial, and what the sweeps and searches
// have found.
func overLoad(in Input, values trials) (out []block) {
	names := shownNames(in)
	for _, m := range measurements(in.Entries) {
		if !slices.Contains(names, m.entries[0].Name) {
			continue
		}
		l := layOut(m.entries, factorOf(in))
		if !l.numeric {
			continue
		}
		panelNames, by := panels(l.place(m.entries))
		for _, name := range panelNames[:min(len(panelNames), maxPanels)] {
			if f := curves(in, m, l, name, by[name], values); f != nil {
				out = append(out, block{Picture: f})
			}
		}
	}
	var lines []string
	for _, s := range in.Sweeps {
		text := readout.SweepText(s)
		if level := figure.Level(s.KneeConfidence); s.KneeLow != "" && level != "" {
			text += "; the interval of the knee has a confidence of " + level
		}
		lines = append(lines, line(text))
	}
	if len(lines) > maxMarks {
		lines = append(lines[:maxMarks], fmt.Sprintf("and %d more in the ConfigMaps of the summary", len(in.Sweeps)-maxMarks))
	}
	if len(lines) > 0 {
		out = append(out, block{Heading: "Knees and peaks", Text: "The knee is where the line through the throughput at the lightest load meets the highest throughput: " +
			"beyond it, more load no longer gives more in proportion. In brackets is its interval, which comes from those of the ratios to the lightest load; " +
			"and of a peak the loads that none was shown to exceed.", Bullets: lines})
	}
	return append(out, searches(in)...)
}

// curves of a panel, one for each series.
func curves(in Input, m *measurement, l layout, panel string, all []placed, values trials) *picture {
	across, series := each(all, func(p placed) string { return p.across }), each(all, func(p placed) string { return p.series })
	if len(across) < 3 || len(series) > 2*chart.SeriesCount {
		return nil
	}
	lines := make([]chart.Line, len(series))
	behind := &table{Caption: "Numbers behind the picture: " + m.title(), Head: []column{{l.across[0], false}, {strings.Join(l.series, ", "), false}, {"median", true}, {"interval", true}, {"trials", true}}}
	most, drawn, total := max(maxDots/len(all), 4), 0, 0
	for _, p := range grouped(all) {
		x, err := strconv.ParseFloat(p.across, 64)
		mid, ok := figure.Decimal(p.entry.Median)
		median, interval, level := figuresOf(p.entry)
		if err != nil || !ok {
			continue
		}
		i := slices.Index(series, p.series)
		point := chart.Point{X: x, Y: mid, Title: titleOf(l.across[0]+" "+p.across+", "+p.series, p.entry, m)}
		point.Low, point.High = spreadOf(p.entry)
		behind.Rows = append(behind.Rows, []cell{{Text: p.across, Heading: true}, {Text: p.series}, {Text: median}, {Text: orDash(interval), Below: []string{level}}, {Text: fmt.Sprintf("%d of %d", p.entry.TrialCount, p.entry.PlannedTrialCount)}})
		lines[i].Series, lines[i].Points = i, append(lines[i].Points, point)
		ds := dots(values.of(p.entry), m.unit, most)
		drawn, total = drawn+len(ds), total+len(values.of(p.entry))
		for _, d := range ds {
			d.X = x
			lines[i].Dots = append(lines[i].Dots, d)
		}
	}
	f := &picture{Caption: captionOf(m, panel, "over "+l.across[0]), Behind: behind,
		Note: "A point is a trial, a line joins medians, and a whisker is the interval of the median, or the range of the trials where they are too few for one."}
	if len(series) > 1 {
		f.Key = series
	}
	if drawn < total {
		f.Note += fmt.Sprintf(" Points are thinned: %s of %s are drawn.", figure.Number(float64(drawn)), figure.Number(float64(total)))
	}
	c := chart.Lines{XUnit: l.across[0], Lines: lines, Zero: true, Height: 320, Marks: knees(in, m, l, panel, series)}
	low, high := 0.0, 0.0
	for i, a := range across {
		x, _ := strconv.ParseFloat(a, 64)
		if c.At = append(c.At, chart.Tick{At: x, Text: chart.LoadText(x)}); i == 0 {
			low = x
		}
		high = x
	}
	c.LogX = low > 0 && high/low >= 8
	c.Label = f.label()
	f.draw = c.SVG
	return f
}

// knees of the series of a panel, where the measurement and the axis are those of a sweep.
func knees(in Input, m *measurement, l layout, panel string, series []string) (out []chart.Mark) {
	for _, s := range in.Sweeps {
		if s.Name != m.entries[0].Name || s.Axis != l.across[0] {
			continue
		}
		e := &v1alpha1.SummaryEntry{Target: s.Target, Parameters: s.Parameters, Labels: s.Labels, Cell: s.Cell}
		p := l.place([]*v1alpha1.SummaryEntry{e})[0]
		i := slices.Index(series, p.series)
		at, ok := figure.Decimal(s.Knee)
		if p.panel != panel || i < 0 || !ok || len(out) >= chart.SeriesCount {
			continue
		}
		knee, _, _ := figure.Measured(s.Knee, s.KneeLow, s.KneeHigh)
		text := "knee " + knee
		if len(series) > 1 {
			text = p.series + ": " + text
		}
		out = append(out, chart.Mark{At: at, Text: text, Title: line(readout.SweepText(s)), Series: i})
	}
	return out
}

// searches for the highest rate, as a table.
func searches(in Input) []block {
	if len(in.doc.Searches) == 0 {
		return nil
	}
	t := &table{Caption: readout.SearchLegend,
		Head: []column{{"target", false}, {"cell", false}, {"block", true}, {"outcome", false}, {"held", true}, {"failed", true}, {"trials", true}}}
	for _, s := range in.doc.Searches {
		held, failed := s.Rates()
		t.Rows = append(t.Rows, []cell{{Text: s.Target, Heading: true, Below: []string{s.Reason}}, {Text: strings.TrimPrefix(readout.PlaceOf(s.Where), "-")}, {Text: strconv.Itoa(int(s.Block))},
			{Text: words(s.Outcome)}, {Text: held}, {Text: failed}, {Text: strconv.Itoa(int(s.Trials))}})
	}
	return []block{{Heading: "Where it breaks", Table: t}}
}

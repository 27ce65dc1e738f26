package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/internal/show/report/chart"
)

// medianLegend says what stands in the tables of medians.
const medianLegend = "Bold is the best median of its group. Whether it is better than the others is what the verdict says, not the bold letters. " +
	"Below a median stands its interval; of too few trials for one, the smallest and the largest, marked (all). The ratio to the baseline stands below it " +
	"where it was compared; a question mark is one without a verdict. "

// comparison is the first section: medians beside each other, and the ratios that nobody declared.
func comparison(in Input, trials trials) (out []block) {
	names, of := shownNames(in), ratiosOf(in)
	shown := slices.DeleteFunc(measurements(in.Entries), func(m *measurement) bool { return !slices.Contains(names, m.entries[0].Name) })
	legend := doubt(shown)
	for _, m := range shown {
		blocks := mediansOf(m, layOut(m.entries, factorOf(in)), of, trials)
		if len(blocks) == 0 {
			continue
		}
		if len(out) == 0 {
			out = append(out, paragraph(medianLegend+readout.MedianLegend))
			if len(of.speedUps) > 0 {
				out = append(out, paragraph(speedUpLegend))
			}
		}
		out = append(append(out, block{Heading: m.title()}), blocks...)
	}
	if len(legend) > 0 {
		out = append(out, block{Heading: "What limits these numbers", Bullets: legend})
	}
	if declared, others := verdicts(in); len(others) > 0 {
		by := basisOf(in)
		if len(declared) > 0 {
			by.Method = "" // the evidence says it
		}
		out = append(append(out, block{Heading: "Ratios that were not declared"}), ratioBlocks(others, by)...)
	}
	return out
}

// mediansOf a measurement: a table for each panel, and bars where nothing numeric goes across.
func mediansOf(m *measurement, l layout, of ratios, values trials) (out []block) {
	names, by := panels(l.place(m.entries))
	for _, name := range names[:min(len(names), maxPanels)] {
		out = append(out, block{Table: medians(m, l, name, by[name], of)})
		if f := bars(m, l, name, "medians with their spread", by[name], values); f != nil {
			out = append(out, block{Picture: f})
		}
	}
	if more := len(names) - maxPanels; more > 0 {
		out = append(out, paragraph(fmt.Sprintf("%d more groups are in the table of all medians.", more)))
	}
	return out
}

// bars of a panel, in groups, each with its spread and its trials.
func bars(m *measurement, l layout, panel, what string, all []placed, values trials) *picture {
	if l.numeric && len(each(all, func(p placed) string { return p.across })) > 2 {
		return nil // curves show it
	}
	series := each(all, func(p placed) string { return p.series })
	sorted := grouped(all)
	var rows []chart.Row
	behind := &table{Caption: "Numbers behind the picture: " + m.title(), Head: []column{{"", false}, {"median", true}, {"interval", true}}}
	measured := 0
	for _, p := range sorted[:min(len(sorted), maxMarks)] {
		row := rowOf(p, m, l, slices.Index(series, p.series))
		median, interval, level := figuresOf(p.entry)
		behind.Rows = append(behind.Rows, []cell{{Text: strings.TrimPrefix(row.Group+", "+row.Label, ", "), Heading: true}, {Text: orDash(median)}, {Text: orDash(interval), Below: []string{level}}})
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
	f := &picture{Caption: captionOf(m, panel, what), Behind: behind,
		Note: "The thin line of a bar is the interval of its median, or the range of the trials where they are too few for one, marked (all) in the table."}
	if len(l.across) > 0 && len(series) > 1 {
		f.Key = series
	}
	if len(sorted) > maxMarks {
		f.Note += fmt.Sprintf(" The first %d of %d rows are drawn.", maxMarks, len(sorted))
	}
	bars := chart.Rows{Unit: m.title(), Rows: rows, Bars: true}
	if bars.Log = tooWide(rows); bars.Log { // a bar would be a hair: its place says it
		bars.Bars, bars.Unit = false, m.title()+", logarithmic"
	}
	bars.Label = f.label()
	f.draw = bars.SVG
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

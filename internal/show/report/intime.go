package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/show/report/chart"
)

// inTime has the values of each trial of what was compared over the time of its window, with those that do not count.
func inTime(in Input, all trials) (out []block) {
	names := []string{mainName(in.Entries)}
	for _, v := range in.doc.Family(v1alpha1.FamilyPrimary) {
		names = append(names, v.Name)
	}
	var strips []strip
	total := 0
	for _, m := range measurements(in.Entries) {
		if !slices.Contains(names, m.entries[0].Name) {
			continue
		}
		for _, s := range stripsOf(m, layOut(m.entries, factorOf(in))) {
			n := 0
			for _, p := range s.all {
				n += len(all.of(p.entry))
			}
			if total += n; n > 0 {
				strips = append(strips, s)
			}
		}
	}
	drawn := 0
	shown := spread(len(strips), maxPanels)
	for _, i := range shown {
		f, n := strips[i].picture(all, maxDots/max(len(shown)*len(strips[i].all), 1))
		drawn, out = drawn+n, append(out, block{Picture: f})
	}
	switch {
	case drawn == 0:
		return nil
	case drawn < total:
		out = append(out, paragraph(fmt.Sprintf("Points are thinned: %s of %s are drawn. They are evenly spread over the cells, and within each in the order of its values, "+
			"with the smallest and the largest. kubectl assay export --format csv writes all of them.", figure.Number(float64(drawn)), figure.Counted(total, "value"))))
	}
	return append([]block{paragraph("One point is one trial, where its window began. A line is the median of the trials that count: what climbs, falls or jumps along it " +
		"changed during the run. The axis of the values does not begin at 0.")}, out...)
}

// strip is one place of the experiment, whose series are drawn over the time.
type strip struct {
	m    *measurement
	name string
	all  []placed
}

func stripsOf(m *measurement, l layout) (out []strip) {
	at := map[string]int{}
	for _, p := range grouped(l.place(m.entries)) {
		name := p.across
		if l.numeric {
			name = l.across[0] + " " + name
		}
		if p.panel != "" && p.panel != "all" {
			name = strings.TrimSuffix(p.panel+", "+name, ", ")
		}
		i, known := at[name]
		if !known {
			i, at[name] = len(out), len(out)
			out = append(out, strip{m: m, name: name})
		}
		out[i].all = append(out[i].all, p)
	}
	return out
}

// picture of a strip with at most so many points of a series, and how many it has.
func (s strip) picture(values trials, most int) (*picture, int) {
	behind := &table{Caption: "Trials behind the picture: " + s.m.title(), Head: []column{{"", false}, {"trial", true}, {values.clock, true}, {"block", true}, {s.m.title(), true}, {"left out", false}}}
	c := chart.Lines{XUnit: values.clock, Height: 220}
	f := &picture{Caption: captionOf(s.m, s.name, "trials in the order of time"), Behind: behind}
	drawn, open := 0, false
	for i, p := range s.all[:min(len(s.all), chart.SeriesCount)] {
		trials := values.of(p.entry)
		one := chart.Line{Series: i, Plain: true, Dots: dots(trials, s.m.unit, most)}
		drawn += len(one.Dots)
		first, last := math.Inf(1), math.Inf(-1)
		for _, t := range trials {
			open, first, last = open || t.leftOut != "", min(first, t.at), max(last, t.at)
			if len(behind.Rows) < maxRows {
				behind.Rows = append(behind.Rows, []cell{{Text: cmp.Or(p.series, p.entry.Target), Heading: true}, {Text: fmt.Sprint(t.index)}, {Text: figure.Number(t.at)}, {Text: fmt.Sprint(t.block)},
					{Text: figure.Number(t.value)}, {Text: words(string(t.leftOut))}})
			}
		}
		if mid, ok := figure.Decimal(p.entry.Median); ok && last > first {
			one.Points = []chart.Point{{X: first, Y: mid}, {X: last, Y: mid}}
		}
		c.Lines, f.Key = append(c.Lines, one), append(f.Key, cmp.Or(p.series, p.entry.Target))
	}
	var notes []string
	if open {
		notes = append(notes, "Rings are trials that do not count.")
	}
	if len(s.all) > len(c.Lines) {
		notes = append(notes, fmt.Sprintf("The first %d of %d series are drawn.", len(c.Lines), len(s.all)))
	}
	f.Note = strings.Join(notes, " ")
	c.Label = f.label()
	f.draw = c.SVG
	return f, drawn
}

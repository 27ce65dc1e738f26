package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/show/report/chart"
)

// mostPoints of a time series are drawn; of a longer one, means of equal parts.
const mostPoints = 400

// mostStalls of a trial are marked.
const mostStalls = 20

// timeSeries is the throughput of one trial. Seconds count from the begin of the window: those of the warm-up are
// negative.
type timeSeries struct {
	unit           string
	warmup, window []contract.Interval
	// begin of the warm-up in seconds; 0 without one.
	begin float64
}

// seriesOfResult is that of all operations; nil for a tool that prints none.
func seriesOfResult(res contract.Result) *timeSeries {
	m, ok := res.Find(contract.NameThroughput, nil)
	if !ok || len(m.Labels) > 0 || len(m.Intervals) < 2 {
		return nil
	}
	out := &timeSeries{unit: m.Unit, window: m.Intervals}
	if w := res.Tool.WarmupSeconds; w != nil && *w > 0 {
		out.begin = -*w
		if warm, ok := contract.Find(res.Warmup, contract.NameThroughput, nil); ok && len(warm.Labels) == 0 {
			for _, p := range warm.Intervals {
				if p.AtSeconds -= *w; p.AtSeconds <= 0 {
					out.warmup = append(out.warmup, p)
				}
			}
		}
	}
	return out
}

// stalls are the intervals with no throughput, or with less than half of the median one; the last interval may be cut
// by the end of the window.
func (s timeSeries) stalls() (out []contract.Interval) {
	var known []float64
	for _, p := range s.window {
		if p.Value != nil {
			known = append(known, *p.Value)
		}
	}
	if len(known) < 3 {
		return nil
	}
	slices.Sort(known)
	median := known[len(known)/2]
	for _, p := range s.window[:len(s.window)-1] {
		if p.Value != nil && (*p.Value == 0 || *p.Value < median/2) {
			out = append(out, p)
		}
	}
	return out
}

// overTime has one picture for each cell: a trial of each target.
func overTime(all details) (out []block) {
	for _, cell := range all.cells {
		var lines []chart.Line
		var key, notes []string
		c := chart.Lines{XUnit: "seconds of the measured window", Zero: true, Height: 260}
		behind := &table{Head: []column{{"target", false}, {"second", true}, {"", true}}}
		for _, s := range all.byCell[cell] {
			if s.series == nil {
				continue
			}
			unit := contract.NameThroughput + ", " + s.series.unit
			behind.Caption, behind.Head[2].Name = "Intervals behind the picture: "+line(unit), unit
			i := len(key)
			key = append(key, s.target)
			points, per := s.series.points(s.target)
			lines = append(lines, chart.Line{Series: i, Points: points, Plain: true})
			notes = append(notes, fmt.Sprintf("%s: trial %d in block %d", s.target, s.trial, s.block))
			if per > 1 {
				notes[i] += fmt.Sprintf(", each point the mean of %d intervals", per)
			}
			if b := s.series.begin; b < 0 && (len(c.Spans) == 0 || b < c.Spans[0].From) {
				c.Spans = []chart.Span{{From: b, To: 0}}
			}
			stalls := s.series.stalls()
			for _, p := range stalls[:min(len(stalls), mostStalls)] {
				c.Marks = append(c.Marks, chart.Mark{At: p.AtSeconds, Series: -1, Title: fmt.Sprintf("stall: %s, %s s: %s %s", s.target, figure.Number(p.AtSeconds), figure.Number(*p.Value), s.series.unit)})
			}
			if n := len(stalls); n > 0 {
				notes[i] += fmt.Sprintf(", %s with less than half of its median", figure.Counted(n, "interval"))
			}
			behind.intervals(s)
		}
		if len(lines) == 0 {
			continue
		}
		f := &picture{Caption: strings.TrimPrefix(cell+": ", ": ") + behind.Head[2].Name + ", over time", Key: key, Behind: behind, Note: line(strings.Join(notes, "; ")) + "."}
		if len(c.Spans) > 0 {
			f.Note += " The shaded part is the warm-up, which counts nowhere."
		}
		if len(c.Marks) > 0 {
			f.Note += " Dashed lines mark stalls."
		}
		c.Lines = lines
		c.Label = f.label()
		f.draw = c.SVG
		out = append(out, block{Picture: f})
	}
	if len(out) > 0 {
		text := "One trial of each target, the first one that counts."
		if all.left > 0 {
			text += fmt.Sprintf(" %d more cells are not shown.", all.left)
		}
		out = append([]block{paragraph(text)}, out...)
	}
	return out
}

// intervals of a trial, in a table.
func (t *table) intervals(s *detail) {
	for _, p := range append(slices.Clone(s.series.warmup), s.series.window...) {
		if len(t.Rows) >= maxRows {
			return
		}
		text := "–"
		if p.Value != nil {
			text = figure.Number(*p.Value)
		}
		t.Rows = append(t.Rows, []cell{{Text: s.target, Heading: true}, {Text: figure.Number(p.AtSeconds)}, {Text: text}})
	}
}

// points of the series, each the mean of so many intervals.
func (s timeSeries) points(target string) (out []chart.Point, per int) {
	all := append(slices.Clone(s.warmup), s.window...)
	per = (len(all) + mostPoints - 1) / mostPoints
	for part := range slices.Chunk(all, per) {
		sum, n := 0.0, 0
		for _, p := range part {
			if p.Value != nil {
				sum, n = sum+*p.Value, n+1
			}
		}
		y := math.NaN()
		if n == len(part) { // an interval that the tool did not print interrupts the line
			y = sum / float64(n)
		}
		x := part[len(part)-1].AtSeconds
		out = append(out, chart.Point{X: x, Y: y, Title: fmt.Sprintf("%s, %s s: %s %s", target, figure.Number(x), figure.Number(y), s.unit)})
	}
	return out, per
}

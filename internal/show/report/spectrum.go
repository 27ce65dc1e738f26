package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/show/report/chart"
)

// percentiles of the table behind a spectrum.
var percentiles = []float64{50, 75, 90, 95, 99, 99.9, 99.99, 99.999}

// beyond is how many operations have to be slower than a percentile for it to be in the table: with fewer it is the
// latency of single operations.
const beyond = 10

// spectrum has a picture for each cell and kind of operation: latency by percentile, of all targets.
func spectrum(all details) (out []block) {
	for _, cell := range all.cells {
		var operations []string
		for _, s := range all.byCell[cell] {
			for _, name := range s.operations {
				if !slices.Contains(operations, name) {
					operations = append(operations, name)
				}
			}
		}
		for _, name := range operations {
			if len(out) < maxPanels {
				out = append(out, block{Picture: spectrumOf(cell, name, all.byCell[cell])})
			}
		}
	}
	if len(out) > 0 {
		out = append([]block{paragraph("Each curve has the latencies of all operations of the trials named below it, their histograms merged bucket by bucket. " +
			"The axis is logarithmic in the distance to 100 %, so that each nine takes the same room. Its end is the slowest operation.")}, out...)
	}
	return out
}

func spectrumOf(where, operation string, byCell []*detail) *picture {
	c := chart.Lines{LogX: true, LogY: true, Height: 320, XUnit: "percentile"}
	behind := &table{Caption: "Percentiles behind the picture", Head: []column{{"target", false}, {"operations", true}}}
	for _, p := range percentiles {
		behind.Head = append(behind.Head, column{"p" + strconv.FormatFloat(p, 'f', -1, 64), true})
	}
	behind.Head = append(behind.Head, column{"largest", true})
	var key, notes []string
	unit, slowest := "", 1.0
	for _, s := range byCell {
		h, has := s.histograms[operation]
		if !has {
			continue
		}
		unit = h.Unit
		key = append(key, s.target)
		c.Lines = append(c.Lines, chart.Line{Series: len(key) - 1, Plain: true, Points: curveOf(h, s.target)})
		n := float64(h.N())
		slowest = max(slowest, n)
		note := fmt.Sprintf("%s: %s", s.target, figure.Counted(s.merged, "trial"))
		if s.counted > s.merged {
			note += fmt.Sprintf(" of %d", s.counted)
		}
		notes = append(notes, note)
		row := []cell{{Text: s.target, Heading: true}, {Text: figure.Number(n)}}
		for _, p := range percentiles {
			text := "–"
			if v, ok := h.Percentile(p); ok && n*(1-p/100) >= beyond {
				text = figure.Number(v)
			}
			row = append(row, cell{Text: text})
		}
		behind.Rows = append(behind.Rows, append(row, cell{Text: figure.Number(h.Buckets[len(h.Buckets)-1].Value)}))
	}
	for p, x := 0.0, 1.0; x <= slowest; x *= 10 {
		if p = 100 * (1 - 1/x); x == 1 {
			c.At = append(c.At, chart.Tick{At: 1, Text: "0"}, chart.Tick{At: 2, Text: "50"})
			continue
		}
		c.At = append(c.At, chart.Tick{At: x, Text: strconv.FormatFloat(p, 'f', max(0, int(math.Round(math.Log10(x)))-2), 64)})
	}
	behind.Caption += ", in " + line(unit)
	f := &picture{Caption: line(strings.TrimPrefix(where+": ", ": ") + "latency" + operation + ", " + unit + ", by percentile"), Key: key, Behind: behind,
		Note: line(strings.Join(notes, "; ")) + fmt.Sprintf(". A percentile is in the table where at least %d operations are slower.", beyond)}
	c.Label = f.label()
	f.draw = c.SVG
	return f
}

// curveOf a histogram: at each bucket the distance of its percentile to 100 %, as 1/(1-p); buckets that would lie on
// one another are left out. It ends at the slowest operation: flat from where the last bucket begins, which may have many.
func curveOf(h contract.Histogram, target string) (out []chart.Point) {
	n, seen, last := h.N(), int64(0), 0.0
	add := func(x, value float64) {
		title := fmt.Sprintf("%s, p%s: %s %s", target, percentileText(x), figure.Number(value), h.Unit)
		last, out = x, append(out, chart.Point{X: x, Y: value, Title: title})
	}
	for i, b := range h.Buckets {
		x := float64(n) / float64(n-seen) // of the first operation of the bucket
		seen += b.Count
		end := i == len(h.Buckets)-1
		if x >= last*1.01 && b.Count > 0 || end && b.Count > 1 {
			add(x, b.Value)
		}
		if end && last < float64(n) {
			add(float64(n), b.Value)
		}
	}
	return out
}

// percentileText of a distance to 100 %, with as many digits as it takes to tell it from 100: 99.9 for 1000.
func percentileText(x float64) string {
	const most = 9 // digits; a distance of 0 takes no end of them
	digits := math.Ceil(math.Log10(max(x, 1))) - 1
	return strconv.FormatFloat(100*(1-1/x), 'f', int(min(max(digits, 0), most)), 64)
}

package claims

import (
	"fmt"
	"math"
	"slices"

	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/show/report/chart"
)

// pictureWidth in CSS pixels.
const pictureWidth = 800

// Picture is a file beside the page.
type Picture struct{ File, SVG string }

// Pictures of the charts of the forms, against the first Source.Runs of the runs of one sample.
func (s Source) Pictures(forms []Laid, runs []Run) (out []Picture, err error) {
	runs = runs[:min(len(runs), s.Runs)]
	// A row has one colour in all charts of the source.
	colours := map[string]int{}
	for _, f := range forms {
		for _, row := range f.Rows {
			if head := f.heads(row)[0]; len(f.Charts) > 0 {
				if _, has := colours[head]; !has {
					colours[head] = len(colours)
				}
			}
		}
	}
	for _, f := range forms {
		f.colours = colours
		for _, c := range f.Charts {
			svg, err := f.picture(c, []half{printedHalf{}, measuredHalf{runs: runs, wanted: s.Runs}})
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.File, err)
			}
			out = append(out, Picture{File: c.File + ".svg", SVG: svg})
		}
	}
	return out, nil
}

// half of a chart: what it shows of each cell.
type half interface {
	// head of the half, what is said of a cell that has nothing there, and of a panel of such cells.
	words() (head, cell, panel string)
	// mark of a cell.
	mark(f Form, c Cell) (mark, error)
}

// mark of a cell: its value with its range, in a unit, and as text; without a value there is none.
type mark struct {
	value, low, high *float64
	unit, text       string
}

// printedHalf is what was published.
type printedHalf struct{}

func (printedHalf) words() (head, cell, panel string) {
	return "Published", "not published", "No number was published."
}

func (printedHalf) mark(f Form, c Cell) (mark, error) {
	number := c.Claim.Number
	if number.Value == nil {
		return mark{}, nil
	}
	m := mark{value: number.Value, unit: number.Unit, text: f.publishedOf(c)}
	switch {
	case c.Over != nil && c.Percent:
		m.value, m.unit = new(100*(c.Claim.Ratio-1)), "%"
	case c.Over != nil:
		m.value, m.unit = new(c.Claim.Ratio), "x"
	}
	return m, nil
}

// measuredHalf is what was measured, in runs of which the source wants so many.
type measuredHalf struct {
	runs   []Run
	wanted int
}

func (measuredHalf) words() (head, cell, panel string) {
	return "Measured here", "not measured here", "Nothing was measured here."
}

// mark with a range from the lowest to the highest of the runs, if there are two or more.
func (h measuredHalf) mark(f Form, c Cell) (mark, error) {
	all, err := c.of(h.runs)
	if err != nil || all.runs == 0 {
		return mark{}, err
	}
	m := mark{value: new(all.value), unit: all.unit}
	if m.text, err = f.measuredOf(c, h.runs, h.wanted); err != nil || all.runs == 1 {
		return m, err
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, run := range h.runs {
		one, err := c.of([]Run{run})
		if err != nil {
			return mark{}, err
		}
		if one.runs > 0 {
			low, high = min(low, one.value), max(high, one.value)
		}
	}
	m.low, m.high = &low, &high
	m.text += fmt.Sprintf(" (%s to %s)", figure.Number(low), figure.Number(high))
	return m, nil
}

// picture of a chart.
func (l Laid) picture(c Chart, halves []half) (string, error) {
	rows, columns, err := l.chosen(c)
	if err != nil {
		return "", err
	}
	sheet := chart.Sheet{Title: c.Heading}
	for _, h := range halves {
		head, _, _ := h.words()
		sheet.Heads = append(sheet.Heads, head)
	}
	for _, j := range columns {
		if c.Kind == Lines {
			sheet.Legend = append(sheet.Legend, l.Columns[j].Heads[0])
		}
	}
	for _, axis := range l.axes(rows, columns) {
		var panels []chart.Panel
		for _, h := range halves {
			draw := l.bars
			if c.Kind == Lines {
				draw = l.lines
			}
			panel, err := draw(area{axis: axis, rows: rows, columns: columns}, h)
			if err != nil {
				return "", err
			}
			panels = append(panels, panel)
		}
		sheet.Lines = append(sheet.Lines, panels)
	}
	return sheet.SVG(pictureWidth)
}

// axis of a cell: its unit. Cells of one axis share a panel.
func (p Part) axis() string {
	switch {
	case !p.ratio():
		return p.Unit
	case p.Percent:
		return "%"
	default:
		return "x"
	}
}

// axes of cells, in their order.
func (l Laid) axes(rows, columns []int) (out []string) {
	for _, i := range rows {
		for _, j := range columns {
			if axis := l.Cells[i][j].axis(); !slices.Contains(out, axis) {
				out = append(out, axis)
			}
		}
	}
	return out
}

// area of a form that a panel shows: the cells of one axis in these rows and columns.
type area struct {
	axis          string
	rows, columns []int
}

// bars of an area. They have the colours of their columns, and of one column those of its rows.
func (l Laid) bars(a area, h half) (chart.Panel, error) {
	_, absent, nothing := h.words()
	out, has := chart.Rows{Bars: true}, false
	for _, i := range a.rows {
		for k, j := range a.columns {
			c, row := l.Cells[i][j], l.heads(l.Rows[i])[0]
			if c.axis() != a.axis {
				continue
			}
			m, err := h.mark(l.Form, c)
			if err != nil {
				return chart.Panel{}, err
			}
			bar := chart.Row{Group: row, Label: l.Columns[j].Heads[0], Note: absent, Series: k, Mid: m.value, Low: m.low, High: m.high}
			switch {
			case len(a.columns) == 1:
				bar.Group, bar.Label, bar.Series = "", row, l.colours[row]
			case len(a.rows) == 1:
				bar.Group = ""
			}
			if m.value != nil {
				has, bar.Note, out.Unit = true, m.text, m.unit
			}
			bar.Title = bar.Label + ": " + bar.Note
			out.Rows = append(out.Rows, bar)
		}
	}
	if !has {
		return chart.Panel{Words: nothing}, nil
	}
	return chart.Panel{Chart: out}, nil
}

// lines of an area: points of one column are joined, also where one between them is absent.
func (l Laid) lines(a area, h half) (chart.Panel, error) {
	_, _, nothing := h.words()
	out, has, heads := chart.Lines{XUnit: l.Corner[0], LogX: true, Zero: true, Height: 220}, false, []string(nil)
	var whole chart.Line // of all places, so that both halves have the same
	for _, i := range a.rows {
		at, err := loadOf(l.heads(l.Rows[i])[0])
		if err != nil {
			return chart.Panel{}, err
		}
		out.At, whole.Points = append(out.At, chart.Tick{At: at, Text: chart.LoadText(at)}), append(whole.Points, chart.Point{X: at, Y: math.NaN()})
	}
	unit := a.axis
	for k, j := range a.columns {
		line := chart.Line{Series: k}
		for n, i := range a.rows {
			c := l.Cells[i][j]
			if c.axis() != a.axis {
				continue
			}
			if head := l.Columns[j].Heads[0]; !slices.Contains(heads, head) {
				heads = append(heads, head)
			}
			m, err := h.mark(l.Form, c)
			if err != nil {
				return chart.Panel{}, err
			}
			if m.value != nil {
				has, unit = true, m.unit
				line.Points = append(line.Points, chart.Point{X: out.At[n].At, Y: *m.value, Low: m.low, High: m.high, Title: m.text})
			}
		}
		out.Lines = append(out.Lines, line)
	}
	heading := unit
	if len(heads) == 1 {
		heading = heads[0] + ", " + unit
	}
	if !has {
		return chart.Panel{Heading: heading, Words: nothing}, nil
	}
	out.Lines = append(out.Lines, whole)
	return chart.Panel{Heading: heading, Chart: out}, nil
}

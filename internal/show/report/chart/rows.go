package chart

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Dot is one trial, or one point of a curve.
type Dot struct {
	// X is the place on the axis; rows do not use it.
	X float64
	// Y is the value.
	Y float64
	// Title is shown on hover.
	Title string
	// Open: the trial does not count.
	Open bool
}

// Row is one thing with its value and spread.
type Row struct {
	// Group stands above the first of the rows that have it; empty for none.
	Group string
	// Label stands above the marks, Note at the end of that line; or below it, behind Word, in a row that has one.
	Label, Note string
	// Word is what is said of the row, such as a verdict; empty for none.
	Word string
	// Title is shown when the mark of Mid is pointed at.
	Title string
	// Series is the colour, from 0.
	Series int
	// Mid is the median or the ratio, Low and High its interval or range; nil where unknown.
	Mid, Low, High *float64
	// Dots are all trials.
	Dots []Dot
}

// Rows is a chart of rows over one axis.
type Rows struct {
	// Label is what a screen reader says, Unit what stands below the axis.
	Label, Unit string
	// Rows from above.
	Rows []Row
	// Bars draws a bar from 0 to Mid, and has 0 on the axis.
	Bars bool
	// Log is a logarithmic axis, as ratios have; all numbers must be positive.
	Log bool
	// Turned has the smallest numbers at the right.
	Turned bool
	// Differences are ticks in percent: of ratios, all near 1.
	Differences bool
	// Reference is a line over all rows, such as the ratio 1. Band is shaded in all rows: what is too small to matter.
	Reference *float64
	Band      *Span
}

// Sizes in CSS pixels.
const (
	rowHeight   vg.Length = 38
	groupHeight vg.Length = 28 // of the name of a group
	wordHeight  vg.Length = 16 // of the line of a word
	markAt      vg.Length = 11 // from the bottom of a row
	textAt      vg.Length = 24
	dotRadius   float64   = 3
)

// ErrEmpty is for a chart without a number that can be drawn.
var ErrEmpty = errors.New("there is nothing to draw")

// SVG of the chart, as wide as asked for. It fails for rows without any number.
func (r Rows) SVG(width int) (string, error) {
	c, err := r.on(width)
	if err != nil {
		return "", err
	}
	return c.svg(r.Label)
}

func (r Rows) on(width int) (*canvas, error) {
	r.Rows = slices.Clone(r.Rows)
	for i := range r.Rows { // no scale is asked for a number that has no place on it
		r.Rows[i].Dots = slices.DeleteFunc(slices.Clone(r.Rows[i].Dots), func(d Dot) bool { return !drawable(d.Y, r.Log) })
	}
	low, high, err := r.bounds()
	if err != nil {
		return nil, err
	}
	p := newPlot()
	p.HideY()
	p.X.Min, p.X.Max = low, high
	p.X.Label.Text = fit(textStyle(p, Muted), r.Unit, vg.Length(width)-60)
	p.X.Tick.Marker = plot.TickerFunc(ticks)
	if r.Log {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(decades)
	}
	if r.Differences {
		p.X.Tick.Marker = plot.TickerFunc(differences)
	}
	if r.Turned {
		p.X.Scale = plot.InvertedScale{Normalizer: p.X.Scale}
	}
	p.Y.Min, p.Y.Max = 0, float64(len(r.Rows))
	c := newCanvas(vg.Length(width), r.height()+46)
	p.Add(marks(func(area draw.Canvas, p *plot.Plot) { r.draw(c, area, p) }))
	p.Draw(draw.Crop(draw.New(c), 6, -14, 2, -4))
	return c, c.err
}

// begins says whether a group begins with the row.
func (r Rows) begins(i int) bool {
	return r.Rows[i].Group != "" && (i == 0 || r.Rows[i].Group != r.Rows[i-1].Group)
}

// height of a row.
func (r Row) height() vg.Length {
	if r.Word != "" {
		return rowHeight + wordHeight
	}
	return rowHeight
}

// height of all rows and groups.
func (r Rows) height() (h vg.Length) {
	for i := range r.Rows {
		if h += r.Rows[i].height(); r.begins(i) {
			h += groupHeight
		}
	}
	return h
}

// bounds of the axis, with some air.
func (r Rows) bounds() (low, high float64, err error) {
	axis := noBounds()
	for _, row := range r.Rows {
		for _, v := range []*float64{row.Mid, row.Low, row.High} {
			if v != nil {
				axis.see(*v, r.Log)
			}
		}
		for _, d := range row.Dots {
			axis.see(d.Y, r.Log)
		}
	}
	if math.IsInf(axis.low, 0) {
		return 0, 0, ErrEmpty
	}
	if r.Reference != nil {
		axis.see(*r.Reference, r.Log)
	}
	if r.Band != nil {
		axis.see(r.Band.From, r.Log)
		axis.see(r.Band.To, r.Log)
	}
	if r.Bars {
		axis.see(0, r.Log)
	}
	low, high = widened(axis.low, axis.high, r.Log)
	if r.Bars && axis.low >= 0 {
		low = 0
	}
	return low, high, nil
}

// draw the rows.
func (r Rows) draw(c *canvas, area draw.Canvas, p *plot.Plot) {
	x := func(v float64) vg.Length { return area.X(p.X.Norm(v)) }
	rule := draw.LineStyle{Color: Rule, Width: 1}
	bottom := area.Max.Y
	for i, row := range r.Rows {
		if i > 0 && (row.Group == "" || r.begins(i)) {
			area.StrokeLine2(draw.LineStyle{Color: Shade, Width: 1}, area.Min.X, bottom, area.Max.X, bottom)
		}
		if r.begins(i) {
			style := textStyle(p, Ink)
			style.Font.Weight = bold
			bottom -= groupHeight
			area.FillText(style, vg.Point{X: area.Min.X, Y: bottom + 6}, fit(style, row.Group, area.Max.X-area.Min.X))
		}
		bottom -= row.height()
		// Below the words of the row, so that nothing runs through a number.
		if b := r.Band; b != nil && r.has(&b.From) && r.has(&b.To) {
			from, to, top := x(b.From), x(b.To), bottom+textAt-4
			area.FillPolygon(Rule, []vg.Point{{X: from, Y: bottom}, {X: to, Y: bottom}, {X: to, Y: top}, {X: from, Y: top}})
		}
		if r.has(r.Reference) {
			at := x(*r.Reference)
			area.StrokeLine2(draw.LineStyle{Color: Muted, Width: 1, Dashes: []vg.Length{3, 3}}, at, bottom, at, bottom+textAt-4)
		}
		r.words(area, p, row, bottom+textAt)
		y, role := bottom+markAt, seriesRole(row.Series)
		if r.Bars && r.has(row.Mid) {
			c.titled(pale, row.Title, func() {
				area.FillPolygon(role, []vg.Point{{X: x(0), Y: y - 6}, {X: x(*row.Mid), Y: y - 6}, {X: x(*row.Mid), Y: y + 6}, {X: x(0), Y: y + 6}})
			})
		} else if len(row.Dots) > 0 {
			area.StrokeLine2(rule, area.Min.X, y, area.Max.X, y)
		}
		r.marks(area, c, row, y, x)
	}
}

// has says whether a number is there and can be drawn.
func (r Rows) has(v *float64) bool { return v != nil && drawable(*v, r.Log) }

// words above the marks of a row: in one line, or in two where something is said of it.
func (r Rows) words(area draw.Canvas, p *plot.Plot, row Row, y vg.Length) {
	style, note := textStyle(p, Ink), textStyle(p, Muted)
	width, end := area.Max.X-area.Min.X, note.Width(row.Note)*wider
	at, most := area.Max.X-end, width-end-8
	if row.Word != "" {
		word := textStyle(p, seriesRole(row.Series))
		word.Font.Weight = bold
		area.FillText(word, vg.Point{X: area.Min.X, Y: y}, row.Word)
		at, most = area.Min.X+word.Width(row.Word)*wider+8, width
		row.Note = fit(note, row.Note, area.Max.X-at)
	}
	area.FillText(note, vg.Point{X: at, Y: y}, row.Note)
	area.FillText(style, vg.Point{X: area.Min.X, Y: y + row.height() - rowHeight}, fit(style, row.Label, most))
}

// marks of a row: the interval, the trials on it, and what is in the middle.
func (r Rows) marks(area draw.Canvas, c *canvas, row Row, y vg.Length, x func(float64) vg.Length) {
	role := seriesRole(row.Series)
	c.titled(plain, row.Title, func() {
		if !r.has(row.Low) || !r.has(row.High) {
			return
		}
		style := draw.LineStyle{Color: role, Width: 1.5}
		area.StrokeLine2(style, x(*row.Low), y, x(*row.High), y)
		for _, end := range []vg.Length{x(*row.Low), x(*row.High)} {
			area.StrokeLine2(style, end, y-4, end, y+4)
		}
	})
	places := stack(row.Dots, x)
	for i, d := range row.Dots {
		c.dot(d, vg.Point{X: x(d.Y), Y: y + places[i]}, dotRadius, role)
	}
	if r.has(row.Mid) && !r.Bars {
		c.titled(plain, row.Title, func() {
			area.StrokeLine2(draw.LineStyle{Color: role, Width: 3}, x(*row.Mid), y-8, x(*row.Mid), y+8)
		})
	}
}

// stack puts dots that would cover one another above and below the line, at most as high as the row.
func stack(dots []Dot, x func(float64) vg.Length) []vg.Length {
	out, taken := make([]vg.Length, len(dots)), map[int]int{}
	for i, d := range dots {
		column := int(x(d.Y) / 4)
		n := taken[column]
		taken[column]++
		step := vg.Length((n%7+1)/2) * 2.6 // 0, 1, 1, 2, 2, 3, 3
		if n%2 == 0 {
			step = -step
		}
		out[i] = step
	}
	return out
}

package chart

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/assay-bench/assay/internal/mathematics/figure"
)

// Line is a curve.
type Line struct {
	// Series is the colour, from 0.
	Series int
	// Points are joined in their order, Low and High is the spread of each where it has one.
	Points []Point
	// Dots are trials around it.
	Dots []Dot
	// Plain has no marks at its points, as a time series.
	Plain bool
}

// Point of a curve. A value that is not a number interrupts it.
type Point struct {
	X, Y      float64
	Low, High *float64
	Title     string
}

// Span is a shaded part of the x axis.
type Span struct{ From, To float64 }

// Mark is a place on the x axis: a knee, a stall.
type Mark struct {
	At float64
	// Title is shown on hover, Text beside the line; both may be empty.
	Title, Text string
	// Series is the colour, from 0; -1 is that of a warning.
	Series int
}

// Lines is a chart of curves.
type Lines struct {
	// Label is what a screen reader says, XUnit what stands below the axis.
	Label, XUnit string
	Lines        []Line
	// At are the places of the x axis that have a tick; without them, round numbers.
	At []Tick
	// LogX and LogY are logarithmic axes, with positive numbers.
	LogX, LogY bool
	// Zero has 0 on the y axis.
	Zero bool
	// Height in CSS pixels.
	Height int
	Spans  []Span
	Marks  []Mark
}

// Tick is a place on the x axis with its words.
type Tick struct {
	At   float64
	Text string
}

// SVG of the chart, as wide as asked for. It fails for lines without any number.
func (l Lines) SVG(width int) (string, error) {
	c, err := l.on(width)
	if err != nil {
		return "", err
	}
	return c.svg(l.Label)
}

func (l Lines) on(width int) (*canvas, error) {
	p := newPlot()
	x, y := l.bounds()
	if math.IsInf(x.low, 0) || math.IsInf(y.low, 0) {
		return nil, ErrEmpty
	}
	p.X.Min, p.X.Max = widened(x.low, x.high, l.LogX)
	p.Y.Min, p.Y.Max = widened(y.low, y.high, l.LogY)
	if l.Zero && !l.LogY && p.Y.Min < 0 && y.low >= 0 {
		p.Y.Min = 0
	}
	p.X.Label.Text = fit(textStyle(p, Muted), l.XUnit, vg.Length(width)-120)
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.TickerFunc(ticks), plot.TickerFunc(ticks)
	if l.LogX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(decades)
	}
	if l.LogY {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(decades)
	}
	if len(l.At) > 0 {
		p.X.Tick.Marker = l.apart(p, vg.Length(width)-60)
	}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal = nil, draw.LineStyle{Color: Shade, Width: 1}
	c := newCanvas(vg.Length(width), vg.Length(max(l.Height, 120)))
	p.Add(marks(l.shades), grid, marks(func(area draw.Canvas, p *plot.Plot) { l.draw(c, area, p) }))
	p.Draw(draw.Crop(draw.New(c), 2, -14, 2, -14))
	return c, c.err
}

func (l Lines) bounds() (x, y bounds) {
	x, y = noBounds(), noBounds()
	for _, line := range l.Lines {
		for _, pt := range line.Points {
			x.see(pt.X, l.LogX)
			y.see(pt.Y, l.LogY)
			for _, v := range []*float64{pt.Low, pt.High} {
				if v != nil {
					y.see(*v, l.LogY)
				}
			}
		}
		for _, d := range line.Dots {
			x.see(d.X, l.LogX)
			y.see(d.Y, l.LogY)
		}
	}
	for _, s := range l.Spans {
		x.see(s.From, l.LogX)
		x.see(s.To, l.LogX)
	}
	if l.Zero && !l.LogY {
		y.see(0, false)
	}
	return x, y
}

// apart are the ticks whose words do not cover one another.
func (l Lines) apart(p *plot.Plot, width vg.Length) plot.ConstantTicks {
	style, last, out := textStyle(p, Muted), vg.Length(-1000), plot.ConstantTicks{}
	for _, t := range l.At {
		if !l.drawn(t.At, 1) || t.At < p.X.Min || t.At > p.X.Max {
			continue
		}
		at, half := width*vg.Length(p.X.Norm(t.At)), style.Width(t.Text)*wider/2
		if at-half < last+6 {
			continue
		}
		out, last = append(out, plot.Tick{Value: t.At, Label: t.Text}), at+half
	}
	return out
}

// shades draws spans behind everything.
func (l Lines) shades(area draw.Canvas, p *plot.Plot) {
	for _, span := range l.Spans {
		if !l.drawn(span.From, 1) || !l.drawn(span.To, 1) {
			continue
		}
		from, to := area.X(p.X.Norm(span.From)), area.X(p.X.Norm(span.To))
		area.FillPolygon(Shade, area.ClipPolygonX([]vg.Point{
			{X: from, Y: area.Min.Y}, {X: to, Y: area.Min.Y}, {X: to, Y: area.Max.Y}, {X: from, Y: area.Max.Y}}))
	}
}

// draw curves, trials and marks.
func (l Lines) draw(c *canvas, area draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&area)
	shown := slices.DeleteFunc(slices.Clone(l.Marks), func(m Mark) bool { return !l.drawn(m.At, 1) || m.At < p.X.Min || m.At > p.X.Max })
	for _, mark := range shown {
		mark.line(area, c, x(mark.At))
	}
	for _, line := range l.Lines {
		role := seriesRole(line.Series)
		for _, d := range line.Dots {
			if l.drawn(d.X, d.Y) {
				c.dot(d, vg.Point{X: x(d.X), Y: y(d.Y)}, dotRadius-0.4, role)
			}
		}
		var path []vg.Point
		flush := func() {
			if len(path) > 1 {
				area.StrokeLines(draw.LineStyle{Color: role, Width: 1.75}, path)
			}
			path = nil
		}
		for _, pt := range line.Points {
			if !l.drawn(pt.X, pt.Y) {
				flush()
				continue
			}
			path = append(path, vg.Point{X: x(pt.X), Y: y(pt.Y)})
		}
		flush()
		if line.Plain {
			l.targets(c, line, x, y)
		} else {
			l.spread(area, c, line, role, x, y)
		}
	}
	for i, mark := range shown { // above what they stand on
		mark.words(area, p, x(mark.At), i)
	}
}

// mostTargets of a line without marks can be pointed at: more of them would be closer than a hand can point.
const mostTargets = 60

// targets are places of a line without marks that say what is there, evenly spread over its points.
func (l Lines) targets(c *canvas, line Line, x, y func(float64) vg.Length) {
	step := (len(line.Points) + mostTargets - 1) / mostTargets
	for i := 0; i < len(line.Points); i += step {
		if pt := line.Points[i]; pt.Title != "" && l.drawn(pt.X, pt.Y) {
			target(c, pt.Title, vg.Point{X: x(pt.X), Y: y(pt.Y)})
		}
	}
}

// drawn says whether a point has a place.
func (l Lines) drawn(x, y float64) bool { return drawable(x, l.LogX) && drawable(y, l.LogY) }

// spread of the points of a line, and something to point at.
func (l Lines) spread(area draw.Canvas, c *canvas, line Line, role Role, x, y func(float64) vg.Length) {
	for _, pt := range line.Points {
		if !l.drawn(pt.X, pt.Y) {
			continue
		}
		at := x(pt.X)
		if pt.Low != nil && pt.High != nil && l.drawn(pt.X, *pt.Low) && l.drawn(pt.X, *pt.High) {
			style := draw.LineStyle{Color: role, Width: 1.5}
			low, high := y(*pt.Low), y(*pt.High)
			area.StrokeLine2(style, at, low, at, high)
			area.StrokeLine2(style, at-3, low, at+3, low)
			area.StrokeLine2(style, at-3, high, at+3, high)
		}
		c.dot(Dot{Title: pt.Title}, vg.Point{X: at, Y: y(pt.Y)}, 3.6, role)
	}
}

// line of a mark, over the height.
func (m Mark) line(area draw.Canvas, c *canvas, at vg.Length) {
	role := Warn
	if m.Series >= 0 {
		role = seriesRole(m.Series)
	}
	c.titled(plain, m.Title, func() {
		area.StrokeLine2(draw.LineStyle{Color: role, Width: 1.25, Dashes: []vg.Length{4, 3}}, at, area.Min.Y, at, area.Max.Y)
	})
}

// words of a mark stand beside its line; those of several marks stand above one another.
func (m Mark) words(area draw.Canvas, p *plot.Plot, at vg.Length, i int) {
	if m.Text == "" {
		return
	}
	style := textStyle(p, Muted)
	text, from := fit(style, m.Text, area.Max.X-area.Min.X), at+4
	if width := style.Width(text) * wider; from+width > area.Max.X {
		from = at - 4 - width
	}
	area.FillText(style, vg.Point{X: max(from, area.Min.X), Y: area.Min.Y + 4 + vg.Length(i%6)*15}, text)
}

// LoadText is a load as people write it.
func LoadText(v float64) string { return figure.Grouped(strconv.FormatFloat(v, 'f', -1, 64)) }

package chart

import (
	"math"
	"regexp"
	"sort"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
)

// Widths of a chart, in CSS pixels: that of the page's column, and that of a phone.
const (
	Wide   = 720
	Narrow = 340
)

// size of all texts, in CSS pixels.
const size vg.Length = 12

// newPlot has no background, quiet axes, and no range yet.
func newPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.LineStyle = draw.LineStyle{Color: Rule, Width: 1}
		a.Tick.LineStyle = a.LineStyle
		a.Tick.Length = 4
		a.Tick.Label.Font, a.Tick.Label.Color = face(), Muted
		a.Label.TextStyle.Font, a.Label.TextStyle.Color = face(), Muted
		a.Label.Padding = 4
		a.Padding = 0
	}
	return p
}

// face is a font as wide as Arial and Helvetica.
func face() font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// biggest number that is drawn. A tool can print any number, and scales and ticks of the largest ones do not end.
const biggest = 1e100

// drawable says whether a number has a place on an axis.
func drawable(v float64, log bool) bool {
	return math.Abs(v) <= biggest && !(log && v < 1/biggest) // false for what is no number
}

// widened by a twentieth on both sides; a range of one number, or of next to nothing, becomes one around it.
func widened(low, high float64, log bool) (float64, float64) {
	if log {
		l, h := widened(math.Log(low), math.Log(high), false)
		return math.Exp(l), math.Exp(h)
	}
	if most := max(math.Abs(low), math.Abs(high)); high-low <= most*1e-9 {
		air := most / 10
		if air == 0 {
			air = 1
		}
		return low - air, high + air
	}
	air := (high - low) / 20
	return low - air, high + air
}

// bounds of the numbers of an axis.
type bounds struct{ low, high float64 }

func noBounds() bounds { return bounds{math.Inf(1), math.Inf(-1)} }

func (b *bounds) see(v float64, log bool) {
	if drawable(v, log) {
		b.low, b.high = min(b.low, v), max(b.high, v)
	}
}

// marks is a plot.Plotter.
type marks func(area draw.Canvas, p *plot.Plot)

// Plot draws them.
func (m marks) Plot(area draw.Canvas, p *plot.Plot) { m(area, p) }

// bold is the weight of names of groups.
const bold = xfont.WeightBold

// textStyle begins at the left, on the baseline.
func textStyle(p *plot.Plot, role Role) draw.TextStyle {
	return draw.TextStyle{Color: role, Font: face(), Handler: p.TextHandler, XAlign: draw.XLeft, YAlign: draw.YBottom}
}

// wider is how much wider than Arial the font of a page may be: DejaVu Sans is one of the widest.
const wider = 1.17

// fit shortens a text to a width.
func fit(style draw.TextStyle, text string, width vg.Length) string {
	text = contract.Line(text)
	width /= wider
	if style.Width(text) <= width {
		return text
	}
	runes := []rune(text)
	most := sort.Search(len(runes), func(n int) bool { return style.Width(string(runes[:n+1])+"…") > width })
	return string(runes[:most]) + "…"
}

// ticks of a linear range are a few round numbers, written as in the tables.
func ticks(low, high float64) []plot.Tick { return relabel(plot.DefaultTicks{}.Ticks(low, high)) }

// decades are the powers of ten of a logarithmic range; in one of less than two decades, round numbers.
func decades(low, high float64) []plot.Tick {
	if high/low < 30 {
		return ticks(low, high)
	}
	var out []plot.Tick
	step := max(1, math.Ceil(math.Log10(high/low)/12)) // decades between two ticks
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e += step {
		out = append(out, plot.Tick{Value: math.Pow(10, e), Label: figure.Number(math.Pow(10, e))})
		for _, between := range []float64{2, 5} {
			v, label := between*math.Pow(10, e), ""
			if high/low < 1000 {
				label = figure.Number(v)
			}
			out = append(out, plot.Tick{Value: v, Label: label})
		}
	}
	return out
}

// differences are ticks of ratios near 1, in percent.
func differences(low, high float64) (out []plot.Tick) {
	for _, t := range (plot.DefaultTicks{}).Ticks(100*(low-1), 100*(high-1)) {
		if t.IsMinor() {
			continue
		}
		label := figure.Number(t.Value) + " %"
		if t.Value > 0 {
			label = "+" + label
		}
		out = append(out, plot.Tick{Value: 1 + t.Value/100, Label: label})
	}
	return out
}

// whole numbers have zeros behind the point where another tick has digits there.
var whole = regexp.MustCompile(`\.0+$`)

// relabel keeps the ticks without the minor ones, with grouped numbers.
func relabel(all []plot.Tick) (out []plot.Tick) {
	for _, t := range all {
		if t.IsMinor() {
			continue
		}
		out = append(out, plot.Tick{Value: t.Value, Label: figure.Grouped(whole.ReplaceAllString(t.Label, ""))})
	}
	return out
}

// seriesRole is the colour of a series.
func seriesRole(i int) Role { return SeriesColor + Role(((i%SeriesCount)+SeriesCount)%SeriesCount) }

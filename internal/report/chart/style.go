package chart

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/assay-bench/assay/internal/contract"
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
	low, high := 0, len(runes)
	for low < high { // the longest beginning that fits
		mid := (low + high + 1) / 2
		if style.Width(string(runes[:mid])+"…") <= width {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return string(runes[:low]) + "…"
}

// ticks of a linear range, with numbers as in the tables.
type ticks struct{}

// Ticks are a few round numbers.
func (ticks) Ticks(low, high float64) []plot.Tick {
	return relabel(plot.DefaultTicks{}.Ticks(low, high))
}

// decades are the powers of ten of a logarithmic range.
type decades struct{}

// Ticks are the powers of ten; in a range of less than two decades, round numbers.
func (decades) Ticks(low, high float64) []plot.Tick {
	if high/low < 30 {
		return relabel(plot.DefaultTicks{}.Ticks(low, high))
	}
	var out []plot.Tick
	step := max(1, math.Ceil(math.Log10(high/low)/12)) // decades between two ticks
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e += step {
		out = append(out, plot.Tick{Value: math.Pow(10, e), Label: Figure(math.Pow(10, e))})
		for _, between := range []float64{2, 5} {
			v, label := between*math.Pow(10, e), ""
			if high/low < 1000 {
				label = Figure(v)
			}
			out = append(out, plot.Tick{Value: v, Label: label})
		}
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
		out = append(out, plot.Tick{Value: t.Value, Label: group(whole.ReplaceAllString(t.Label, ""))})
	}
	return out
}

// Figure is a number with at most four significant digits, all digits before the point, and groups of three: 12,345 or 0.1235.
func Figure(v float64) string {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	digits := 3 - int(math.Floor(math.Log10(math.Abs(v))))
	if digits > 9 || digits < -14 {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	text := strconv.FormatFloat(v, 'f', max(0, digits), 64)
	if strings.Contains(text, ".") { // a tool that prints 0.03 did not measure 0.03000
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return group(text)
}

// Short is a number with two significant digits, and all digits before the point.
func Short(v float64) string {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return Figure(v)
	}
	unit := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-1)
	if unit >= 1 {
		return Figure(math.Round(v))
	}
	return Figure(math.Round(v/unit) * unit)
}

// Grouped is the text of a number with its digits before the point in groups of three.
func Grouped(text string) string { return group(text) }

// group the digits before the point by three.
func group(text string) string {
	if strings.ContainsAny(text, "eE") {
		return text
	}
	whole, fraction, _ := strings.Cut(text, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "−", whole[1:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return sign + whole
}

// seriesRole is the colour of a series.
func seriesRole(i int) Role { return SeriesColor + Role(((i%SeriesCount)+SeriesCount)%SeriesCount) }

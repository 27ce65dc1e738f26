package chart

import (
	"bytes"
	"errors"
	"html"
	"image"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Role is a colour by its use. The page gives each role its value: .f0 and .k0 are fill and stroke of the first one.
type Role uint8

// Roles of colours. Series begin at SeriesColor, and there are SeriesCount of them.
const (
	Ink Role = iota
	Muted
	Rule
	Shade
	Warn
	Paper
	SeriesColor
)

// SeriesCount is the number of colours for series; a chart with more series uses them again.
const SeriesCount = 8

// RGBA makes a role a color.Color for plot, which hands it on and never looks inside.
func (Role) RGBA() (r, g, b, a uint32) { return color.Black.RGBA() }

// errImage is for a picture that SVG text cannot hold.
var errImage = errors.New("a chart has no raster images")

// canvas writes what plot draws as SVG. Its origin is at the bottom left, that of SVG at the top left.
type canvas struct {
	out           bytes.Buffer
	width, height vg.Length
	state         state
	saved         []state
	err           error
}

// state is what Push saves.
type state struct {
	role   string
	line   vg.Length
	dashes []vg.Length
	groups int // elements that transforms have opened
}

func newCanvas(width, height vg.Length) *canvas {
	c := &canvas{width: width, height: height}
	vg.Initialize(c)
	return c
}

var _ vg.CanvasSizer = (*canvas)(nil)

func (c *canvas) Size() (w, h vg.Length)                 { return c.width, c.height }
func (c *canvas) SetLineWidth(w vg.Length)               { c.state.line = w }
func (c *canvas) SetLineDash(d []vg.Length, _ vg.Length) { c.state.dashes = d }

// SetColor takes a Role; everything else is ink.
func (c *canvas) SetColor(clr color.Color) {
	role, ok := clr.(Role)
	if !ok {
		role = Ink
	}
	c.state.role = strconv.Itoa(int(role))
}

func (c *canvas) Rotate(rad float64) {
	c.group("rotate(", number(-rad*180/math.Pi), ",0,", c.y(0), ")")
}
func (c *canvas) Translate(p vg.Point) {
	c.group("translate(", number(float64(p.X)), ",", number(-float64(p.Y)), ")")
}
func (c *canvas) Scale(x, y float64) { c.group("scale(", number(x), ",", number(y), ")") }

func (c *canvas) group(words ...string) {
	c.out.WriteString(`<g transform="`)
	for _, w := range words {
		c.out.WriteString(w)
	}
	c.out.WriteString(`">`)
	c.state.groups++
}

func (c *canvas) Push() {
	c.saved = append(c.saved, c.state)
	c.state.groups = 0
}

func (c *canvas) Pop() {
	for range c.state.groups {
		c.out.WriteString("</g>")
	}
	c.state, c.saved = c.saved[len(c.saved)-1], c.saved[:len(c.saved)-1]
}

// DrawImage is refused: svg returns the error.
func (c *canvas) DrawImage(vg.Rectangle, image.Image) { c.err = errImage }

func (c *canvas) Stroke(p vg.Path) {
	if c.state.line <= 0 {
		return
	}
	c.out.WriteString(`<path class="k` + c.state.role + `" stroke-width="` + number(float64(c.state.line)))
	if len(c.state.dashes) > 0 {
		c.out.WriteString(`" stroke-dasharray="`)
		for i, d := range c.state.dashes {
			if i > 0 {
				c.out.WriteByte(' ')
			}
			c.out.WriteString(number(float64(d)))
		}
	}
	c.out.WriteString(`" d="`)
	c.path(p)
	c.out.WriteString(`"/>`)
}

func (c *canvas) Fill(p vg.Path) {
	c.out.WriteString(`<path class="f` + c.state.role + `" d="`)
	c.path(p)
	c.out.WriteString(`"/>`)
}

// path as the value of the attribute d. Charts have no arcs: points are circles of their own.
func (c *canvas) path(p vg.Path) {
	for _, comp := range p {
		switch comp.Type {
		case vg.MoveComp:
			c.to('M', comp.Pos)
		case vg.LineComp:
			c.to('L', comp.Pos)
		case vg.CurveComp:
			for i, ctl := range comp.Control {
				c.to([]byte{"QC"[len(comp.Control)-1], ' '}[min(i, 1)], ctl)
			}
			c.to(' ', comp.Pos)
		case vg.CloseComp:
			c.out.WriteByte('Z')
		case vg.ArcComp:
			c.err = errors.New("a chart has no arcs in its paths")
		}
	}
}

func (c *canvas) to(command byte, p vg.Point) {
	c.out.WriteByte(command)
	c.out.WriteString(number(float64(p.X)))
	c.out.WriteByte(' ')
	c.out.WriteString(c.y(p.Y))
}

func (c *canvas) y(y vg.Length) string { return number(float64(c.height - y)) }

// FillString keeps the text as text. Its width was measured in a font that is about as wide as the page's.
func (c *canvas) FillString(f font.Face, p vg.Point, text string) {
	weight := ""
	if f.Font.Weight == bold {
		weight = `" font-weight="600`
	}
	c.out.WriteString(`<text class="f` + c.state.role + `" x="` + number(float64(p.X)) + `" y="` + c.y(p.Y) +
		`" font-size="` + number(f.Font.Size.Points()) + weight + `">` + escape(text) + `</text>`)
}

// Classes of groups: pale is what other marks lie on.
const plain, pale = "m", "b"

// titled draws something that says what it is when it is pointed at.
func (c *canvas) titled(class, title string, draw func()) {
	c.out.WriteString(`<g class="` + class + `"><title>` + escape(title) + `</title>`)
	draw()
	c.out.WriteString(`</g>`)
}

// dot draws a trial: a disc, or a ring where the trial does not count.
func (c *canvas) dot(d Dot, p vg.Point, radius float64, role Role) {
	class := "d f"
	if d.Open {
		class = "d o k"
	}
	c.out.WriteString(`<circle class="` + class + strconv.Itoa(int(role)) + `" cx="` + number(float64(p.X)) + `" cy="` + c.y(p.Y) +
		`" r="` + number(radius) + `">`)
	if d.Title != "" {
		c.out.WriteString(`<title>` + escape(d.Title) + `</title>`)
	}
	c.out.WriteString(`</circle>`)
}

// target is a disc that nobody sees, and that says what is there when it is pointed at.
func target(c *canvas, title string, p vg.Point) {
	c.out.WriteString(`<circle fill="transparent" cx="` + number(float64(p.X)) + `" cy="` + c.y(p.Y) + `" r="5"><title>` + escape(title) + `</title></circle>`)
}

// svg is the element with everything that was drawn. The label is what a screen reader says instead of it.
func (c *canvas) svg(label string) (string, error) {
	if c.err != nil {
		return "", c.err
	}
	return `<svg role="img" aria-label="` + escape(label) + `" viewBox="0 0 ` + number(float64(c.width)) + ` ` +
		number(float64(c.height)) + `" width="` + number(float64(c.width)) + `">` + c.out.String() + `</svg>`, nil
}

// escape a text for SVG. Characters that turn the direction of writing round, or that XML does not have, are
// replaced.
func escape(text string) string { return html.EscapeString(contract.Line(text)) }

// number with a tenth of a pixel, which is finer than a screen.
func number(v float64) string {
	v = math.Round(v*10) / 10
	if math.IsNaN(v) || math.IsInf(v, 0) || v == 0 {
		return "0"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

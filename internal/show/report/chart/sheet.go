package chart

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot/vg"
)

// Drawing is a chart that a sheet can hold: Rows or Lines.
type Drawing interface {
	// on a canvas as wide as asked for. It fails with ErrEmpty without any number.
	on(width int) (*canvas, error)
}

// Sheet is an SVG file of its own: panels in lines and columns, with a background and colours for light and for dark.
type Sheet struct {
	// Title stands above, and is what a screen reader says.
	Title string
	// Legend names the series, from 0; empty for none.
	Legend []string
	// Heads of the columns.
	Heads []string
	// Lines of panels from above, each with one for each head.
	Lines [][]Panel
}

// Panel is a chart, or words in its place.
type Panel struct {
	// Heading above the chart, such as its unit; empty for none.
	Heading string
	// Chart, and the Words that stand in its place where there is none.
	Chart Drawing
	Words string
}

// Sizes of a sheet in CSS pixels.
const (
	edge     = 16.0 // around a sheet, and between its columns
	lineStep = 22.0 // of a line of text
	between  = 12.0 // lines of panels
	noChart  = 40.0 // is as high as the words in its place
)

// SVG file, as wide as asked for.
func (s Sheet) SVG(width int) (string, error) {
	columns := float64(len(s.Heads))
	each := (float64(width) - edge*(columns+1)) / columns
	if len(s.Heads) == 0 || each < 1 {
		return "", fmt.Errorf("%d columns in %d pixels", len(s.Heads), width)
	}
	var b strings.Builder
	y := edge + 8
	write(&b, edge, y, Ink, s.Title, float64(width)-2*edge, true)
	if len(s.Legend) > 0 {
		y += lineStep
		s.legend(&b, y, float64(width)-edge)
	}
	y += lineStep
	for i, head := range s.Heads {
		write(&b, edge+float64(i)*(each+edge), y, Muted, head, each, true)
	}
	y += between
	for _, line := range s.Lines {
		highest := 0.0
		for i, p := range line {
			height, err := p.draw(&b, edge+float64(i)*(each+edge), y, each)
			if err != nil {
				return "", err
			}
			highest = max(highest, height)
		}
		y += highest + between
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="%s" viewBox="0 0 %d %s" width="%d" height="%s">`+"\n<style>\n%s</style>\n"+
		`<rect class="f%d" width="100%%" height="100%%"/>`+"\n%s</svg>\n", escape(s.Title), width, number(y), width, number(y), fileStyle(), Paper, b.String()), nil
}

// legend of the series in one line, as far as there is room.
func (s Sheet) legend(b *strings.Builder, y, end float64) {
	style, x := textStyle(newPlot(), Ink), edge
	for i, name := range s.Legend {
		fmt.Fprintf(b, `<path class="f%d" d="M%s %sh10v10h-10Z"/>`+"\n", seriesRole(i), number(x), number(y-9.5))
		write(b, x+15, y, Ink, name, end-x-15, false)
		x += 15 + float64(style.Width(name))*wider + edge
	}
}

// draw a panel at its top left corner. It says how high it is.
func (p Panel) draw(b *strings.Builder, x, y, width float64) (height float64, err error) {
	if p.Heading != "" {
		height = lineStep
		write(b, x, y+14, Ink, p.Heading, width, false)
	}
	if p.Chart == nil {
		write(b, x, y+height+24, Muted, p.Words, width, false)
		return height + noChart, nil
	}
	c, err := p.Chart.on(int(width))
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(b, `<g transform="translate(%s,%s)">%s</g>`+"\n", number(x), number(y+height), c.out.String())
	return height + float64(c.height), nil
}

// write a line of text, shortened to a width.
func write(b *strings.Builder, x, y float64, role Role, text string, width float64, heavy bool) {
	style, weight := textStyle(newPlot(), role), ""
	if heavy {
		style.Font.Weight, weight = bold, ` font-weight="600"`
	}
	fmt.Fprintf(b, `<text class="f%d" x="%s" y="%s" font-size="%s"%s>%s</text>`+"\n", role, number(x), number(y), number(float64(size)), weight, escape(fit(style, text, vg.Length(width))))
}

// Colours of the roles, in their order, as page.css has them.
var (
	light = [...]string{"#1b1d21", "#5a6069", "#c9cdd3", "#eef0f3", "#b3261e", "#fff", "#0b5fa5", "#c2570c", "#18794e", "#8a3ea8", "#8a6d00", "#b0245d", "#0d7d86", "#555c66"}
	dark  = [...]string{"#e6e8eb", "#a2a9b3", "#454b54", "#23272d", "#ff8a80", "#14161a", "#62aef0", "#f2995a", "#5cc894", "#cf93e8", "#d9bd4b", "#f286ad", "#56c7d0", "#b3bac4"}
)

// fileStyle is what the style sheet of the page is to a chart in it.
func fileStyle() string {
	return "text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;paint-order:stroke;stroke-width:3px;stroke-linejoin:round}\n" +
		"path{fill:none}.d{fill-opacity:.8;stroke-width:.8}.o{fill-opacity:1;stroke-width:1.2}.b{opacity:.32}\n" +
		colours(light) + "@media (prefers-color-scheme:dark){\n" + colours(dark) + "}\n"
}

func colours(of [SeriesColor + SeriesCount]string) string {
	text := fmt.Sprintf("text,.d:not(.o){stroke:%s}.o{fill:%s}\n", of[Paper], of[Paper])
	for role, colour := range of {
		text += fmt.Sprintf(".f%d{fill:%s}.k%d{stroke:%s}\n", role, colour, role, colour)
	}
	return text
}

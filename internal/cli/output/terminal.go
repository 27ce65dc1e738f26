package output

import (
	"io"
	"os"
	"strings"

	"github.com/fatih/color"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/show/readout"
)

// defaultWidth of a terminal that does not say how wide it is.
const defaultWidth = 80

// Width of the terminal that a writer is or stands for, in characters; 0 for one that is no terminal.
func Width(out io.Writer) int {
	if says, is := Raw(out).(interface{ Columns() int }); is {
		return says.Columns()
	}
	file, is := Raw(out).(*os.File)
	if !is || !term.IsTerminal(int(file.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil || width <= 0 {
		return defaultWidth
	}
	return width
}

// Raw is the writer below one that cleans what tenants wrote. Who writes there cleans it.
func Raw(out io.Writer) io.Writer {
	if clean, is := out.(contract.CleanWriter); is {
		return clean.To
	}
	return out
}

// Fit cuts a line to a width, with a mark; a width of 0 cuts nothing.
func Fit(line string, width int) string {
	runes := []rune(line)
	if width <= 0 || len(runes) <= width {
		return line
	}
	return string(runes[:max(width-1, 0)]) + "…"
}

const colorAuto, colorAlways = "auto", "always"

// wanted is what the user said of colours; the program has one terminal.
var wanted = colorAuto

// AddColorTo the flags of the program: --color.
func AddColorTo(flags *pflag.FlagSet) {
	wanted = colorAuto
	flags.Var(choice{&wanted, "when", []string{colorAuto, colorAlways, "never"}}, "color", "colours: auto (on a terminal, unless NO_COLOR is set), always or never")
}

// Page is a text for people on a writer: wrapped prose, aligned rows, and colours where it is a terminal. Nothing is written
// before Flush, so that an error of the writer is seen once.
type Page struct {
	out   io.Writer
	text  strings.Builder
	width int
	color bool
}

// NewPage on a writer. What is written there is cleaned here, because colours must not be.
func NewPage(out io.Writer) *Page {
	width := Width(out)
	return &Page{out: Raw(out), width: width, color: wanted == colorAlways || wanted == colorAuto && width > 0 && os.Getenv("NO_COLOR") == ""}
}

// Flush writes the page.
func (p *Page) Flush() error {
	_, err := io.WriteString(p.out, p.text.String())
	p.text.Reset()
	return err
}

// Blank line between two parts; none at the beginning.
func (p *Page) Blank() {
	if p.text.Len() > 0 {
		p.text.WriteString("\n")
	}
}

// Text as it is, without what a terminal acts on.
func (p *Page) Text(text string) { p.text.WriteString(contract.Clean(text)) }

// Statement of an answer: its word in the colour of its tone.
func (p *Page) Statement(before string, s readout.Statement) {
	text := Wrapped(strings.TrimSpace(before+" "+s.String()), p.Width(), "  ")
	if word := contract.Line(s.Word); word != "" {
		text = strings.Replace(text, word, p.Tone(s.Tone, word), 1)
	}
	p.text.WriteString(text + "\n")
}

// Tone of a word: its colour, where the page has colours. The word itself says the same.
func (p *Page) Tone(tone readout.Tone, word string) string {
	if !p.color {
		return word
	}
	attributes := map[readout.Tone][]color.Attribute{
		readout.Bad: {color.FgRed, color.Bold}, readout.Open: {color.FgYellow, color.Bold}, readout.Good: {color.FgGreen, color.Bold}, readout.Plain: {color.Bold},
	}[tone]
	c := color.New(attributes...)
	c.EnableColor() // the page has decided
	return c.Sprint(word)
}

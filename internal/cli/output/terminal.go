package output

import (
	"cmp"
	"io"
	"os"
	"strings"

	"github.com/fatih/color"
	"github.com/mitchellh/go-wordwrap"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/show/readout"
)

const (
	// defaultWidth of a terminal that does not say how wide it is.
	defaultWidth = 80
	// pipeWidth is where prose is wrapped that goes to no terminal; tables are not cut there.
	pipeWidth = 100
)

// Width of the terminal that a writer is, in characters; 0 for one that is no terminal.
func Width(out io.Writer) int {
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

// Wrapped is prose in lines of at most so many characters, broken between words, with an indent before all lines but the first.
// The text is cleaned: it may be what a tenant wrote.
func Wrapped(text string, width int, indent string) string {
	room := max(width-len(indent), 1)
	return strings.ReplaceAll(wordwrap.WrapString(contract.Line(text), uint(room)), "\n", "\n"+indent)
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

// Sized is a page without colours on a writer, for a terminal so wide; 0 for none.
func Sized(out io.Writer, width int) *Page { return &Page{out: Raw(out), width: width} }

// prose is the width of prose.
func (p *Page) prose() int { return cmp.Or(p.width, pipeWidth) }

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

// Line of prose, wrapped; lines after the first are indented by two characters.
func (p *Page) Line(text string) { p.text.WriteString(Wrapped(text, p.prose(), "  ") + "\n") }

// Section of lines below a title; nothing without lines.
func (p *Page) Section(title string, lines ...string) {
	if len(lines) == 0 {
		return
	}
	p.Blank()
	p.text.WriteString(title + "\n")
	for _, line := range lines {
		p.text.WriteString("  " + Wrapped(line, p.prose(), "    ") + "\n")
	}
}

// Statement of an answer: its word in the colour of its tone.
func (p *Page) Statement(before string, s readout.Statement) {
	text := Wrapped(strings.TrimSpace(before+" "+s.String()), p.prose(), "  ")
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

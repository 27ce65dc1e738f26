package output

import (
	"bytes"
	"cmp"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// pipeWidth is where prose is wrapped that goes to no terminal; tables are not cut there.
const pipeWidth = 100

// Wrapped is prose in lines of at most so many characters, broken between words, with an indent before all lines but the first.
// A word that is longer has a line of its own. The text is cleaned: it may be what a tenant wrote.
func Wrapped(text string, width int, indent string) string {
	room := width - utf8.RuneCountInString(indent)
	var b strings.Builder
	at := 0
	for i, word := range strings.Fields(contract.Line(text)) {
		long := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+long > room:
			b.WriteString("\n" + indent)
			at = 0
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += long
	}
	return b.String()
}

// Width of prose, in characters.
func (p *Page) Width() int { return cmp.Or(p.width, pipeWidth) }

// Line of prose, wrapped; lines after the first are indented by two characters.
func (p *Page) Line(text string) { p.text.WriteString(Wrapped(text, p.Width(), "  ") + "\n") }

// Ask is Line whose answer is typed behind it.
func (p *Page) Ask(text string) { p.text.WriteString(Wrapped(text, p.Width()-1, "  ") + " ") }

// Item is prose behind a mark, such as "  - ": its lines begin below each other. Without a mark it is a paragraph.
func (p *Page) Item(mark, text string) {
	mark = contract.Line(mark)
	p.text.WriteString(strings.TrimRight(mark+Wrapped(text, p.Width(), strings.Repeat(" ", utf8.RuneCountInString(mark))), " ") + "\n")
}

// Fields are names with prose behind each, which begins below that of the first one. Where names need half of the width, it stands
// below them.
func (p *Page) Fields(rows [][2]string) {
	width := 0
	for _, row := range rows {
		width = max(width, utf8.RuneCountInString(row[0]))
	}
	for _, row := range rows {
		if 2*width > p.Width() {
			if row[0] != "" {
				p.Text(row[0] + "\n")
			}
			p.Item(strings.Repeat(between, 4), row[1])
			continue
		}
		p.Item(row[0]+strings.Repeat(" ", width-utf8.RuneCountInString(row[0]))+between, row[1])
	}
}

// Section of lines below a title; nothing without lines.
func (p *Page) Section(title string, lines ...string) {
	if len(lines) == 0 {
		return
	}
	p.Blank()
	p.Line(title)
	for _, line := range lines {
		p.text.WriteString("  " + Wrapped(line, p.Width(), "    ") + "\n")
	}
}

var (
	// mark of a line: its indent, and that of an item of a list, such as an exit code, which has two blanks or more behind it.
	mark = regexp.MustCompile(`^ *(- |\S+ {2,})?`)
	// command that is copied from the terminal.
	command = regexp.MustCompile(`^ +kubectl `)
)

// Prose of several lines, each wrapped by itself behind its indent and its mark. A command on a line of its own is copied, and stays
// as it is.
func (p *Page) Prose(text string) {
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if command.MatchString(line) {
			p.Text(line + "\n")
			continue
		}
		before := mark.FindString(line)
		p.Item(before, line[len(before):])
	}
}

// Reflowed is prose whose paragraphs and items of lists are a line each: what a source has in several lines is wrapped anew.
func Reflowed(text string) string {
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		words, indent := strings.TrimLeft(line, " "), len(mark.FindString(line))
		goesOn := words != "" && indent == len(line)-len(words) && !command.MatchString(line) // and is no item of its own
		if last := len(lines) - 1; goesOn && last >= 0 && lines[last] != "" && !strings.HasSuffix(lines[last], ":") && indent == len(mark.FindString(lines[last])) {
			lines[last] += " " + words
			continue
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// Later is written to a terminal afterwards: what is wrapped in it has the width of that.
type Later struct {
	bytes.Buffer
	// For is the writer that gets it.
	For io.Writer
}

// Columns of the terminal, in characters; 0 for none.
func (l *Later) Columns() int { return Width(l.For) }

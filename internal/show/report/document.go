package report

import (
	"html/template"
	"strings"
	"unicode/utf8"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/show/readout"
)

// document is the page before its form.
type document struct {
	Title string
	// answer is what the run shows; head are the short sections behind it.
	Answer   []readout.Statement
	Head     []section
	Facts    []pair
	Sections []section
}

type pair struct{ Name, Value string }

// section has a heading and blocks below it.
type section struct {
	ID, Title string
	Blocks    []block
}

// block is one of its fields.
type block struct {
	Text string
	// note is a text in small letters.
	Note    bool
	Heading string
	Bullets []string
	Table   *table
	Picture *picture
	Code    string
}

// table with a heading for each column. All cells of a column have one alignment.
type table struct {
	Caption string
	Head    []column
	Rows    [][]cell
	// folded: it is open only on request, as a table behind a figure is.
	Folded bool
	// left is how many rows it would have beyond maxRows.
	left int
}

// add a row; one that the table has no room for is counted.
func (t *table) add(row ...cell) {
	if len(t.Rows) < maxRows {
		t.Rows = append(t.Rows, row)
	} else {
		t.left++
	}
}

type column struct {
	Name   string
	Number bool
}

// cell of a table: text, below it in small letters what belongs to it.
type cell struct {
	Text  string
	Below []string
	// strong is the best of its group, heading names the row.
	Strong, Heading bool
	// class "long" is of a value that may be broken anywhere, "prose" of sentences.
	Class string
}

// picture in two widths, with the numbers behind it.
type picture struct {
	Caption string
	// key names the colours of the series, in their order; empty for one series.
	Key  []string
	Note string
	// draw the picture so many CSS pixels wide.
	draw func(width int) (string, error)
	// ID, Wide and Narrow are set when it is drawn.
	ID           string
	Wide, Narrow template.HTML
	Behind       *table
}

// label is what a screen reader says instead of the picture.
func (f *picture) label() string { return f.Caption + ". The table behind it has the numbers." }

// Bounds of what a page shows, so that it stays below 5 MB whatever is in the run.
const (
	// maxText is the longest text of a cell or a bullet, in characters; maxCode of a manifest, in bytes.
	maxText, maxCode = 400, 200_000
	// maxRows of a table, maxPanels of a kind of picture, maxMarks rows of a picture.
	maxRows, maxPanels, maxMarks = 500, 8, 40
	// maxColumns of a table with series beside each other: with more of them each number is a row of its own.
	maxColumns = 40
	// maxDots of all pictures of a kind together.
	maxDots = 3000
)

// line is a text of anybody on one line, cut.
func line(text string) string { return cut(contract.Line(text), maxText) }

func cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

func paragraph(text string) block { return block{Text: text} }

// words of a name in CamelCase. Letters that are all large are one word, as in IntegerCPU.
func words(name string) string {
	var out strings.Builder
	last, large := rune(0), func(r rune) bool { return r >= 'A' && r <= 'Z' }
	for i, r := range name {
		if i > 0 && large(r) && !large(last) {
			out.WriteByte(' ')
		}
		out.WriteRune(r)
		last = r
	}
	words := strings.Fields(out.String())
	for i, word := range words {
		if len(word) == 1 || strings.ToUpper(word) != word {
			words[i] = strings.ToLower(word)
		}
	}
	return strings.Join(words, " ")
}

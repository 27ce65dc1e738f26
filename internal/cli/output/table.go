package output

import (
	"cmp"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/show/readout"
)

// between two columns.
const between = "  "

// Rows prints rows below each other, the first one as the head.
func Rows(out io.Writer, rows [][]string) error {
	page := NewPage(out)
	page.Rows(rows, nil)
	return page.Flush()
}

// Rows below each other, the first one as the head, fitted to the width of a terminal. A column of which every cell is a number is
// aligned at its end. The tone of a cell, by its row and column, is its colour; nil for none.
func (p *Page) Rows(rows [][]string, tone func(row, column int) readout.Tone) {
	p.rows(rows, tone, nil)
}

// RowsWith prose below each, by the index of the row: a message is read, and not cut as a cell.
func (p *Page) RowsWith(rows [][]string, below []string) { p.rows(rows, nil, below) }

func (p *Page) rows(rows [][]string, tone func(row, column int) readout.Tone, below []string) {
	widths, numeric := layOut(rows)
	kept := p.fit(rows, widths)
	for r, row := range rows {
		line := ""
		for i, c := range kept {
			if c >= len(row) {
				break
			}
			if i > 0 {
				line += between
			}
			text := shortened(orHyphen(row[c]), widths[c], c < len(rows[0]) && slices.Contains(sentences, rows[0][c]))
			space := strings.Repeat(" ", max(widths[c]-utf8.RuneCountInString(text), 0))
			if tone != nil && r > 0 && tone(r, c) != "" {
				text = p.Tone(tone(r, c), text)
			}
			if numeric[c] {
				line += space + text
			} else {
				line += text + space
			}
		}
		if r == 0 && len(kept) < len(widths) {
			line += between + "…"
		}
		p.text.WriteString(strings.TrimRight(line, " ") + "\n")
		if r < len(below) && below[r] != "" {
			p.Item(between, below[r])
		}
	}
}

// layOut rows: the width of each column, and whether all of its cells are numbers.
func layOut(rows [][]string) (widths []int, numeric []bool) {
	var texts []bool
	for r, row := range rows {
		for c, cell := range row {
			if c == len(widths) {
				widths, numeric, texts = append(widths, 0), append(numeric, false), append(texts, false)
			}
			text := orHyphen(cell)
			widths[c] = max(widths[c], utf8.RuneCountInString(text))
			if r > 0 && text != "-" {
				number := isNumber(text)
				numeric[c], texts[c] = numeric[c] || number, texts[c] || !number
			}
		}
	}
	for c := range numeric {
		numeric[c] = numeric[c] && !texts[c]
	}
	return widths, numeric
}

// isNumber says whether a cell is a number, perhaps with a mark behind it.
func isNumber(text string) bool {
	text = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(text, " *"), "x"), " %")
	_, is := figure.Decimal(strings.ReplaceAll(text, ",", ""))
	return is
}

// orHyphen is a cell on one line; a hyphen for an empty one.
func orHyphen(cell string) string { return cmp.Or(contract.Line(cell), "-") }

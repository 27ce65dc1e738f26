package quoted

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// FormatTable is the format of published tables and charts, which no tool printed.
const FormatTable = "Table"

const (
	// maxTableLabels of a value, beside those of its row and column.
	maxTableLabels = 16
	// maxTableValues of a text.
	maxTableValues = 5000
)

var (
	// thousands is a number with separators, such as 1,000 or 4,826.5.
	thousands = regexp.MustCompile(`^[+-]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?$`)
	plain     = regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)
	// ruler is the line below the headings of a Markdown table.
	ruler = regexp.MustCompile(`^[|:\- ]+$`)
	// labelName is what a label may be called.
	labelName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,62}$`)
)

// Table reads published tables. A text has one or more, each with lines that say what its numbers
// are, and then the table as in Markdown:
//
//	measurement: latency.avg
//	unit: ms
//	direction: LowerIsBetter
//	rows: scheme
//	columns: rows
//	label operation: INSERT
//
//	| scheme            |   100 |  1,000 |
//	| ----------------- | ----: | -----: |
//	| single row        | 35.72 |  437.2 |
//	| many rows at once |  3.84 |      - |
//
// The first columns are the values of the labels that rows names, and the heading of each other
// column is the value of the label that columns names. Without columns there is one more column.
// An empty cell, -, and n/a are numbers that were not published. What is said of one table holds for
// the next one until it is said again; an empty value takes it back. A line that cannot be read is a
// problem.
func Table(text []byte) runner.Report {
	p := tableParser{labels: map[string]string{}}
	for line := range bytes.Lines(text) {
		p.line++
		p.read(strings.TrimSpace(string(line)))
	}
	return p.out
}

// tableParser is what was said of the table so far.
type tableParser struct {
	out  runner.Report
	line int

	measurement, unit string
	direction         contract.Direction
	rows              []string
	column            string
	labels            map[string]string
	// headings of the present table; nil outside of one.
	headings []string
	// seen values, by what they are of.
	seen map[string]bool
}

func (p *tableParser) problem(format string, args ...any) {
	p.out.Problems = append(p.out.Problems, contract.Problem{Line: p.line, Text: fmt.Sprintf(format, args...)})
}

func (p *tableParser) read(line string) {
	switch {
	case line == "":
		p.headings = nil
	case strings.HasPrefix(line, "#"):
	case strings.HasPrefix(line, "|"):
		p.row(line)
	default:
		p.headings = nil
		p.say(line)
	}
}

// say what holds for the next tables.
func (p *tableParser) say(line string) {
	name, value, ok := strings.Cut(line, ":")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	label, isLabel := strings.CutPrefix(name, "label ")
	switch {
	case !ok:
		p.problem("%q is neither a row of a table nor something about it, such as unit: ms", line)
	case name == "measurement":
		p.measurement = value
	case name == "unit":
		p.unit = value
	case name == "direction":
		p.setDirection(value)
	case name == "rows":
		p.rows = p.labelNames(value)
	case name == "columns":
		p.column = strings.Join(p.labelNames(value), ",")
	case isLabel && value == "":
		delete(p.labels, label)
	case isLabel && labelName.MatchString(label) && len(p.labels) < maxTableLabels:
		p.labels[label] = value
	default:
		p.problem("unknown: %s; use measurement, unit, direction, rows, columns and label NAME", name)
	}
}

func (p *tableParser) setDirection(value string) {
	switch d := contract.Direction(value); d {
	case "", contract.HigherIsBetter, contract.LowerIsBetter:
		p.direction = d
	default:
		p.problem("direction is HigherIsBetter or LowerIsBetter, not %q", value)
	}
}

func (p *tableParser) labelNames(list string) (names []string) {
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		switch {
		case name == "":
		case !labelName.MatchString(name) || slices.Contains(names, name):
			p.problem("%q is no name of a label, or is there twice", name)
		default:
			names = append(names, name)
		}
	}
	return names
}

// row of a table: the first one has the headings.
func (p *tableParser) row(line string) {
	if ruler.MatchString(line) {
		return
	}
	cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|"), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	switch {
	case p.headings == nil:
		p.headings = cells
		p.checkHeadings()
	case len(cells) != len(p.headings):
		p.problem("the row has %d cells, and its table %d columns", len(cells), len(p.headings))
	case p.measurement == "" || p.unit == "" || len(p.rows) >= len(p.headings):
		// checkHeadings has said so.
	default:
		for i := len(p.rows); i < len(cells); i++ {
			p.value(cells, i)
		}
	}
}

func (p *tableParser) checkHeadings() {
	switch {
	case p.measurement == "":
		p.problem("the table does not say what was measured: write measurement: NAME before it")
	case p.unit == "":
		p.problem("the table does not say the unit: write unit: UNIT before it")
	case len(p.rows) >= len(p.headings):
		p.problem("the table has %d columns: %d for labels and none for numbers", len(p.headings), len(p.rows))
	case p.column == "" && len(p.headings) > len(p.rows)+1:
		p.problem("the table has %d columns of numbers: write columns: NAME for what their headings are", len(p.headings)-len(p.rows))
	}
}

// value of a cell.
func (p *tableParser) value(cells []string, column int) {
	labels := map[string]string{}
	for name, value := range p.labels {
		labels[name] = contract.Cut(value, contract.MaxLabelValue)
	}
	for i, name := range p.rows {
		labels[name] = contract.Cut(withoutSeparators(cells[i]), contract.MaxLabelValue)
	}
	if p.column != "" {
		labels[p.column] = contract.Cut(withoutSeparators(p.headings[column]), contract.MaxLabelValue)
	} else if column > len(p.rows) {
		return // checkHeadings has said so
	}
	number, published, err := parseNumber(cells[column])
	switch {
	case err != nil:
		p.problem("%v", err)
		return
	case !published:
		return
	}
	m := contract.Measurement{Name: contract.Cut(p.measurement, contract.MaxName), Unit: contract.Cut(p.unit, contract.MaxName), Direction: p.direction, Value: &number}
	if len(labels) > 0 {
		m.Labels = labels
	}
	key := fmt.Sprintf("%s %q", m.Name, labels) // fmt sorts the keys of a map
	switch {
	case p.seen[key]:
		p.problem("%s is there twice with the labels %v", m.Name, labels)
	case len(p.out.Measurements) >= maxTableValues:
		p.problem("more than %d values", maxTableValues)
	default:
		if p.seen == nil {
			p.seen = map[string]bool{}
		}
		p.seen[key] = true
		p.out.Measurements = append(p.out.Measurements, m)
	}
}

// parseNumber of a cell; published is false for one that says that there is none.
func parseNumber(cell string) (v float64, published bool, err error) {
	switch strings.ToLower(cell) {
	case "", "-", "–", "—", "n/a":
		return 0, false, nil
	}
	text := withoutSeparators(cell)
	if !plain.MatchString(text) {
		return 0, false, fmt.Errorf("%q is no number: write it without its unit, and - for one that was not published", cell)
	}
	v, err = strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, false, fmt.Errorf("%q is no number that can be kept: %w", cell, err)
	}
	return v, true, nil
}

func withoutSeparators(text string) string {
	if thousands.MatchString(text) {
		return strings.ReplaceAll(text, ",", "")
	}
	return text
}

package claims

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
)

// Table of the sides of the claims of a group: a row for each set of labels, and a column for each value of one of them. It is made of the claims,
// where a Form is a table that the source has.
type Table struct {
	// Columns is the label of the columns; without one there is one column.
	Columns string `json:"columns,omitempty"`
}

// noValue stands in a cell that has none.
const noValue = "-"

// form of the sides of the rows of a group: each cell has what was published and, after a slash, what was measured in the same unit. A rate has
// its change to that of the baseline.
func (t Table) form(rows []Row) string {
	cells := map[string]map[string]string{}
	var labels, lines, columns []string
	for _, r := range rows {
		for name := range r.Claim.Labels {
			if name != t.Columns && !slices.Contains(labels, name) {
				labels = append(labels, name)
			}
		}
	}
	slices.Sort(labels)
	put := func(of map[string]string, text string) {
		var words []string
		for _, name := range labels {
			words = append(words, cell(of[name]))
		}
		line, column := strings.Join(words, " | "), of[t.Columns]
		if cells[line] == nil {
			cells[line], lines = map[string]string{}, append(lines, line)
		}
		if !slices.Contains(columns, column) {
			columns = append(columns, column)
		}
		cells[line][column] = text
	}
	for _, r := range rows {
		of, to := r.sides()
		put(r.Claim.BaseLabels, to)
		put(r.Claim.Labels, of)
	}
	var b strings.Builder
	heads := columns
	if t.Columns == "" {
		heads = []string{rows[0].Claim.Number.Name}
	}
	b.WriteString(headOf(labels, heads))
	for _, line := range lines {
		fmt.Fprintf(&b, "| %s |", line)
		for _, column := range columns {
			text, has := cells[line][column]
			if !has {
				text = noValue
			}
			b.WriteString(" " + cell(text) + " |")
		}
		b.WriteString("\n")
	}
	return b.String() + "\n"
}

// sides of a claim as cells.
func (r Row) sides() (of, to string) {
	c := r.Claim
	published, base := noValue, noValue
	measured, mbase := noValue, noValue
	if c.Number.Value != nil {
		published = printed(c.Number)
	}
	if c.BaseNumber.Value != nil {
		base = printed(c.BaseNumber)
	}
	switch {
	case r.Runs == 0:
	case c.Number.Unit == "1":
		measured, mbase = figure.Number(r.Ratio)+"x", "1x"
	default:
		measured, mbase = inUnit(c.Number.Unit, c.Measurement, r.Of, r.Unit), inUnit(c.Number.Unit, c.Measurement, r.To, r.Unit)
	}
	if c.Number.Unit != "1" && secondsIn[c.Number.Unit] == 0 {
		published, measured = published+change(c.Ratio), measured+change(r.Ratio)
	}
	return published + " / " + measured, base + " / " + mbase
}

// secondsIn units of time, of which a second has so many.
var secondsIn = map[string]float64{"s": 1, "ms": 1e3, "us": 1e6}

// inUnit is a measured value in the unit of what was published, as far as it can be: a rate is the time of one operation where that is a time,
// and a time has any unit of time. Any other has its own unit.
func inUnit(unit, measurement string, value float64, of string) string {
	switch to, from := secondsIn[unit], secondsIn[of]; {
	case to != 0 && from != 0:
		value, of = value*to/from, unit
	case to != 0 && strings.HasPrefix(measurement, contract.NameThroughput):
		value, of = to/value, unit
	}
	return figure.Number(value) + " " + of
}

// change in percent of a ratio, in brackets; empty without one.
func change(ratio float64) string {
	if ratio == 0 {
		return ""
	}
	return fmt.Sprintf(" (%+.1f %%)", 100*(ratio-1))
}

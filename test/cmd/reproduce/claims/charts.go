package claims

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/mathematics/figure"
)

// Chart of cells of a form, as the source has it: at the left what was published, at the right what was measured, each on axes of its own, since
// machines differ. Cells of another unit have panels of their own. A cell without a number has no mark.
type Chart struct {
	// File is the name of its picture without .svg, beginning with that of the source; no other chart has it.
	File string `json:"file"`
	// Heading of the picture.
	Heading string `json:"heading"`
	// Kind of it.
	Kind Kind `json:"kind"`
	// Rows and Columns of the form, by the first of their heads; all without any.
	Rows    []string `json:"rows,omitempty"`
	Columns []string `json:"columns,omitempty"`
}

// Kind of a chart.
type Kind string

// Kinds of charts.
const (
	// Bars: one for each cell.
	Bars Kind = "Bars"
	// Lines: one for each column, over the numbers that the heads of the rows are.
	Lines Kind = "Lines"
)

// link to the picture in Markdown.
func (c Chart) link() string { return fmt.Sprintf("![%s](%s.svg)\n\n", escaped(c.Heading), c.File) }

// loadOf the head of a row, such as 2 or 3,000.
func loadOf(head string) (float64, error) {
	v, ok := figure.Decimal(strings.ReplaceAll(head, ",", ""))
	if !ok || v <= 0 {
		return 0, fmt.Errorf("lines are over numbers above 0, and a row is %s", head)
	}
	return v, nil
}

// chosen rows and columns of a chart, in its order.
func (l Laid) chosen(c Chart) (rows, columns []int, err error) {
	var heads, above []string
	for _, row := range l.Rows {
		heads = append(heads, l.heads(row)[0])
	}
	for _, column := range l.Columns {
		above = append(above, column.Heads[0])
	}
	if rows, err = places(c.Rows, heads); err == nil {
		columns, err = places(c.Columns, above)
	}
	return rows, columns, err
}

// places of names among all; all of them without any.
func places(names, all []string) (out []int, err error) {
	if names == nil {
		names = all
	}
	for _, name := range names {
		i := slices.Index(all, name)
		if i < 0 {
			return nil, fmt.Errorf("the form has no %q, but %q", name, all)
		}
		out = append(out, i)
	}
	return out, nil
}

// fileName of a chart.
var fileName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// drawable: the form has what its charts are of.
func (l Laid) drawable() error {
	for _, c := range l.Charts {
		if err := l.checkChart(c); err != nil {
			return fmt.Errorf("charts (%s): %w", c.File, err)
		}
	}
	return nil
}

func (l Laid) checkChart(c Chart) error {
	if !fileName.MatchString(c.File) || c.Heading == "" || c.Kind != Bars && c.Kind != Lines {
		return errors.New("file, heading and kind: want a name such as s1-ycsb-run, a heading, and Bars or Lines")
	}
	rows, columns, err := l.chosen(c)
	if err != nil {
		return err
	}
	some := false
	for _, i := range rows {
		if c.Kind == Lines {
			if _, err := loadOf(l.heads(l.Rows[i])[0]); err != nil {
				return err
			}
		}
		for _, j := range columns {
			cell := l.Cells[i][j]
			if cell.Statistic != "" {
				return fmt.Errorf("%s is a statistic, which has no mark", l.Columns[j].Heads[0])
			}
			some = some || cell.Claim.Number.Value != nil || cell.Claim.Measured()
		}
	}
	if !some {
		return errors.New("nothing of it was published, and nothing is measured")
	}
	return nil
}

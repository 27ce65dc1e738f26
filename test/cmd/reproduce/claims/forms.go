package claims

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/quoted"
)

// Form is a table of the source, in its own form: its rows, columns and units, each cell published against measured. Its cells have no verdict:
// that is what claims are for.
type Form struct {
	// Heading of the table.
	Heading string `json:"heading"`
	// Says how cells were derived, and why some are empty.
	Says string `json:"says,omitempty"`
	// Corner are the headings above those of the rows. They are labels, whose values stand before a row without heads of its own.
	Corner []string `json:"corner"`
	// Decimals that the source prints of each number, 0 for those that the number needs.
	Decimals int `json:"decimals,omitempty"`
	// Prefixes: a time in s is written in the unit of s, ms, us and ns of which there are 1 to 1,000, as pytest-benchmark does.
	Prefixes bool `json:"prefixes,omitempty"`
	// Lines are the results as Benchmark.js printed them, one for each row, with the numbers of its rate, its Margin and its Count.
	Lines []string `json:"lines,omitempty"`
	// Charts of its cells, below the table.
	Charts []Chart `json:"charts,omitempty"`
	// Part that all cells have, and those of the rows and the columns.
	Part
	Rows    []Part `json:"rows"`
	Columns []Part `json:"columns"`
}

// Part is what a form, a row or a column says of its cells. A cell has what the three say together: their labels, and of all else that of the
// column before that of the row, and that before that of the form.
type Part struct {
	// Heads of a row, one for each of the corner, or of a column, which has one.
	Heads []string `json:"heads,omitempty"`
	// Quoted is the target whose number was published, of its run, with this Name and exactly these Labels. A cell without such a number
	// was not published.
	Quoted string            `json:"quoted,omitempty"`
	Name   string            `json:"name,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	// Unit of what was published; that of what was measured as far as it can be written so.
	Unit string `json:"unit,omitempty"`
	// Over makes a ratio of a cell: how many times as much as its other side, and of a time how many times as fast. It has the labels in which
	// the other side differs. Percent, beside it: the ratio is written as its difference to 1.
	Over    map[string]string `json:"over,omitempty"`
	Percent bool              `json:"percent,omitempty"`
	// Here are the labels of what was measured, without their place, and OverHere, beside Over, those in which its other side differs. A cell is
	// measured if its row and its column both have labels here, {} for none, and of a ratio if its other side has. OverHere without Over: the
	// ratio itself was published, in the unit 1 or of a Percent in %. A cell that is its own other side is then not measured.
	Here     map[string]string `json:"here,omitempty"`
	OverHere map[string]string `json:"overHere,omitempty"`
	// Measurement of ours; Name without one.
	Measurement string `json:"measurement,omitempty"`
	// Statistic that was measured, in place of the median over all blocks.
	Statistic Statistic `json:"statistic,omitempty"`
}

// Laid is a form with its cells, row by row.
type Laid struct {
	Form
	Cells [][]Cell

	// colours of rows by the first of their heads, for charts of one column.
	colours map[string]int
}

// Cell of a form: what its parts say together, as a claim without a verdict.
type Cell struct {
	Part
	Claim Claim
}

// Lay out the forms, with the quoted numbers of the full forms. It fails for a form that is no table, and where what its parts say was
// published is not quoted: a row or a column without any number, an other side, or another unit.
func (s Source) Lay(all []quoted.Numbers) (out []Laid, err error) {
	for i, f := range s.Forms {
		laid := Laid{Form: f}
		if err := f.check(); err != nil {
			return nil, fmt.Errorf("forms[%d] (%s): %w", i, f.Heading, err)
		}
		for j, row := range f.Rows {
			var cells []Cell
			for _, column := range f.Columns {
				c, err := cellOf(together(f.Part, row, column), all)
				if err != nil {
					return nil, fmt.Errorf("forms[%d] (%s): rows[%d], %s: %w", i, f.Heading, j, column.Heads[0], err)
				}
				switch {
				case row.Here == nil || column.Here == nil || c.Over != nil && c.OverHere == nil:
					c.Claim.NotSmall = "its row, its column or its other side has nothing here"
				case c.Over == nil && c.OverHere != nil && maps.Equal(c.Claim.Of, c.Claim.To):
					c.Claim.NotSmall = "it is its own other side"
				}
				if c.Claim.Measured() {
					c.Claim.Of, c.Claim.To = with(s.Place, c.Claim.Of), with(s.Place, c.Claim.To)
				}
				cells = append(cells, c)
			}
			laid.Cells = append(laid.Cells, cells)
		}
		if err := errors.Join(laid.published(), laid.drawable(), laid.printed()); err != nil {
			return nil, fmt.Errorf("forms[%d] (%s): %w", i, f.Heading, err)
		}
		out = append(out, laid)
	}
	return out, onceEach(s.Forms)
}

// onceEach: no two charts have one file.
func onceEach(forms []Form) error {
	known := map[string]bool{}
	for _, f := range forms {
		for _, c := range f.Charts {
			if known[c.File] {
				return fmt.Errorf("charts (%s): two have this file", c.File)
			}
			known[c.File] = true
		}
	}
	return nil
}

// check that a form is a table.
func (f Form) check() error {
	if f.Heading == "" || len(f.Corner) == 0 || len(f.Rows) == 0 || len(f.Columns) == 0 {
		return errors.New("heading, corner, rows and columns: each form has all of them")
	}
	for _, p := range slices.Concat([]Part{f.Part}, f.Rows, f.Columns) {
		if p.Over == nil && p.OverHere == nil && p.Percent {
			return errors.New("percent: it stands beside an over or an overHere")
		}
	}
	for i, row := range f.Rows {
		if slices.Contains(f.heads(row), "") || len(f.heads(row)) != len(f.Corner) {
			return fmt.Errorf("rows[%d]: want heads for %v, or labels of these names", i, f.Corner)
		}
	}
	for i, column := range f.Columns {
		if len(column.Heads) != 1 {
			return fmt.Errorf("columns[%d]: got %d heads, want 1", i, len(column.Heads))
		}
		for _, row := range f.Rows {
			if err := together(f.Part, row, column).check(); err != nil {
				return fmt.Errorf("columns[%d]: %w", i, err)
			}
		}
	}
	return nil
}

// check what a cell is of.
func (p Part) check() error {
	switch {
	case p.Name == "":
		return errors.New("name: each cell is of a measurement")
	case p.Over == nil && p.Unit == "":
		return errors.New("unit: each number has one, and a ratio has over")
	case p.Over == nil && p.OverHere != nil && p.Unit != printedUnit[p.Percent]:
		return fmt.Errorf("unit: got %s, and overHere without over is a ratio that was printed, in %s", p.Unit, printedUnit[p.Percent])
	case p.Statistic != "" && (p.ratio() || !slices.Contains(statistics, p.Statistic)):
		return fmt.Errorf("statistic: got %s, want one of %v, and none of a ratio", p.Statistic, statistics)
	}
	return nil
}

// printedUnit of ratios, and of those in percent.
var printedUnit = map[bool]string{false: "1", true: "%"}

// ratio says whether a cell is one.
func (p Part) ratio() bool { return p.Over != nil || p.OverHere != nil }

// heads of a row.
func (f Form) heads(row Part) []string {
	if row.Heads != nil {
		return row.Heads
	}
	var out []string
	for _, name := range f.Corner {
		out = append(out, cmp.Or(row.Labels[name], row.Here[name]))
	}
	return out
}

// together is what parts say, of which a later one counts before an earlier one.
func together(parts ...Part) (out Part) {
	for _, p := range parts {
		out.Quoted, out.Name = cmp.Or(p.Quoted, out.Quoted), cmp.Or(p.Name, out.Name)
		out.Unit, out.Measurement, out.Statistic = cmp.Or(p.Unit, out.Unit), cmp.Or(p.Measurement, out.Measurement), cmp.Or(p.Statistic, out.Statistic)
		out.Labels, out.Here = with(out.Labels, p.Labels), with(out.Here, p.Here)
		if p.ratio() {
			out.Over, out.OverHere, out.Percent = p.Over, p.OverHere, p.Percent
		}
	}
	return out
}

// cellOf what its parts say together.
func cellOf(p Part, all []quoted.Numbers) (c Cell, err error) {
	c = Cell{Part: p, Claim: Claim{Measurement: cmp.Or(p.Measurement, p.Name), Of: p.Here, To: with(p.Here, p.OverHere)}}
	number, err := p.number(all, p.Labels)
	if err != nil || number.Value == nil {
		return c, err
	}
	c.Claim.Number = number
	if p.Over == nil {
		if number.Unit != p.Unit {
			err = fmt.Errorf("unit: got %s, and %s %v was published in %s", p.Unit, p.Name, p.Labels, number.Unit)
		}
		return c, err
	}
	labels := with(p.Labels, p.Over)
	base, err := p.number(all, labels)
	switch {
	case err != nil:
		return c, err
	case base.Value == nil:
		return c, fmt.Errorf("over: %s %v was not published", p.Name, labels)
	case base.Unit != number.Unit:
		return c, fmt.Errorf("over: %s %v was published in %s, and its other side in %s", p.Name, p.Labels, number.Unit, base.Unit)
	}
	c.Claim.Ratio = quoted.Speed(number, base)
	if !(c.Claim.Ratio > 0) || math.IsInf(c.Claim.Ratio, 1) {
		err = fmt.Errorf("over: %s %v has no ratio: both sides are to be above 0", p.Name, p.Labels)
	}
	return c, err
}

// number that was published with these labels; one without a value if it was not. It fails if there are two.
func (p Part) number(all []quoted.Numbers, labels map[string]string) (out contract.Measurement, err error) {
	for _, numbers := range all {
		for _, phase := range numbers.Phases {
			if numbers.Target != p.Quoted || phase.Phase != contract.KeyQuotedRun {
				continue
			}
			for _, m := range phase.Measurements {
				switch {
				case m.Value == nil || m.Name != p.Name || !maps.Equal(m.Labels, labels):
				case out.Value != nil:
					return out, fmt.Errorf("%s %v is quoted twice by targets of the name %s", p.Name, labels, p.Quoted)
				default:
					out = m
				}
			}
		}
	}
	return out, nil
}

// quotes says whether a row or a column names itself what was published.
func (p Part) quotes() bool { return p.Quoted != "" || p.Name != "" || p.Labels != nil }

// published: each row and each column that says what was published has a number.
func (l Laid) published() error {
	rows, columns := make([]int, len(l.Rows)), make([]int, len(l.Columns))
	for i, row := range l.Cells {
		for j, c := range row {
			if c.Claim.Number.Value != nil {
				rows[i]++
				columns[j]++
			}
		}
	}
	for i, row := range l.Rows {
		if rows[i] == 0 && row.quotes() {
			return fmt.Errorf("rows[%d]: no number of %s %v was published", i, l.Cells[i][0].Name, row.Labels)
		}
	}
	for j, column := range l.Columns {
		if columns[j] == 0 && column.quotes() {
			return fmt.Errorf("columns[%d]: no number of %s %v was published", j, l.Cells[0][j].Name, column.Labels)
		}
	}
	return nil
}

// Asked are the claims that the measured cells are: Measure looks for their sides.
func Asked(forms []Laid) (out []Claim) {
	for _, f := range forms {
		for _, row := range f.Cells {
			for _, c := range row {
				if c.Claim.Measured() {
					out = append(out, c.Claim)
				}
			}
		}
	}
	return out
}

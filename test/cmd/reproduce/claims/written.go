package claims

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/internal/mathematics/figure"
)

// Written are the forms in Markdown, against the first Source.Runs of the runs of one sample; empty without forms. It fails for values that
// cannot be compared, which no run has.
func (s Source) Written(forms []Laid, runs []Run) (string, error) {
	if len(forms) == 0 {
		return "", nil
	}
	runs = runs[:min(len(runs), s.Runs)]
	var b strings.Builder
	b.WriteString("## In the form of the source\n\n" +
		"A cell has what was published / what was measured here, and `" + noValue + "` for what was not. A measured number is the median over all blocks\n" +
		"of the runs, a ratio the geometric mean over the runs. Nothing is tested in these tables: verdicts are those of the claims below.\n\n")
	for _, f := range forms {
		text, err := f.written(runs, s.Runs)
		if err != nil {
			return "", fmt.Errorf("%s: %w", f.Heading, err)
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// written form, against runs of which the source wants so many.
func (l Laid) written(runs []Run, wanted int) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n", l.Heading)
	if l.Says != "" {
		b.WriteString(strings.TrimSpace(l.Says) + "\n\n")
	}
	var columns []string
	for _, column := range l.Columns {
		columns = append(columns, column.Heads[0])
	}
	b.WriteString(headOf(l.Corner, columns))
	for i, row := range l.Cells {
		texts := slices.Clone(l.heads(l.Rows[i]))
		for _, c := range row {
			measured, err := c.measured(runs, wanted)
			if err != nil {
				return "", fmt.Errorf("rows[%d]: %w", i, err)
			}
			texts = append(texts, c.published(l.Decimals)+" / "+measured)
		}
		b.WriteString(line(texts))
	}
	return b.String() + "\n", nil
}

// headOf a table: the headings above those of its rows, and those of its columns, which are numbers.
func headOf(corner, columns []string) string {
	return line(slices.Concat(corner, columns)) + "|" + strings.Repeat(" --- |", len(corner)) + strings.Repeat(" --: |", len(columns)) + "\n"
}

// line of a table.
func line(texts []string) string {
	for i, text := range texts {
		texts[i] = cell(text)
	}
	return "| " + strings.Join(texts, " | ") + " |\n"
}

// published half of a cell, of a number with so many decimals (Form.Decimals).
func (c Cell) published(decimals int) string {
	switch number := c.Claim.Number; {
	case number.Value == nil:
		return noValue
	case c.Over != nil && c.Percent:
		return asPublished(math.Round(1e6*(c.Claim.Ratio-1))/1e4, decimals) + " %"
	case c.Over != nil:
		return asRatio(c.Claim.Ratio)
	default:
		return asPublished(*number.Value, decimals) + " " + number.Unit
	}
}

// measured half of a cell. One of fewer runs than are wanted says so.
func (c Cell) measured(runs []Run, wanted int) (string, error) {
	if !c.Claim.Measured() {
		return noValue, nil
	}
	r := Row{Claim: c.Claim}
	if err := r.take(runs); err != nil {
		return "", err
	}
	if r.Runs == 0 {
		return noValue, nil
	}
	// Of times that were measured: as many times as fast.
	ratio := r.Ratio
	if secondsIn[r.Unit] != 0 {
		ratio = 1 / ratio
	}
	var text string
	switch {
	case c.Over == nil:
		text = inUnit(c.Unit, c.Claim.Measurement, r.Of, r.Unit)
	case c.Percent:
		text = fmt.Sprintf("%+.1f %%", 100*(ratio-1))
	default:
		text = asRatio(ratio)
	}
	if r.Runs < wanted {
		text += fmt.Sprintf(" (%d of %s)", r.Runs, figure.Counted(wanted, "run"))
	}
	return text, nil
}

// asRatio as sources have a ratio: 8.1x.
func asRatio(ratio float64) string {
	if ratio < 0.1 {
		return figure.Number(ratio) + "x"
	}
	// Half away from zero, as published tables are: 2.25 may be stored as slightly less.
	return figure.Grouped(strconv.FormatFloat(math.Round(10*ratio*(1+1e-12))/10, 'f', 1, 64)) + "x"
}

// asPublished is a number with so many decimals. For 0 it has those that it needs, of which zeros at the end that the source may have printed are
// none, and more than two decimals, as YCSB prints, are cut to four digits of the number.
func asPublished(v float64, decimals int) string {
	if decimals > 0 {
		return figure.Grouped(strconv.FormatFloat(v, 'f', decimals, 64))
	}
	text := strconv.FormatFloat(v, 'f', -1, 64)
	if _, decimals, _ := strings.Cut(text, "."); len(decimals) > 2 {
		return figure.Number(v)
	}
	return figure.Grouped(text)
}

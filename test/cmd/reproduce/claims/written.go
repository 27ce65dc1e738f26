package claims

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/test/helpers/evidence"
)

// noValue stands in a cell that has none.
const noValue = "-"

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
	if slices.ContainsFunc(forms, func(f Laid) bool { return len(f.Charts) > 0 }) {
		b.WriteString("A chart has the numbers of its table, on one axis for what was published and on another for what was measured. A whisker is from the lowest\n" +
			"run to the highest, and what is absent has no mark.\n\n")
	}
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
	fmt.Fprintf(&b, "### %s\n\n", escaped(l.Heading))
	if l.Says != "" {
		b.WriteString(strings.TrimSpace(l.Says) + "\n\n")
	}
	var columns []string
	for _, column := range l.Columns {
		columns = append(columns, column.Heads[0])
	}
	b.WriteString(headOf(l.Corner, columns))
	for i, row := range l.Cells {
		var texts []string
		for _, head := range l.heads(l.Rows[i]) {
			texts = append(texts, escaped(head))
		}
		for _, c := range row {
			found, err := l.measuredOf(c, runs, wanted)
			if err != nil {
				return "", fmt.Errorf("rows[%d]: %w", i, err)
			}
			texts = append(texts, l.publishedOf(c)+" / "+found)
		}
		b.WriteString(line(texts))
	}
	b.WriteString("\n")
	if l.Lines != nil {
		text, err := l.writtenLines(runs, wanted)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	for _, c := range l.Charts {
		b.WriteString(c.link())
	}
	return b.String(), nil
}

// escaped text of a source, which is no HTML.
func escaped(text string) string { return strings.ReplaceAll(text, "<", "&lt;") }

// headOf a table: the headings above those of its rows, and those of its columns, which are numbers.
func headOf(corner, columns []string) string {
	return line(slices.Concat(corner, columns)) + "|" + strings.Repeat(" --- |", len(corner)) + strings.Repeat(" --: |", len(columns)) + "\n"
}

// line of a table.
func line(texts []string) string {
	for i, text := range texts {
		texts[i] = evidence.Cell(text)
	}
	return "| " + strings.Join(texts, " | ") + " |\n"
}

// published half of a cell.
func (f Form) publishedOf(c Cell) string {
	switch number := c.Claim.Number; {
	case number.Value == nil:
		return noValue
	case c.Over != nil && c.Percent:
		return asPublished(math.Round(1e6*(c.Claim.Ratio-1))/1e4, f.Decimals) + " %"
	case c.Over != nil:
		return asRatio(c.Claim.Ratio)
	case c.OverHere != nil:
		return signed(*number.Value, c.Percent) + asPublished(*number.Value, f.Decimals) + ratioUnit[c.Percent]
	case c.Statistic == Margin:
		return "±" + asPublished(*number.Value, f.Decimals) + " %"
	case number.Unit == "1":
		return asPublished(*number.Value, f.Decimals)
	default:
		unit := f.prefix(*number.Value, number.Unit)
		value, _ := converted(unit, Side{Unit: number.Unit}, *number.Value)
		return asPublished(value, f.Decimals) + " " + unit
	}
}

// ratioUnit stands behind a ratio, and behind one in percent.
var ratioUnit = map[bool]string{false: "x", true: " %"}

// signed is the sign of a change that is none of the number itself.
func signed(v float64, change bool) string {
	if change && v > 0 {
		return "+"
	}
	return ""
}

// measured half of a cell, against runs of which the source wants so many. One of fewer runs says so.
func (f Form) measuredOf(c Cell, runs []Run, wanted int) (string, error) {
	m, err := c.of(runs)
	if err != nil || m.runs == 0 {
		return noValue, err
	}
	var text string
	switch {
	case c.Statistic != "":
		text = c.Statistic.of(m.values, f, m.unit)
	case c.ratio() && c.Percent:
		text = figure.Grouped(fmt.Sprintf("%+.1f", m.value)) + " %"
	case c.ratio():
		text = asRatio(m.value)
	default:
		unit := f.prefix(m.value, m.unit)
		if number := c.Claim.Number; number.Value != nil && number.Unit == m.unit {
			unit = f.prefix(*number.Value, number.Unit)
		}
		text = inUnit(unit, Side{Unit: m.unit}, m.value)
	}
	return text + ofWanted(m.runs, wanted), nil
}

// ofWanted stands behind what was measured in fewer runs than the source wants.
func ofWanted(runs, wanted int) string {
	if runs == wanted {
		return ""
	}
	return fmt.Sprintf(" (%d of %s)", runs, figure.Counted(wanted, "run"))
}

// prefix is the unit in which a value is written: of a time, that of which there are 1 to 1,000 if the form has prefixes.
func (f Form) prefix(value float64, unit string) string {
	if !f.Prefixes || unit != "s" {
		return unit
	}
	for _, shorter := range []string{"s", "ms", "us"} {
		if value*secondsIn[shorter] >= 1 {
			return shorter
		}
	}
	return "ns"
}

// measured is what runs have of a cell, in the unit of what was published as far as it can be; without runs it has nothing.
type measured struct {
	value float64
	unit  string
	// values of all blocks; of a ratio none.
	values []float64
	runs   int
}

// of runs: the median over all their blocks, and of a ratio the geometric mean over the runs; of times as many times as fast.
func (c Cell) of(runs []Run) (m measured, err error) {
	if !c.Claim.Measured() {
		return measured{}, nil
	}
	r := Row{Claim: c.Claim}
	if err := r.take(runs); err != nil || r.Runs == 0 {
		return measured{}, err
	}
	m.runs = r.Runs
	if c.ratio() {
		m.value, m.unit = r.Ratio, "x"
		if secondsIn[r.Unit] != 0 {
			m.value = 1 / m.value
		}
		if c.Percent {
			m.value, m.unit = 100*(m.value-1), "%"
		}
		return m, nil
	}
	of := r.side(c.Claim.Of)
	m.value, m.unit = converted(c.Unit, of, r.Of)
	for _, v := range r.values {
		v, _ = converted(c.Unit, of, v)
		m.values = append(m.values, v)
	}
	return m, nil
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

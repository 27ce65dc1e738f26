package claims

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
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
		text, err := f.written(runs)
		if err != nil {
			return "", fmt.Errorf("%s: %w", f.Heading, err)
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// half of a cell: what was published, or what was measured. One that there is not has the text noValue. The ratio is 0 for what is none.
type half struct {
	text  string
	ratio float64
}

// written form, with the table of its winners.
func (l Laid) written(runs []Run) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n", l.Heading)
	if l.Says != "" {
		b.WriteString(strings.TrimSpace(l.Says) + "\n\n")
	}
	b.WriteString(l.head(l.Corner))
	var all [][][2]half
	for i, row := range l.Cells {
		var halves [][2]half
		var texts []string
		for _, c := range row {
			measured, err := c.measured(runs)
			if err != nil {
				return "", fmt.Errorf("rows[%d]: %w", i, err)
			}
			published := c.published()
			halves, texts = append(halves, [2]half{published, measured}), append(texts, published.text+" / "+measured.text)
		}
		all = append(all, halves)
		b.WriteString(line(append(slices.Clone(l.heads(l.Rows[i])), texts...)))
	}
	b.WriteString("\n")
	if l.Winners != "" {
		b.WriteString(l.winners(all))
	}
	return b.String(), nil
}

// head of a table with this corner and the columns of the form.
func (l Laid) head(corner []string) string {
	words := slices.Clone(corner)
	for _, column := range l.Columns {
		words = append(words, column.Heads[0])
	}
	return line(words) + "|" + strings.Repeat(" --- |", len(corner)) + strings.Repeat(" --: |", len(l.Columns)) + "\n"
}

// line of a table.
func line(texts []string) string {
	for i, text := range texts {
		texts[i] = cell(text)
	}
	return "| " + strings.Join(texts, " | ") + " |\n"
}

// winner of the rows of a group in one column.
type winner struct {
	row string
	half
}

// winners of each group in each column, published and measured; those of the column are bold.
func (l Laid) winners(all [][][2]half) string {
	at := slices.Index(l.Corner, l.Winners)
	best, most := map[string][][2]winner{}, make([][2]float64, len(l.Columns))
	var groups []string
	for i, row := range all {
		heads := l.heads(l.Rows[i])
		group := heads[at]
		if best[group] == nil {
			best[group], groups = make([][2]winner, len(l.Columns)), append(groups, group)
		}
		for j, halves := range row {
			for k, of := range halves {
				if of.ratio > best[group][j][k].ratio {
					best[group][j][k] = winner{heads[0], of}
				}
				most[j][k] = max(most[j][k], of.ratio)
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The highest of each %s, and in bold the highest of all:\n\n%s", l.Winners, l.head([]string{l.Winners}))
	for _, group := range groups {
		texts := []string{group}
		for j, of := range best[group] {
			texts = append(texts, of[0].in(most[j][0])+" / "+of[1].in(most[j][1]))
		}
		b.WriteString(line(texts))
	}
	return b.String() + "\n"
}

// in a column whose highest ratio is most.
func (w winner) in(most float64) string {
	switch w.ratio {
	case 0:
		return noValue
	case most:
		return "**" + w.row + " " + w.text + "**"
	}
	return w.row + " " + w.text
}

// published half of a cell.
func (c Cell) published() half {
	switch number := c.Claim.Number; {
	case number.Value == nil:
		return half{text: noValue}
	case c.Over != nil:
		return half{c.ratio(c.Claim.Ratio), c.Claim.Ratio}
	default:
		return half{text: asPublished(*number.Value) + " " + number.Unit}
	}
}

// measured half of a cell.
func (c Cell) measured(runs []Run) (half, error) {
	if !c.Claim.Measured() {
		return half{text: noValue}, nil
	}
	if c.Bend != nil {
		text, err := c.bends(runs)
		if text != noValue {
			text += " " + c.Unit
		}
		return half{text: text}, err
	}
	r := Row{Claim: c.Claim}
	if err := r.take(runs); err != nil {
		return half{}, err
	}
	switch {
	case r.Runs == 0:
		return half{text: noValue}, nil
	case c.Over == nil:
		return half{text: inUnit(c.Unit, c.Claim.Measurement, r.Of, r.Unit)}, nil
	}
	ratio := r.Ratio
	// Times were published, and times were measured: as many times as fast.
	if c.Claim.Number.Direction == contract.LowerIsBetter && !strings.HasPrefix(c.Claim.Measurement, contract.NameThroughput) {
		ratio = 1 / ratio
	}
	return half{c.ratio(ratio), ratio}, nil
}

// ratio as sources have it: 8.1x, or +20.0 %.
func (c Cell) ratio(ratio float64) string {
	switch {
	case c.Percent:
		return fmt.Sprintf("%+.1f %%", 100*(ratio-1))
	case ratio < 0.1:
		return figure.Number(ratio) + "x"
	}
	// Half away from zero, as published tables are: 2.25 may be stored as slightly less.
	return figure.Grouped(strconv.FormatFloat(math.Round(10*ratio*(1+1e-12))/10, 'f', 1, 64)) + "x"
}

// asPublished is a number with all of its digits, of one with more than two decimals four digits.
func asPublished(v float64) string {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	if _, decimals, _ := strings.Cut(text, "."); len(decimals) > 2 {
		return figure.Number(v)
	}
	return figure.Grouped(text)
}

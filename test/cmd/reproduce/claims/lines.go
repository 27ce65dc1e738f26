package claims

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/internal/mathematics/figure"
)

// printedLine is a result as Benchmark.js prints it: name, rate, margin in percent, and how many samples there were.
var printedLine = regexp.MustCompile(`^(.+) x ([\d,]+(?:\.\d+)?) ops/sec ±(\d+\.\d+)% \((\d+) runs? sampled\)$`)

// columnsOfLine are the columns of a form with the numbers of a line, in their order: a rate has no statistic.
var columnsOfLine = []Statistic{"", Margin, Count}

// roundedBy is half of the last digit that is quoted of each of them: rates have one decimal, margins three.
var roundedBy = map[Statistic]float64{"": 0.05, Margin: 0.0005}

// inLine is the place of each of columnsOfLine among the columns of a form; of rates, that of the first. False where one is missing.
func (f Form) inLine() (places []int, all bool) {
	for _, statistic := range columnsOfLine {
		i := slices.IndexFunc(f.Columns, func(c Part) bool { return c.Statistic == statistic && !c.ratio() })
		if i < 0 {
			return nil, false
		}
		places = append(places, i)
	}
	return places, true
}

// printed checks the lines of a form: each is that of its row, and has the numbers that are quoted, as far as it prints them.
func (l Laid) printed() error {
	if l.Lines == nil {
		return nil
	}
	places, all := l.inLine()
	if !all || len(l.Lines) != len(l.Rows) {
		return fmt.Errorf("lines: want one for each of %d rows, and columns of a rate, a Margin and a Count; got %d", len(l.Rows), len(l.Lines))
	}
	for i, text := range l.Lines {
		parts := printedLine.FindStringSubmatch(text)
		if parts == nil {
			return fmt.Errorf("lines[%d]: %s is none of Benchmark.js", i, text)
		}
		for j, place := range places {
			number := l.Cells[i][place].Claim.Number
			printed := strings.ReplaceAll(parts[2+j], ",", "")
			got, err := strconv.ParseFloat(printed, 64)
			if err != nil {
				return fmt.Errorf("lines[%d]: %w", i, err)
			}
			_, decimals, _ := strings.Cut(printed, ".")
			most := math.Pow10(-len(decimals))/2 + roundedBy[columnsOfLine[j]]
			if number.Value == nil || math.Abs(got-*number.Value) > 1.001*most {
				return fmt.Errorf("lines[%d]: got %s, and column %s of its row has %s", i, parts[2+j], l.Columns[place].Heads[0], l.publishedOf(l.Cells[i][place]))
			}
		}
	}
	return nil
}

// writtenLines of a form: as published and then as measured against runs, of which its samples are the blocks.
func (l Laid) writtenLines(runs []Run, wanted int) (string, error) {
	places, _ := l.inLine()
	var out []string
	for i, text := range l.Lines {
		rate, err := l.Cells[i][places[0]].of(runs)
		if err != nil {
			return "", fmt.Errorf("lines[%d]: %w", i, err)
		}
		if len(rate.values) > 1 {
			name := printedLine.FindStringSubmatch(text)[1]
			line := fmt.Sprintf("%s x %s ops/sec ±%.2f%% (%s sampled)", name, asRate(rate.value), marginOf(rate.values), figure.Counted(len(rate.values), "block"))
			out = append(out, line+ofWanted(rate.runs, wanted))
		}
	}
	text := "As Benchmark.js printed it:\n\n```text\n" + strings.Join(l.Lines, "\n") + "\n```\n\n"
	if len(out) > 0 {
		text += "Measured here, a block in the place of a sample and the median of all in that of the mean:\n\n```text\n" + strings.Join(out, "\n") + "\n```\n\n"
	}
	return text, nil
}

// asRate of Benchmark.js: without decimals, and below 100 with two.
func asRate(v float64) string {
	decimals := 0
	if v < 100 {
		decimals = 2
	}
	return figure.Grouped(strconv.FormatFloat(v, 'f', decimals, 64))
}

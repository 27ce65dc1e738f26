package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/show/readout"
)

// wordsOf the verdict of a run: a row for each part of its line, with what it means.
func wordsOf(c readout.Verdict, doc readout.Run) (string, error) {
	meaning, known := meanings[v1alpha1.ComparisonVerdict(c.Verdict)]
	if !known {
		return "", fmt.Errorf("nothing says what %s means: %s", c.Verdict, c.Text)
	}
	interval, err := intervalMeans(c)
	if err != nil {
		return "", err
	}
	medians, err := ratioOfMedians(c, doc)
	if err != nil {
		return "", err
	}
	_, p := c.Ps()
	blocks := "so many pairs count, one of each block"
	if c.Blocks < c.PlannedBlocks {
		blocks = "in the other blocks something disturbed a trial, such as other work on the machine. They are left out whole"
	}
	rows := [][2]string{
		{c.Word(), meaning},
		{c.Effect, "an estimate of the ratio over the pairs, one pair in each block (Hodges-Lehmann). " + besideMedians(c.Effect, medians)},
		{c.Interval, interval},
		{"p " + p, readout.PMeans + corrected(doc) + ". At 0.05 or less a difference counts as shown"},
		{readout.BlocksOf(c.Blocks, c.PlannedBlocks), blocks},
		{c.Subject, "what is compared: the first against the second"},
	}
	for _, text := range c.Rest() {
		switch {
		case c.Differences > 0 && text == c.Rest()[len(c.Rest())-1]:
			rows = append(rows, [2]string{text, "what else is known to differ, and to matter: `get` and the report have both values. The comparison is of all of this, and not of the names of two products"})
		case text == c.Detects && !c.Undecided(): // its line does not have it
		case text == c.Detects:
			text, _, _ = strings.Cut(text, " (")
			rows = append(rows, [2]string{text, fmt.Sprintf("with the spread that these trials had, %d blocks find so large a difference in four of five runs. The plan had to assume a spread", c.Blocks)})
		default:
			rows = append(rows, [2]string{text, "what limits the numbers"})
		}
	}
	table := "| Part | Meaning |\n| --- | --- |\n"
	for _, row := range rows {
		table += fmt.Sprintf("| `%s` | %s |\n", row[0], row[1])
	}
	return table, nil
}

// besideMedians is what the ratio of the medians, as a difference, has to do with an estimate over pairs.
func besideMedians(effect, medians string) string {
	const why = "pairs take out what a whole block had in common"
	if effect == medians {
		return "The ratio of the two medians above is nearly the same here, and need not be: " + why
	}
	return fmt.Sprintf("The ratio of the two medians above is another one (%s): %s", medians, why)
}

// corrected says for how many comparisons a p-value is corrected: for all that the run declared.
func corrected(doc readout.Run) string {
	declared := 0
	for _, c := range doc.Verdicts {
		if c.Family == string(v1alpha1.FamilyPrimary) {
			declared++
		}
	}
	switch declared {
	case 0, 1:
		return ""
	case 2:
		return ", corrected for both comparisons"
	}
	return fmt.Sprintf(", corrected for all %d comparisons", declared)
}

var meanings = map[v1alpha1.ComparisonVerdict]string{
	v1alpha1.VerdictInconclusive: "neither a difference nor equivalence was shown",
	v1alpha1.VerdictEquivalent:   "the difference was shown to be smaller than the minimum effect",
	v1alpha1.VerdictFaster:       "a difference was shown: the interval does not hold 1",
	v1alpha1.VerdictSlower:       "a difference was shown: the interval does not hold 1",
}

// intervalMeans says in words what lies in the interval of a comparison.
func intervalMeans(c readout.Verdict) (string, error) {
	low, err := strconv.ParseFloat(c.IntervalLow, 64)
	if err != nil {
		return "", fmt.Errorf("the interval of the comparison: %w", err)
	}
	high, err := strconv.ParseFloat(c.IntervalHigh, 64)
	if err != nil {
		return "", fmt.Errorf("the interval of the comparison: %w", err)
	}
	if low > 1 || high < 1 {
		return "the interval of the ratio: whatever in it is true, there is a difference, on this machine and with these settings", nil
	}
	less, more := "slower", "faster"
	if c.Direction == "LowerIsBetter" {
		less, more = more, less
	}
	return fmt.Sprintf("the interval of the ratio: %s may be %s by %s or %s by %s, and these trials cannot tell", c.Value, less, figure.Share(1-low), more, figure.Share(high-1)), nil
}

// ratioOfMedians of the two sides, as a difference in percent.
func ratioOfMedians(c readout.Verdict, doc readout.Run) (string, error) {
	medians := map[string]float64{}
	for _, e := range doc.Measurements {
		if e.Name == c.Name && len(e.Where) == 0 {
			v, err := strconv.ParseFloat(e.Median, 64)
			if err != nil {
				return "", fmt.Errorf("the median of %s: %w", e.Target, err)
			}
			medians[e.Target] = v
		}
	}
	ratio := medians[c.Value] / medians[c.Baseline]
	if math.IsNaN(ratio) || math.IsInf(ratio, 0) || ratio == 0 {
		return "", fmt.Errorf("the run has no medians of %s of both %s and %s", c.Name, c.Value, c.Baseline)
	}
	return figure.Difference(ratio), nil
}

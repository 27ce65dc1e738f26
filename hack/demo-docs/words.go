package main

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// sentence of a comparison: what, its interval and p-value, its blocks if some are left out, what differs, the verdict, and its
// reason.
var sentence = regexp.MustCompile(`^(.+?) \((\S+(?: %)? to \S+(?: %)?), (p [^,)]+)(?:, (\d+ of \d+ blocks))?\)(?:, (differs in .+?))?: (faster|slower|equivalent|inconclusive)(?: \((.+)\))?$`)

// wordsOf a verdict are its parts with their meanings, as a table.
func wordsOf(c v1alpha1.ComparisonEntry, run *v1alpha1.BenchmarkRun) (string, error) {
	part := sentence.FindStringSubmatch(c.Text)
	if part == nil {
		return "", fmt.Errorf("the parts of this verdict are not known: %s", c.Text)
	}
	interval, err := intervalMeans(c)
	if err != nil {
		return "", err
	}
	medians, err := ratioOfMedians(c, run)
	if err != nil {
		return "", err
	}
	rows := [][2]string{
		{part[1], fmt.Sprintf("an estimate of the ratio over the pairs, one pair in each block (Hodges-Lehmann). It is not the ratio of the two medians above (%s): pairs take out what a whole block had in common", medians)},
		{part[2], interval},
		{part[3], "how often pairs that differ by nothing look like this" + corrected(run) + ". At 0.05 or less a difference counts as shown"},
		{part[4], "in the other blocks something disturbed a trial, such as other work on the machine. They are left out whole"},
		{part[5], "what else is known to differ, and to matter. The comparison is of all of this, and not of the names of two products"},
		{part[6], meanings[part[6]]},
		{part[7], ""},
	}
	if detected, ok := strings.CutPrefix(part[7], "these blocks detect "); ok {
		rows[6][1] = fmt.Sprintf("with the spread that these trials had, %d blocks find a difference of %s in four of five runs. The plan had to assume a spread", c.BlockCount, detected)
	} else if part[7] != "" {
		return "", fmt.Errorf("the reason of this verdict is not known: %s", part[7])
	}
	if rest, ok := strings.CutPrefix(run.Status.Verdict, c.Text+"; "); ok {
		rows = append(rows, [2]string{rest, "this line is one of those that were declared; the counts are the verdicts of all of them"})
	}
	text := "| Words | What they say |\n| --- | --- |\n"
	for _, row := range rows {
		if row[0] != "" {
			text += fmt.Sprintf("| `%s` | %s |\n", row[0], row[1])
		}
	}
	return text, nil
}

// corrected says for how many comparisons a p-value is corrected: for all that the run declared.
func corrected(run *v1alpha1.BenchmarkRun) string {
	declared := 0
	for _, c := range run.Status.Comparisons {
		if c.Family == v1alpha1.FamilyPrimary {
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

var meanings = map[string]string{
	"inconclusive": "neither a difference nor equivalence was shown",
	"equivalent":   "the difference was shown to be smaller than the minimum effect",
	"faster":       "a difference was shown: the interval does not hold 1",
	"slower":       "a difference was shown: the interval does not hold 1",
}

// intervalMeans says in words what lies in the interval of a comparison.
func intervalMeans(c v1alpha1.ComparisonEntry) (string, error) {
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
	return fmt.Sprintf("the interval of the ratio: %s may be %s by %.0f %% or %s by %.0f %%, and these trials cannot tell", c.Value, less, 100*(1-low), more, 100*(high-1)), nil
}

// ratioOfMedians of the two sides, as a difference in percent.
func ratioOfMedians(c v1alpha1.ComparisonEntry, run *v1alpha1.BenchmarkRun) (string, error) {
	medians := map[string]float64{}
	for _, e := range run.Status.Summary {
		if e.Name == c.Name && e.Cell == c.Cell && len(e.Labels) == 0 {
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
	return fmt.Sprintf("%+.1f %%", 100*(ratio-1)), nil
}

package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/contract"
)

const (
	// maxText of a comparison, maxReason, and maxContext of the part of the experiment, in
	// characters. The API server refuses more than 1,024 of the first two.
	maxText, maxReason, maxContext = 600, 1000, 120
	// nearOne: a ratio closer to 1 is shown as a difference in percent.
	nearOne = 1.25
)

// Percent is a share such as 0.0345 as "3.5 %": two significant digits, and at most two decimals.
func Percent(share float64) string {
	v := 100 * share
	digits := 1
	switch abs := math.Abs(v); {
	case abs >= 9.95:
		digits = 0
	case abs < 0.995:
		digits = 2
	}
	text := strconv.FormatFloat(v, 'f', digits, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text + " %"
}

func percentOf(share string) string {
	v, _ := number(share)
	return Percent(v)
}

// signed is a difference such as "+3.8 %". Only no difference at all is "0 %".
func signed(share float64) string {
	text := Percent(share)
	if share != 0 && strings.Trim(text, "-0. %") == "" {
		text = strconv.FormatFloat(100*share, 'f', -int(math.Floor(math.Log10(math.Abs(100*share)))), 64) + " %"
	}
	if share <= 0 {
		return text
	}
	return "+" + text
}

// describe a comparison, such as
//
//	threads=2: mariadb 1.52x mysql (1.43 to 1.61, p 0.002), differs in log_bin
//	mariadb +0.8 % against mysql (+0.5 % to +1.1 %, p 0.01): by less than matters
//	latency.percentile p=95: mariadb 1.52x mysql (1.43 to 1.61, p 0.002, 9 of 10 blocks): slower
//	latency.avg: mariadb 1.52x mysql (1.43 to 1.61, p 0.002 by itself): exploratory (not declared)
//	mariadb 1.02x mysql: exploratory (2 comparisons need 7 blocks, and the plan has 6)
func (a *analyst) describe(e v1alpha1.ComparisonEntry, differs string) string {
	text := contextOf(e) + e.Value
	ratio, has := number(e.Ratio)
	if !has {
		return abridge(text+" against "+e.Baseline+verdictIn(e), maxText)
	}
	shown := Factor
	if 1/nearOne < ratio && ratio < nearOne {
		shown = func(v float64) string { return signed(v - 1) }
		text += " " + shown(ratio) + " against " + e.Baseline
	} else {
		text += " " + Factor(ratio) + "x " + e.Baseline
	}
	low, bounded := number(e.IntervalLow)
	high, _ := number(e.IntervalHigh)
	if bounded {
		text += " (" + shown(low) + " to " + shown(high)
		if p, is := number(cmp.Or(e.AdjustedP, e.P)); is {
			text += ", p " + P(p, a.Declaration.ErrorRate)
		}
		if e.AdjustedP == "" && e.P != "" {
			text += " by itself" // not for all comparisons of the run
		}
		if e.BlockCount < e.PlannedBlockCount {
			text += fmt.Sprintf(", %d of %d blocks", e.BlockCount, e.PlannedBlockCount)
		}
		text += ")"
	}
	if differs != "" {
		text += ", " + differs
	}
	return abridge(text+verdictIn(e), maxText)
}

// Subject is what a comparison compares, such as "threads=2: mariadb against mysql".
func Subject(e v1alpha1.ComparisonEntry) string {
	return contextOf(e) + e.Value + " against " + e.Baseline
}

// verdictIn words; empty where the interval says it all.
func verdictIn(e v1alpha1.ComparisonEntry) string {
	word := ""
	switch e.Verdict {
	case v1alpha1.VerdictFaster, v1alpha1.VerdictSlower:
		if e.Direction == string(contract.LowerIsBetter) { // 1.5x of a latency does not read as slower
			word = strings.ToLower(string(e.Verdict))
		}
	case v1alpha1.VerdictEquivalent:
		word = "equivalent"
	case v1alpha1.VerdictInconclusive:
		word = "inconclusive"
	case v1alpha1.VerdictExploratory:
		word = "exploratory"
	}
	if e.BelowMinimumEffect {
		word = strings.TrimSpace(word + " by less than matters")
	}
	switch {
	case word == "" && e.Reason == "":
		return ""
	case word == "":
		return ": " + e.Reason
	case e.Reason == "":
		return ": " + word
	}
	return ": " + word + " (" + e.Reason + ")"
}

// contextOf a comparison: the part of the experiment, and the measurement unless it is the throughput.
func contextOf(e v1alpha1.ComparisonEntry) string {
	var words []string
	if e.Family == v1alpha1.FamilyControl {
		words = append(words, "A/A")
	}
	if e.Name != contract.NameThroughput {
		words = append(words, e.Name)
	}
	if e.Target != "" {
		words = append(words, e.Target)
	}
	for _, axis := range slices.Sorted(maps.Keys(e.Parameters)) {
		value := e.Parameters[axis]
		words = append(words, axis+"="+value.String())
	}
	for _, name := range slices.Sorted(maps.Keys(e.Labels)) {
		words = append(words, name+"="+e.Labels[name])
	}
	if len(words) == 0 && e.Factor == v1alpha1.FactorTarget {
		return ""
	}
	if e.Factor != v1alpha1.FactorTarget {
		words = append(words, e.Factor)
	}
	return abridge(strings.Join(words, " "), maxContext) + ": "
}

// verdict of the run: its first primary comparison, how the others ended, and the resolution.
func (a *analyst) verdict(primary, controls []v1alpha1.ComparisonEntry) string {
	var parts []string
	if len(primary) > 0 {
		parts = append(parts, primary[0].Text+plainly(primary[0]))
	}
	if len(primary) > 1 {
		parts = append(parts, fmt.Sprintf("1 of %d comparisons: %s", len(primary), tally(primary)))
	}
	if text := a.stopped(); text != "" {
		parts = append(parts, text)
	}
	if text := a.resolution(controls); text != "" {
		parts = append(parts, text)
	}
	return abridge(strings.Join(parts, "; "), maxText+maxContext)
}

// plainly is the verdict as a word, where the text of the comparison leaves it to the sign of a rate.
func plainly(e v1alpha1.ComparisonEntry) string {
	if decided := e.Verdict == v1alpha1.VerdictFaster || e.Verdict == v1alpha1.VerdictSlower; !decided || verdictIn(e) != "" {
		return ""
	}
	return ": " + strings.ToLower(string(e.Verdict))
}

// tally of verdicts, such as "10 faster, 14 inconclusive".
func tally(entries []v1alpha1.ComparisonEntry) string {
	counts := map[v1alpha1.ComparisonVerdict]int{}
	for _, e := range entries {
		counts[e.Verdict]++
	}
	var words []string
	for _, v := range []v1alpha1.ComparisonVerdict{
		v1alpha1.VerdictFaster, v1alpha1.VerdictSlower, v1alpha1.VerdictHigher, v1alpha1.VerdictLower,
		v1alpha1.VerdictEquivalent, v1alpha1.VerdictInconclusive, v1alpha1.VerdictExploratory,
	} {
		if counts[v] > 0 {
			words = append(words, fmt.Sprintf("%d %s", counts[v], strings.ToLower(string(v))))
		}
	}
	return strings.Join(words, ", ")
}

func joined(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return a + "; " + b
}

// Factor is a ratio above 0 with three significant digits, and more where they would hide on which side of 1 it is.
func Factor(v float64) string {
	for digits := 2 - int(math.Floor(math.Log10(v))); ; digits++ {
		text := strconv.FormatFloat(v, 'f', max(0, digits), 64)
		if shown, _ := number(text); within(shown, 1) == within(v, 1) || digits > mostDigits {
			return text
		}
	}
}

// P is a p-value with two significant digits, and more where they would hide on which side of the error rate it is.
func P(p, errorRate float64) string { return besidesIn(2, p, errorRate) }

// ErrorRate of the comparisons of a run, as a share: at most this is the p-value of a difference. 0 where the spec has none
// that can be read, which the API server refuses.
func ErrorRate(spec v1alpha1.BenchmarkRunSpec) float64 {
	declared := v1alpha1.DefaultErrorRate
	if spec.Analysis != nil {
		declared = cmp.Or(spec.Analysis.ErrorRate, declared)
	}
	rate, err := share(declared)
	if err != nil {
		return 0
	}
	return rate
}

// Decided says whether a verdict decides anything: Inconclusive and Exploratory do not.
func Decided(v v1alpha1.ComparisonVerdict) bool {
	switch v {
	case v1alpha1.VerdictFaster, v1alpha1.VerdictSlower, v1alpha1.VerdictHigher, v1alpha1.VerdictLower, v1alpha1.VerdictEquivalent:
		return true
	}
	return false
}

func number(s string) (float64, bool) {
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}

func abridge(text string, most int) string {
	text = contract.Line(text)
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-3]) + "..."
	}
	return text
}

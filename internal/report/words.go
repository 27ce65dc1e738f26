package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/analysis"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/report/chart"
)

// lead is the verdict: in one sentence, and what that is one of.
func lead(in Input) (out []string) {
	st := in.Run.Status
	if c := isTrue(in, v1alpha1.ConditionFailed); c != nil {
		out = append(out, line("The run failed ("+c.Reason+"): "+strings.TrimSuffix(c.Message, ".")+"."))
	}
	if c := apimeta.FindStatusCondition(st.Conditions, v1alpha1.ConditionValid); c != nil && c.Status == metav1.ConditionFalse {
		out = append(out, line("The run is not valid, so no number of it can be relied on: "+strings.TrimSuffix(c.Message, ".")+"."))
	}
	if st.CompletionTime == nil {
		out = append(out, fmt.Sprintf("The run has not ended: %d of %d trials are done.", st.Progress.Done, st.Progress.Planned))
	}
	primary := family(in, v1alpha1.FamilyPrimary)
	switch {
	case len(primary) > 0:
		out = append(out, in.sentence(primary[0]))
	case st.Headline != "" && (len(in.Entries) == 0 || hasMedian(in.Entries)):
		out = append(out, line("No comparison was declared. Measured: "+st.Headline+"."))
	case st.CompletionTime != nil || len(out) == 0:
		out = append(out, "There is no number: no trial counts.")
	}
	if len(primary) > 1 {
		out = append(out, fmt.Sprintf("This is the first of %d comparisons that were declared: %s.", len(primary), tally(primary)))
	}
	if c := apimeta.FindStatusCondition(st.Conditions, v1alpha1.ConditionPassed); st.Gate != nil && c != nil && c.Message != "" {
		out = append(out, line("The gate: "+c.Message))
	}
	return out
}

func hasMedian(entries []v1alpha1.SummaryEntry) bool {
	return slices.ContainsFunc(entries, func(e v1alpha1.SummaryEntry) bool { return e.Median != "" })
}

func isTrue(in Input, name string) *metav1.Condition {
	c := apimeta.FindStatusCondition(in.Run.Status.Conditions, name)
	if c == nil || c.Status != metav1.ConditionTrue {
		return nil
	}
	return c
}

func family(in Input, want v1alpha1.ComparisonFamily) (out []v1alpha1.ComparisonEntry) {
	for _, e := range in.Comparisons {
		if e.Family == want {
			out = append(out, e)
		}
	}
	return out
}

// sentence of a comparison.
func (in Input) sentence(e v1alpha1.ComparisonEntry) string {
	value, base, name := e.Value, e.Baseline, nameOf(e.Name, e.Labels)
	if e.Factor != v1alpha1.FactorTarget {
		value, base = e.Factor+" "+value, e.Factor+" "+base
	}
	where := in.placeOf(e)
	if where != "" {
		where = " at " + where
	}
	text := ""
	if _, measured := decimal(e.Ratio); !measured {
		text = fmt.Sprintf("%s%s: there is no ratio of %s to %s in %s", capital(string(e.Verdict)), where, value, base, name)
		return cut(contract.Line(text)+because(e)+".", 2*maxText)
	}
	switch e.Verdict {
	case v1alpha1.VerdictFaster, v1alpha1.VerdictSlower:
		text = fmt.Sprintf("%s is %s than %s%s: its %s is %s", value, strings.ToLower(string(e.Verdict)), base, where, name, times(e))
	case v1alpha1.VerdictHigher, v1alpha1.VerdictLower:
		text = fmt.Sprintf("%s of %s is %s than that of %s%s: %s", name, value, strings.ToLower(string(e.Verdict)), base, where, times(e))
	case v1alpha1.VerdictEquivalent:
		text = fmt.Sprintf("%s and %s are equivalent in %s%s: the difference was shown to be too small to matter, %s", value, base, name, where, times(e))
	case v1alpha1.VerdictInconclusive:
		text = fmt.Sprintf("Inconclusive%s: %s of %s is %s, which chance may have made", where, name, value, than(e, "that of "+base))
	default:
		text = fmt.Sprintf("Exploratory, so no verdict%s: %s of %s is %s, which is a hint only", where, name, value, than(e, "that of "+base))
	}
	if e.BelowMinimumEffect {
		text += "; the difference is smaller than matters"
	}
	text = contract.Line(text) + evidenceOf(e, in.errorRate())
	if e.Verdict == v1alpha1.VerdictInconclusive || e.Verdict == v1alpha1.VerdictExploratory {
		text += because(e)
	}
	return cut(text+".", 2*maxText)
}

// because of what a comparison has no verdict; empty where it does not say.
func because(e v1alpha1.ComparisonEntry) string {
	if e.Reason == "" {
		return ""
	}
	return ", because " + strings.TrimSuffix(contract.Line(e.Reason), ".")
}

// capital begins a sentence.
func capital(word string) string {
	if word == "Exploratory" {
		return "Exploratory, so no verdict"
	}
	return word
}

// placeOf the experiment that a comparison is about.
func (in Input) placeOf(e v1alpha1.ComparisonEntry) string {
	var words []string
	if e.Target != "" && in.Plan != nil && len(in.Plan.Targets) > 1 {
		words = append(words, e.Target)
	}
	for _, axis := range slices.Sorted(maps.Keys(e.Parameters)) {
		v := e.Parameters[axis]
		words = append(words, axis+" "+v.String())
	}
	return strings.Join(words, ", ")
}

// nameOf a measurement with its labels, as people read it.
func nameOf(name string, labels map[string]string) string {
	if name == contract.NameLatencyPercentile && labels[contract.LabelPercentile] != "" {
		name = "latency p" + labels[contract.LabelPercentile]
		labels = maps.Clone(labels)
		delete(labels, contract.LabelPercentile)
	}
	var words []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		words = append(words, key+" "+labels[key])
	}
	if len(words) > 0 {
		name += " (" + strings.Join(words, ", ") + ")"
	}
	return name
}

// times is the ratio in words.
func times(e v1alpha1.ComparisonEntry) string {
	r, _ := decimal(e.Ratio)
	if math.Abs(r-1) < equal {
		return "equally high"
	}
	if r > 1/1.25 && r < 1.25 {
		word := " higher"
		if r < 1 {
			word = " lower"
		}
		return strings.TrimLeft(percent(r-1), "+−") + word
	}
	return ratioText(r) + " times as high"
}

// than is the ratio in words, to the other side: "3.8 % higher than that of mysql".
func than(e v1alpha1.ComparisonEntry, other string) string {
	text := times(e)
	if strings.HasSuffix(text, " higher") || strings.HasSuffix(text, " lower") {
		return text + " than " + other
	}
	return text + " as " + other
}

// equal: a smaller difference from 1 is the rounding of the machine.
const equal = 1e-12

// percent of a share, such as +3.8 %. Only no difference at all is "0.0 %".
func percent(share float64) string {
	sign := "+"
	if share < 0 {
		sign = "−"
	}
	if math.Abs(share) < equal {
		return "0.0 %"
	}
	digits := max(1, -int(math.Floor(math.Log10(100*math.Abs(share)))))
	return sign + strconv.FormatFloat(100*math.Abs(share), 'f', digits, 64) + " %"
}

// ratioText has three significant digits, and more where they would hide on which side of 1 it is.
func ratioText(r float64) string {
	if r < 0.001 {
		return strconv.FormatFloat(r, 'g', 3, 64)
	}
	if r >= 100 {
		return chart.Figure(math.Round(r))
	}
	return analysis.Factor(r)
}

// errorRate of the run's comparisons, which their p-values are told apart from.
func (in Input) errorRate() float64 {
	if in.Run == nil {
		return 0
	}
	return analysis.ErrorRate(in.Run.Spec)
}

// evidenceOf a comparison in brackets: interval, p and blocks.
func evidenceOf(e v1alpha1.ComparisonEntry, errorRate float64) string {
	var words []string
	if text := intervalOf(e); text != "" {
		if level := analysis.Level(e.IntervalConfidence); level != "" {
			text = level + " interval " + text
		}
		words = append(words, text)
	}
	switch adjusted, p := pOf(e.AdjustedP, errorRate), pOf(e.P, errorRate); {
	case adjusted != "":
		words = append(words, "adjusted p "+adjusted)
	case p != "":
		words = append(words, "p "+p+" by itself")
	}
	words = append(words, fmt.Sprintf("%d of %d blocks", e.BlockCount, e.PlannedBlockCount))
	return " (" + strings.Join(words, ", ") + ")"
}

// pOf a p-value with two digits, and more where they would hide on which side of the error rate it is; empty without one.
func pOf(text string, errorRate float64) string {
	p, ok := decimal(text)
	switch {
	case !ok:
		return ""
	case p < 0.0001 && !(p > errorRate):
		return "< 0.0001"
	}
	return analysis.P(p, errorRate)
}

// intervalOf the ratio, in the form of the ratio; empty without one.
func intervalOf(e v1alpha1.ComparisonEntry) string {
	r, ok := decimal(e.Ratio)
	return intervalAs(e, ok && nearOne(r))
}

// nearOne is a ratio that is shown as a difference in percent.
func nearOne(r float64) bool { return r > 1/1.25 && r < 1.25 }

// intervalAs differences in percent, or as ratios.
func intervalAs(e v1alpha1.ComparisonEntry, percents bool) string {
	low, has := decimal(e.IntervalLow)
	high, also := decimal(e.IntervalHigh)
	if !has || !also {
		return ""
	}
	if percents {
		return percent(low-1) + " to " + percent(high-1)
	}
	return ratioText(low) + " to " + ratioText(high)
}

// tally of verdicts, such as "4 faster, 1 inconclusive".
func tally(entries []v1alpha1.ComparisonEntry) string {
	var order []string
	counts := map[string]int{}
	for _, e := range entries {
		word := strings.ToLower(string(e.Verdict))
		if counts[word]++; counts[word] == 1 {
			order = append(order, word)
		}
	}
	for i, word := range order {
		order[i] = fmt.Sprintf("%d %s", counts[word], word)
	}
	return strings.Join(order, ", ")
}

// words of a name in CamelCase. Letters that are all large are one word, as in IntegerCPU.
func words(name string) string {
	var out strings.Builder
	last, large := rune(0), func(r rune) bool { return r >= 'A' && r <= 'Z' }
	for i, r := range name {
		if i > 0 && large(r) && !large(last) {
			out.WriteByte(' ')
		}
		out.WriteRune(r)
		last = r
	}
	words := strings.Fields(out.String())
	for i, word := range words {
		if len(word) == 1 || strings.ToUpper(word) != word {
			words[i] = strings.ToLower(word)
		}
	}
	return strings.Join(words, " ")
}

// decimal number of the status; false for anything else.
func decimal(text string) (float64, bool) {
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// plural of a counted noun.
func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return chart.Figure(float64(n)) + " " + one + "s"
}

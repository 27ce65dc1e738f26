package readout

import (
	"fmt"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
)

// sentences of the codes. A name in braces stands for a value: {blocks} as it is, {effect:share} a share in percent,
// {value:number} a number with its digits.
var sentences = map[v1alpha1.ReasonCode]string{
	v1alpha1.CodeFamilyTooLarge:    "{comparisons} comparisons need {needed} blocks, and the plan has {blocks}",
	v1alpha1.CodeInSequence:        "the trials ran in sequence, so that a drift over time looks like an effect",
	v1alpha1.CodeNoPair:            "no block has a counted value on both sides",
	v1alpha1.CodeNotMeasured:       "no trial that counts has this measurement on both sides, in one unit",
	v1alpha1.CodeNotInBothRuns:     "no trial that counts has this measurement in both runs, with the same labels and unit",
	v1alpha1.CodeNotComparable:     "the values lie between {low:number} and {high:number}: a ratio of more than {most:number} compares nothing",
	v1alpha1.CodeNotPositive:       "a value is {value:number}, and a ratio needs positive values",
	v1alpha1.CodeNoStatistic:       "{message}",
	v1alpha1.CodeOneObservation:    "it is the largest value since the server began, so that all blocks are one observation",
	v1alpha1.CodeTooFewBlocks:      "{blocks} blocks count on both sides, and a verdict needs {needed}",
	v1alpha1.CodeFewerThanFamily:   "{blocks} blocks count on both sides, and {comparisons} comparisons need {needed}",
	v1alpha1.CodeNotAlike:          "analysis.requireLike is not met: {unmet}",
	v1alpha1.CodeNotDeclared:       "it was not declared before the data",
	v1alpha1.CodeDiffersFromItself: "the baseline differs from itself",
	v1alpha1.CodeNoInterval:        "{blocks} blocks have no interval at an error rate of {errorRate:share}",
	v1alpha1.CodeCoarserThanEffect: "the resolution is coarser than the minimum effect of {minimumEffect:share}",
	v1alpha1.CodeOneRun:            "one run says nothing of the difference between runs",
	v1alpha1.CodeEqualRuns:         "{runs} runs have one ratio to the last digit, so that their spread is unknown",
	v1alpha1.CodeSpreadOfRuns:      "the ratios of {runs} runs have a standard deviation of {spread:share}",
	v1alpha1.CodeSpreadOfValues:    "the values of a run have a standard deviation of about {spread:share}",

	v1alpha1.CodeControlUnchecked: "so few blocks cannot show that the baseline differs from itself: that takes {needed}",

	v1alpha1.CodeMostDisturbed: "{trials} of {of} trials of both sides were disturbed ({by}), as more than half of the blocks were: they count, and decide nothing",

	v1alpha1.CodeOneStart:       "of one start of each server",
	v1alpha1.CodeOneOrder:       "every block measured the cells in one order, so that a drift within a block looks like an effect",
	v1alpha1.CodeClientLimit:    "in {trials} of {of} trials of both sides a client was at its own CPU limit",
	v1alpha1.CodeServerLimit:    "in {trials} of {of} trials of both sides the server used up its CPU limit: this is what so much CPU gives",
	v1alpha1.CodeOneCPU:         "in {trials} of {of} trials server and tool took turns on one CPU",
	v1alpha1.CodeSaturated:      "in {trials} of {of} trials of both sides the offered rate was not achieved, so that the latency grows with the window",
	v1alpha1.CodeNotSteady:      "in {trials} of {of} trials of both sides the throughput changed within the window by more than 5 %",
	v1alpha1.CodeWindowTooShort: "steadiness unknown in {trials} of {of} trials of both sides: their windows are too short",
	v1alpha1.CodeRateOffered:    "a rate was offered, so that this is not the most that a server can do",
	v1alpha1.CodeSearchStep:     "a search finds rates to within {step:share}, which the interval includes",
	v1alpha1.CodeOneRunEach:     "each side is one run: differences between runs are not in the interval",
	v1alpha1.CodeUnequalRuns:    "the runs have {low} to {high} blocks, and each counts the same",

	v1alpha1.CodeTooFewLoads:        "{loads} of {of} loads have a counted trial, and a knee needs {needed}",
	v1alpha1.CodeNoCommonBlock:      "a load has no counted trial in a block in which the lightest one has one",
	v1alpha1.CodeLoadsLeftOut:       "{loads} of {of} loads have no counted trial",
	v1alpha1.CodeLightestLeftOut:    "the lightest load has no counted trial, and {load} takes its place",
	v1alpha1.CodeSweepTooFewBlocks:  "no interval: {loads} loads need {needed} blocks, and a load has {blocks} that count",
	v1alpha1.CodeNotSaturated:       "the heaviest load has the most: the knee is at {least} {axis} or beyond, and the peak may be beyond {high}",
	v1alpha1.CodeLightestHasMost:    "the lightest load has the most: no knee within {low} to {high} {axis}",
	v1alpha1.CodeNoMoreThanLightest: "no load was shown to give more than the lightest one",
	v1alpha1.CodeKneeBeyond:         "the knee may be beyond the heaviest load",
	v1alpha1.CodePeakBeyond:         "the peak may be beyond the heaviest load",
	v1alpha1.CodeMoreThanProportion: "there is more than in proportion to the load, so that something holds the lightest load back",
	v1alpha1.CodePeakRateOffered:    "at the peak a rate was offered and achieved, so that this is not the most that a server can do",
	v1alpha1.CodePeakServerLimit:    "at the peak the server used up its CPU limit in {trials} of {of} trials: with another limit knee and peak are elsewhere",
	v1alpha1.CodePeakClientLimit:    "at the peak a client was at its own CPU limit in {trials} of {of} trials: knee and peak may be those of the client",
	v1alpha1.CodeLoadsClientLimit:   "at the other loads a client was at its own CPU limit in {trials} of {of} trials",
}

// Sentence of a reason, without a capital and a full stop. A code that is not known is told as it is, with its values.
func Sentence(r v1alpha1.VerdictReason) string {
	text, known := sentences[r.Code]
	if !known {
		text = string(r.Code)
		if len(r.Values) > 0 {
			text += " (" + whereOf(r.Values) + ")"
		}
		return contract.Line(text)
	}
	for name, value := range r.Values {
		text = strings.NewReplacer(
			"{"+name+"}", value, "{"+name+":share}", figure.ShareText(value), "{"+name+":number}", figure.Text(value),
		).Replace(text)
	}
	if r.Code == v1alpha1.CodeTooFewBlocks && r.Values["family"] != "" {
		text += fmt.Sprintf("; to show a difference, %s comparisons together need %s", r.Values["comparisons"], r.Values["family"])
	}
	if both := r.Values["both"]; r.Code == v1alpha1.CodeNotPositive && both != "" {
		text = "both sides are " + both + ", and a ratio needs positive values"
	}
	if run := r.Values["run"]; run != "" {
		text = "run " + run + ": " + text
	}
	return contract.Line(text)
}

// sentencesOf reasons, in their order.
func sentencesOf(reasons []v1alpha1.VerdictReason) (out []string) {
	for _, r := range reasons {
		out = append(out, Sentence(r))
	}
	return out
}

package readout

import (
	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/verdict/analysis"
)

// PMeans says what a p-value is.
const PMeans = "the probability of such a difference, or a more extreme one, if nothing differed"

// What intervals and p-values are, in the words of every table that has them.
const (
	// MedianLegend is that of intervals of medians.
	MedianLegend = "The interval of a median is made of order statistics, and assumes no distribution of the trials. Its coverage, 95 % or more, is beside it. " +
		"Fewer than 6 trials have none."
	// RatioLegend is that of intervals and p-values of ratios.
	RatioLegend = "Beside the interval of a ratio is its confidence, of this interval by itself. A p is " + PMeans + ". A p by itself is that of one comparison. " +
		"The adjusted p is for all declared comparisons together, by Holm's procedure; it decides the verdict, and the interval has the level at which that procedure tested. " +
		"Equivalent is decided by an interval of its own, of two one-sided tests (90 % for one comparison at 5 %): the other one, which is wider, may reach beyond the minimum effect."
)

// Method of a run's comparisons: where ratios, intervals and p-values come from.
func Method(order v1alpha1.TrialOrder) string {
	if order == v1alpha1.OrderSequential {
		return "Trials in sequence are no pairs. A ratio is the Hodges-Lehmann estimate over all trials of both sides, with the interval and p-value of the Mann-Whitney test."
	}
	return "A ratio is the Hodges-Lehmann estimate over the pairs of trials in one block, with the interval and p-value of Wilcoxon's signed-rank test."
}

// MethodOfRuns of the comparisons of several runs: where their ratios, intervals and p-values come from.
func MethodOfRuns(kind analysis.Kind) string {
	if kind == analysis.OverRuns {
		return "A ratio is the geometric mean over the runs, whose interval and p-value are those of Student's t distribution: how the runs differ is part of them."
	}
	return "A ratio is the Hodges-Lehmann estimate over the trials of both runs, with the interval and p-value of the Mann-Whitney test: how runs differ is no part of them."
}

package report

import (
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/trial/costs"
)

// speedUpLegend says what nobody may take for a verdict.
const speedUpLegend = "A number of times as fast below a median is what the tool itself has computed in each trial, against the baseline of its workload: " +
	"the median of that, without a test. So it has a question mark, as every ratio without a verdict."

// speedUpsOf the run: the medians of what the tool has computed in each trial, how many times as fast as its baseline.
func speedUpsOf(in Input) map[string]float64 {
	out := map[string]float64{}
	for i := range in.Entries {
		e := &in.Entries[i]
		if v, ok := figure.Decimal(e.Median); ok && e.Name == contract.NameSpeedUp {
			out[placeKey(e)] = v
		}
	}
	return out
}

// placeKey of what an entry is about, whatever was measured of it.
func placeKey(e *v1alpha1.SummaryEntry) string { return keyOf(e.Cell, e.Target, "", "", e.Labels) }

// speedUp of an entry, as published comparisons print it, with the mark of what has no verdict: 21.0x as fast ?. Empty for the baseline itself, for what the tool has
// no speed-up of, and for numbers that say nothing of how fast it is.
func (of ratios) speedUp(e *v1alpha1.SummaryEntry) string {
	v, has := of.speedUps[placeKey(e)]
	if !has || v == 1 || e.Name == contract.NameSpeedUp || slices.Contains(costs.Names(), e.Name) || e.Direction == "" || v <= 0 {
		return ""
	}
	return figure.Factor(v) + "x as fast ?"
}

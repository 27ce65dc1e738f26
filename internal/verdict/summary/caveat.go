package summary

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/trial/validity"
)

// caveat of an entry, from its counted trials. Each trial is checked with its own share of
// throttled periods, including shares too small for LimitedBy, because a median would mix
// trials with and without an effect of the quota.
func caveat(e v1alpha1.SummaryEntry, behind []outcome) string {
	var words []string
	if text := disturbedCaveat(behind); text != "" {
		words = append(words, text)
	}
	if contract.OfSecondLoad(e.Labels) {
		return strings.Join(words, "; ") // limits and rates of a trial are those of its workload
	}
	for _, kind := range []v1alpha1.LimitKind{v1alpha1.LimitCPU, v1alpha1.LimitClient} {
		var deciding []float64
		for _, o := range behind {
			for _, l := range o.record.Throttled {
				share := l.ThrottledShare
				if share != nil && l.By == string(kind) && validity.QuotaCaveat(e.Name, e.Labels, *share) != "" {
					deciding = append(deciding, *share)
				}
			}
		}
		if sum, err := stats.Summarize(deciding); err == nil {
			words = append(words, inSome(int32(len(deciding)), e.TrialCount)+validity.QuotaCaveat(e.Name, e.Labels, round(sum.Median)))
		}
	}
	if e.SaturatedTrialCount > 0 {
		if text := validity.SaturationCaveat(e.Name); text != "" {
			words = append(words, inSome(e.SaturatedTrialCount, e.TrialCount)+text)
		}
	}
	return strings.Join(words, "; ")
}

// disturbedCaveat says that trials behind a median were disturbed; empty where none was. They are there because that lasted.
func disturbedCaveat(behind []outcome) string {
	n, by := 0, map[string]bool{}
	for _, o := range behind {
		if o.record.Disturbed {
			n++
			for _, check := range DisturbedBy(o.record) {
				by[check] = true
			}
		}
	}
	if n == 0 {
		return ""
	}
	checks := slices.Sorted(maps.Keys(by))
	var of []string
	if !slices.ContainsFunc(checks, validity.LastsThroughout) || len(checks) > 1 {
		of = append(of, "a server beside other work")
	}
	if slices.ContainsFunc(checks, validity.LastsThroughout) {
		of = append(of, "containers of another size than when the data was loaded")
	}
	return fmt.Sprintf("%d of %d trials were disturbed (%s), as most of the run was: the number is that of %s", n, len(behind), strings.Join(checks, ", "), strings.Join(of, ", and of "))
}

// inSome is the number of affected trials as text; empty when all are affected.
func inSome(n, of int32) string {
	if n >= of {
		return ""
	}
	return fmt.Sprintf("in %d of %d trials: ", n, of)
}

package summary

import (
	"maps"
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/trial/validity"
)

// Lasting are the checks that disturbed more than half of the pairs with a valid result, in the order of their names: of
// those whose interference can last. What disturbs most of a run is a condition of the run. Leaving it out would leave nothing
// to be shown, or a few pairs that an accident chose. A restart or a step of the clock is an event, and never lasts.
//
// The rule knows the checks of the trials, and none of their values.
func Lasting(p *plan.Plan, records []contract.Record) []string {
	last, measured, disturbed := LastRecords(records), map[pair]bool{}, map[string]map[pair]bool{}
	for _, t := range p.Trials {
		rec, at := last[t.Index], pair{t.Block, t.Cell}
		if rec == nil || rec.State != contract.Succeeded || rec.Valid == nil || !*rec.Valid {
			continue
		}
		measured[at] = true
		for _, check := range DisturbedBy(rec) {
			if disturbed[check] == nil {
				disturbed[check] = map[pair]bool{}
			}
			disturbed[check][at] = true
		}
	}
	maps.DeleteFunc(disturbed, func(check string, pairs map[pair]bool) bool {
		return !validity.Lasts(check) || 2*len(pairs) <= len(measured)
	})
	return slices.Sorted(maps.Keys(disturbed))
}

// LeftOutShown is LeftOut for what a run shows of itself. A trial that was disturbed by nothing but what lasted is there, and
// so is its block. Nothing is decided by such a trial: its medians are marked, its comparisons are exploratory, and gates,
// baselines and histories use LeftOut.
func LeftOutShown(p *plan.Plan, records []contract.Record) []v1alpha1.LeftOutReason {
	return reasonsOf(p, records, Lasting(p, records))
}

// DisturbedBy are the checks that found a trial disturbed.
func DisturbedBy(rec *contract.Record) (checks []string) {
	for _, f := range rec.Findings {
		if f.Severity == string(validity.Disturbed) {
			checks = append(checks, f.Check)
		}
	}
	return checks
}

// isShown says whether a disturbed trial was disturbed by nothing but what lasted.
func isShown(rec *contract.Record, lasting []string) bool {
	checks := DisturbedBy(rec)
	return len(checks) > 0 && !slices.ContainsFunc(checks, func(check string) bool { return !slices.Contains(lasting, check) })
}

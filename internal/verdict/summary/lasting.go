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
// to be shown, or a few pairs that an accident chose. A restart or a step of the clock is an event, and never lasts. A container
// that was resized is a condition only where all trials of its target had that size: medians of two sizes are of neither.
//
// The rule knows what was found about the trials, and none of their values.
func Lasting(p *plan.Plan, records []contract.Record) []string {
	last, measured, disturbed := LastRecords(records), map[pair]bool{}, map[string]map[pair]bool{}
	byTarget := map[int32][]*contract.Record{}
	for _, t := range p.Trials {
		rec, at := last[t.Index], pair{t.Block, t.Cell}
		if rec == nil || rec.State != contract.Succeeded || rec.Valid == nil || !*rec.Valid {
			continue
		}
		measured[at] = true
		byTarget[t.Target] = append(byTarget[t.Target], rec)
		for _, check := range DisturbedBy(rec) {
			if disturbed[check] == nil {
				disturbed[check] = map[pair]bool{}
			}
			disturbed[check][at] = true
		}
	}
	maps.DeleteFunc(disturbed, func(check string, pairs map[pair]bool) bool {
		if validity.LastsThroughout(check) {
			return !sameThroughout(byTarget, check)
		}
		return !validity.Lasts(check) || 2*len(pairs) <= len(measured)
	})
	return slices.Sorted(maps.Keys(disturbed))
}

// sameThroughout says whether a check found the same in all trials of each target, or nothing in any of them.
func sameThroughout(byTarget map[int32][]*contract.Record, check string) bool {
	for _, trials := range byTarget {
		for _, rec := range trials[1:] {
			if !slices.Equal(saidBy(rec, check), saidBy(trials[0], check)) {
				return false
			}
		}
	}
	return true
}

// saidBy a check of a trial that it disturbed.
func saidBy(rec *contract.Record, check string) (messages []string) {
	for _, f := range rec.Findings {
		if f.Check == check && f.Severity == string(validity.Disturbed) {
			messages = append(messages, f.Message)
		}
	}
	return messages
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

package export

import (
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/experiment/search"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/verdict/summary"
)

// superseded is why an attempt is left out that was repeated.
const superseded = "Superseded"

// leftOut is why trials do not count, by their index; a trial that counts has an empty reason, and one
// that no plan has is absent.
func leftOut(run *stored.Run) map[int32]v1alpha1.LeftOutReason {
	out := map[int32]v1alpha1.LeftOutReason{}
	if run.Plan == nil {
		return out
	}
	plan, rule := run.Plan, summary.LeftOutShown
	if run.Object.Spec.Search != nil { // its trials are no pairs, and it uses no disturbed one
		plan, rule = search.Judged(run.Plan, run.Records), summary.LeftOut
	}
	for i, reason := range rule(plan, run.Records) {
		out[plan.Trials[i].Index] = reason
	}
	return out
}

// warningsOf a record: the checks that have a doubt about the trial, sorted.
func warningsOf(rec contract.Record) (out []string) {
	for _, f := range rec.Findings {
		if f.Severity == v1alpha1.SeverityWarning {
			out = append(out, f.Check)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// leftOutReason is why an attempt does not stand behind the medians; empty for one that does.
func leftOutReason(rec contract.Record, left map[int32]v1alpha1.LeftOutReason) string {
	if !rec.Final {
		return superseded
	}
	reason, planned := left[rec.Index]
	if !planned {
		reason = v1alpha1.LeftOutNotRun
	}
	return string(reason)
}

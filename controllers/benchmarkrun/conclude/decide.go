package conclude

import (
	"cmp"
	"fmt"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment/search"
	"github.com/assay-bench/assay/internal/ground/budget"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/verdict/analysis"
	"github.com/assay-bench/assay/internal/verdict/summary"
)

// Input is what the end of a run is decided from.
type Input struct {
	// Run as it was read.
	Run *v1alpha1.BenchmarkRun
	// Plan of the run; nil when there is none.
	Plan *plan.Plan
	// Input of the comparisons: the names of the measurements that the summary has, in their order; the
	// records of all attempts, none where nothing was recorded or the journal is lost; and what is
	// compared, where a layout without a plan compares nothing.
	analysis.Input
	// Search of the run; nil without one. Its plan is the whole one, with the trials that were skipped.
	Search *search.Search
	// Failure of the run; without a reason for none.
	Failure decision.Failed
	// Checked is what the comparison of all that is stored with its digests found.
	Checked Checked
}

// Result is the end of a run.
type Result struct {
	// State is Done, or says why the end cannot be written yet.
	State decision.State
	// Actions store the summary.
	Actions []decision.Action
	// Status has what the status shows of the end: the summary and its headline, the comparisons and what their
	// targets differ in, the sweeps, the answers of searches, and the speed of the nodes. Its results have
	// the counts of what is stored; nil where nothing is.
	Status v1alpha1.BenchmarkRunStatus
	// Bytes that the stored summary takes.
	Bytes int64
	// SummarySHA256 is the digest of the last part; empty without one.
	SummarySHA256 string
	// Findings about the run as a whole.
	Findings []v1alpha1.Finding
	// Verdict on the results.
	Verdict Verdict
}

// Decide summarises the trials that count, for each cell and target, and judges them. It has no
// meaning while questions are open.
func Decide(in Input, ask *decision.Asking) Result {
	out := Result{State: decision.Done{}}
	if in.Plan == nil {
		return out
	}
	judged := in.Plan
	if in.Search != nil {
		judged = search.Judged(in.Plan, in.Records)
	}
	became := fatesOf(judged, in.Records)
	if in.Search != nil {
		became.lasting = nil // a search uses no disturbed trial
	}
	out.Verdict = in.Checked.verdict(became.verdict())
	if in.Run.Spec.OnlyLoads() && !out.Verdict.Known && in.Failure.Reason == "" {
		out.Verdict = onlyLoaded(in.Run.Status.Targets)
	}
	if len(in.Records) == 0 {
		return out
	}
	st := &out.Status
	st.MachineSpeed, out.Findings = machineSpeed(in.Records)
	out.Findings = append(out.Findings, in.Checked.findings()...)
	var found searched
	if in.Search != nil {
		in, found = in.reduce()
		out.Findings = append(out.Findings, found.findings...)
		st.Searches = found.entries[:min(len(found.entries), maxSearches)]
	}
	entries, left := summary.Of(summary.Input{Plan: in.Plan, Names: in.Names, Records: in.Records})
	if left > 0 {
		out.Findings = append(out.Findings, v1alpha1.Finding{Check: "summary-cut", Severity: v1alpha1.SeverityWarning, Message: fmt.Sprintf(
			"%d values and entries are not in the summary, which has room for %d measurements of a cell and %d entries: the records have them; use fewer labels",
			left, summary.MaxKinds, summary.MaxEntries)})
	}
	out.Findings = append(out.Findings, saturatedCells(in.Names, entries)...)
	st.Summary = summary.Shown(entries, in.Names, summary.MaxShown)
	st.Headline = cmp.Or(found.headline, readout.Headline(in.Plan, in.Names, entries))
	compared := in.compare()
	readout.Describe(in.Run, compared.Entries, compared.Sweeps, compared.Differences)
	st.Comparisons = compared.Entries[:min(len(compared.Entries), maxCompared)]
	st.Differences = compared.Differences[:min(len(compared.Differences), maxDiffering)]
	st.Sweeps = compared.Sweeps[:min(len(compared.Sweeps), maxSwept)]
	out.Findings = append(out.Findings, compared.Findings...)
	parts, err := journal.SplitSummary(journal.Summary{Entries: entries, Comparisons: compared.Entries, Sweeps: compared.Sweeps, Searches: found.entries})
	if err != nil {
		return Result{State: decision.WaitFor(v1alpha1.ReasonRetrying, "trying again: %v", err)}
	}
	for i, data := range parts {
		cm := resources.Journal(in.Run, contract.SummaryName(in.Run.Name, int32(i)), contract.KeySummary, data)
		if stale := decision.Stale(ask, cm, contract.KeySummary); stale != nil {
			return Result{State: decision.WaitFor(v1alpha1.ReasonProgressing, "ConfigMap %s is written again", cm.Name), Actions: []decision.Action{stale}}
		}
		out.Actions = append(out.Actions, decision.Create{Object: cm})
		out.Bytes += budget.OfConfigMap(cm)
	}
	if len(parts) > 0 {
		out.SummarySHA256 = contract.Digest(parts[len(parts)-1])
		st.Results = &v1alpha1.ResultsStatus{
			SummaryConfigMapCount: int32(len(parts)), SummaryEntryCount: int32(len(entries)), ShownEntryCount: int32(len(st.Summary)),
			ComparisonCount: int32(len(compared.Entries)), ShownComparisonCount: int32(len(st.Comparisons)),
			SweepCount: int32(len(compared.Sweeps)), SearchCount: int32(len(found.entries)),
		}
	}
	return out
}

// Held is how many bytes the results of the trials hold.
func Held(records []contract.Record) (held int64) {
	for _, rec := range records {
		held += rec.ResultBytes
	}
	return held
}

// withData is how many targets hold data that an archive has.
func withData(targets []v1alpha1.TargetStatus) (n int) {
	for _, t := range targets {
		if t.Data != nil {
			n++
		}
	}
	return n
}

// Message of the condition Complete: the headline, and what of the summary stands
// elsewhere.
func Message(run *v1alpha1.BenchmarkRun) string {
	if run.Spec.OnlyLoads() {
		return fmt.Sprintf("the data set %s is there for %d of %d targets; nothing was measured (spec.data.policy: Make)",
			run.Spec.Data.Name, withData(run.Status.Targets), len(run.Provided()))
	}
	message := cmp.Or(run.Status.Headline, "no trial has a measurement for the summary")
	if elsewhere := summary.Elsewhere(run.Name, run.Status.Results); elsewhere != "" {
		message += "; " + elsewhere
	}
	shows := func(field string, shown, all int32) {
		if shown < all {
			message += fmt.Sprintf("; status.%s has %d of %d, and the ConfigMaps of the summary have all of them", field, shown, all)
		}
	}
	if r := run.Status.Results; r != nil {
		shows("comparisons", r.ShownComparisonCount, r.ComparisonCount)
		shows("searches", int32(len(run.Status.Searches)), r.SearchCount)
		shows("sweeps", int32(len(run.Status.Sweeps)), r.SweepCount)
	}
	return message
}

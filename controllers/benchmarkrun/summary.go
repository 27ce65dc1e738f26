package benchmarkrun

import (
	"context"
	"errors"

	"github.com/assay-bench/assay/internal/journal"
	"github.com/assay-bench/assay/internal/resources"
	"github.com/assay-bench/assay/internal/summary"

	"github.com/assay-bench/assay/internal/contract"
)

// summarise computes, for each cell and target, the median and spread of each
// measurement over the trials that count, and stores all of it. It returns the records of
// the run; none where nothing was recorded.
func (r *Reconciler) summarise(ctx context.Context, s *scope) ([]journal.Record, error) {
	s.run.Status.Summary = nil
	if s.plan == nil || s.journal.object == nil {
		return nil, nil
	}
	records, err := r.allRecords(ctx, s)
	var gone *refusal
	if errors.As(err, &gone) {
		return nil, nil // the run has failed for just this
	}
	if err != nil {
		return nil, err
	}
	s.showMachineSpeed(records)
	names := s.runner.Summary
	entries := summary.Of(summary.Input{Plan: s.plan, Names: names, Records: records})
	s.run.Status.Summary = summary.Shown(entries, names, summary.MaxShown)
	s.run.Status.Headline = summary.Headline(s.plan, names, entries)
	parts, err := journal.SplitSummary(entries)
	if err != nil {
		return nil, err
	}
	for i, data := range parts {
		cm := resources.Journal(s.run, contract.SummaryName(s.run.Name, int32(i)), contract.KeySummary, data)
		if _, err := r.ensure(ctx, s, cm); err != nil {
			return nil, err
		}
	}
	st := s.run.Status.Results
	st.Summary, st.SummaryEntries, st.SummaryShown = int32(len(parts)), int32(len(entries)), int32(len(s.run.Status.Summary))
	return records, nil
}

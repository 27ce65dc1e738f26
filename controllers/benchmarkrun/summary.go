package benchmarkrun

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/assay-bench/assay/internal/journal"
	"github.com/assay-bench/assay/internal/resources"

	"github.com/assay-bench/assay/internal/summary"

	"github.com/assay-bench/assay/internal/contract"
)

const (
	// maxValues of a trial stand in its record, and maxShown of them in the status.
	maxValues = 5000
	maxShown  = 60
)

// values are the measurements of a trial that go into its record, in the order of the
// names. Measurements of one name differ by their labels, such as the operation: those
// without labels come first, because they are about all operations together.
func values(names []string, res contract.Result) []contract.RecordedValue {
	var out []contract.RecordedValue
	for _, name := range names {
		var same []contract.RecordedValue
		for _, m := range res.Measurements {
			if m.Name == name && m.Value != nil {
				same = append(same, contract.RecordedValue{Name: name, Labels: m.Labels, Value: *m.Value, Unit: m.Unit, Direction: m.Direction})
			}
		}
		slices.SortStableFunc(same, func(a, b contract.RecordedValue) int { return cmp.Compare(len(a.Labels), len(b.Labels)) })
		out = append(out, same...)
	}
	return out[:min(len(out), maxValues)]
}

// valuesOf is how many values there are, whether or not a record has room for them.
func valuesOf(names []string, res contract.Result) (n int) {
	for _, m := range res.Measurements {
		if m.Value != nil && slices.Contains(names, m.Name) {
			n++
		}
	}
	return n
}

// summarise computes, for each cell and target, the median and spread of each
// measurement over the trials that count, and stores all of it. It returns the records of
// the run; none where nothing was recorded.
func (r *Reconciler) summarise(ctx context.Context, s *scope) ([]contract.Record, error) {
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
	st.SummaryConfigMapCount, st.SummaryEntryCount, st.ShownEntryCount = int32(len(parts)), int32(len(entries)), int32(len(s.run.Status.Summary))
	return records, nil
}

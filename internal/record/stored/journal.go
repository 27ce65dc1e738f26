package stored

import (
	"context"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/journal"
)

// Bytes that an entry of a summary takes about, beside its texts.
const entryBytes, labelBytes = 768, 64

// part of the journal.
func (r *Run) part(ctx context.Context, name, key string) ([]byte, error) {
	cm, err := r.ConfigMap(ctx, name)
	if err != nil {
		return nil, err
	}
	return cm.BinaryData[key], nil
}

func (r *Run) readPlan(ctx context.Context) error {
	if r.Object.Status.Plan == nil {
		return nil
	}
	var parts [][]byte
	for i := range r.Object.Status.Plan.ConfigMapCount {
		data, err := r.part(ctx, contract.PlanName(r.Object.Name, i), contract.KeyPlan)
		if err != nil {
			return err
		}
		if err := r.take(len(data)); err != nil {
			return err
		}
		parts = append(parts, data)
	}
	p, err := journal.JoinPlan(parts)
	if err != nil {
		return err
	}
	r.Plan = p
	return r.take(p.Memory())
}

func (r *Run) readRecords(ctx context.Context) error {
	if r.Object.Status.Results == nil {
		return nil
	}
	for i := range r.Object.Status.Results.RecordConfigMapCount {
		data, err := r.part(ctx, contract.RecordsName(r.Object.Name, i), contract.KeyRecords)
		if err != nil {
			return err
		}
		part, err := journal.DecodeRecords(data)
		if err != nil {
			return err
		}
		before := r.shared.Memory()
		part = r.shared.Compact(part)
		if err := r.take(part.Memory() + r.shared.Memory() - before); err != nil {
			return err
		}
		r.Records = append(r.Records, part.Records...)
	}
	return nil
}

func (r *Run) readSummary(ctx context.Context) error {
	st, s := r.Object.Status, &r.Summary
	if st.Results == nil || st.Results.SummaryConfigMapCount == 0 {
		*s = shown(st)
		return nil
	}
	for i := range st.Results.SummaryConfigMapCount {
		data, err := r.part(ctx, contract.SummaryName(r.Object.Name, i), contract.KeySummary)
		if err != nil {
			return err
		}
		part, err := journal.DecodeSummary(data)
		if err != nil {
			return err
		}
		if err := r.take(r.memoryOf(part)); err != nil {
			return err
		}
		s.Entries = append(s.Entries, part.Entries...)
		s.Comparisons = append(s.Comparisons, part.Comparisons...)
		s.Sweeps = append(s.Sweeps, part.Sweeps...)
		s.Searches = append(s.Searches, part.Searches...)
	}
	return nil
}

// memoryOf a part of the summary is about what it takes in bytes.
func (r *Run) memoryOf(part journal.Summary) int {
	labels := func(n int, all map[string]string) int {
		for name, value := range all {
			n += labelBytes + len(name) + len(value)
		}
		return n
	}
	reasons := func(n int, all []v1alpha1.VerdictReason) int {
		for _, r := range all {
			n = labels(n+labelBytes, r.Values)
		}
		return n
	}
	n := entryBytes * (len(part.Entries) + len(part.Comparisons) + len(part.Sweeps) + len(part.Searches))
	for _, e := range part.Entries {
		n += labels(labelBytes*(len(e.Parameters)+len(e.LeftOut)+len(e.LimitedBy))+len(e.Caveat), e.Labels)
	}
	for _, c := range part.Comparisons {
		n += reasons(labels(labelBytes*len(c.Parameters)+len(c.Text), c.Labels), c.Reasons)
		for _, u := range c.Unlike {
			n += labelBytes + len(u.Factor) + len(u.Value) + len(u.Baseline)
		}
	}
	for _, s := range part.Sweeps {
		n += reasons(labels(labelBytes*len(s.Parameters)+len(s.Text), s.Labels), s.Reasons)
	}
	return n
}

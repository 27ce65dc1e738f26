package analysis

import (
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/verdict/summary"
)

// place is a target in a cell.
type place struct{ target, cell int32 }

// limited counts the trials of a place whose numbers are not those of the server alone.
type limited struct {
	trials int
	// client: a client was at its own CPU limit. saturated: the offered rate was not achieved.
	// offered: a rate was offered.
	client, saturated, offered int
}

// countedTrial is a trial that counts, with the record of its last attempt.
type countedTrial struct {
	plan.Trial
	record *contract.Record
}

// countedTrials are the trials that count, in the order of the plan: only their values, limits and
// circumstances decide anything.
func countedTrials(l Layout, records []contract.Record) (out []countedTrial) {
	last := summary.LastRecords(records)
	for i, why := range summary.LeftOut(l.Plan, records) {
		if t := l.Plan.Trials[i]; why == "" {
			out = append(out, countedTrial{t, last[t.Index]})
		}
	}
	return out
}

// limitsOf the trials that count.
func limitsOf(l Layout, records []contract.Record) map[place]limited {
	out := map[place]limited{}
	for _, t := range countedTrials(l, records) {
		rec, n := t.record, out[place{t.Target, t.Cell}]
		n.trials++
		if slices.ContainsFunc(rec.LimitedBy, func(by contract.RecordedLimit) bool { return by.By == string(v1alpha1.LimitClient) }) {
			n.client++
		}
		if rec.Saturated {
			n.saturated++
		}
		if slices.ContainsFunc(rec.Values, func(v contract.RecordedValue) bool { return v.Name == contract.NameOffered }) {
			n.offered++
		}
		out[place{t.Target, t.Cell}] = n
	}
	return out
}

// limiting is what else than the servers decides the numbers of a comparison; none where nothing does.
func (a *analyst) limiting(c Contrast) (out []v1alpha1.VerdictReason) {
	x, y := a.limits[place{c.Value.Target, c.Value.Cell}], a.limits[place{c.Baseline.Target, c.Baseline.Cell}]
	trials := count(x.trials + y.trials)
	if n := x.client + y.client; n > 0 {
		out = append(out, because(v1alpha1.CodeClientLimit, "trials", count(n), "of", trials))
	}
	n := x.saturated + y.saturated
	switch {
	case strings.HasPrefix(c.Measurement.Name, "latency.") && n > 0:
		out = append(out, because(v1alpha1.CodeSaturated, "trials", count(n), "of", trials))
	case c.Measurement.Name == contract.NameThroughput && x.offered+y.offered > n:
		out = append(out, because(v1alpha1.CodeRateOffered))
	}
	return out
}

package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/plan"
	"github.com/assay-bench/assay/internal/summary"
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
	last := map[int32]*contract.Record{}
	for i := range records {
		last[records[i].Index] = &records[i]
	}
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

// caveat of a comparison: what else than the servers decides its numbers. Empty without any.
func (a *analyst) caveat(c Contrast) string {
	x, y := a.limits[place{c.Value.Target, c.Value.Cell}], a.limits[place{c.Baseline.Target, c.Baseline.Cell}]
	var words []string
	if n := x.client + y.client; n > 0 {
		words = append(words, fmt.Sprintf("in %d of %d trials a client was at its own CPU limit", n, x.trials+y.trials))
	}
	n := x.saturated + y.saturated
	switch {
	case strings.HasPrefix(c.Measurement.Name, "latency.") && n > 0:
		words = append(words, fmt.Sprintf("in %d of %d trials the offered rate was not achieved, and the latency grows with the window", n, x.trials+y.trials))
	case c.Measurement.Name == contract.NameThroughput && x.offered+y.offered > n:
		words = append(words, "a rate was offered, so that this is not the most that a server can do")
	}
	return strings.Join(words, "; ")
}

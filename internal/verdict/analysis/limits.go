package analysis

import (
	"maps"
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
	// disturbed by what lasted for most of the run: by says by what.
	disturbed int
	by        map[string]bool
}

// countedTrial is a trial that counts, with the record of its last attempt.
type countedTrial struct {
	plan.Trial
	record *contract.Record
}

// rule says why trials do not count: summary.LeftOut, or summary.LeftOutShown for what a run shows of itself.
type rule func(*plan.Plan, []contract.Record) []v1alpha1.LeftOutReason

// countedTrials are the trials that count, in the order of the plan: only their values, limits and
// circumstances decide anything.
func countedTrials(l Layout, records []contract.Record, leftOut rule) (out []countedTrial) {
	last := summary.LastRecords(records)
	for i, why := range leftOut(l.Plan, records) {
		if t := l.Plan.Trials[i]; why == "" {
			out = append(out, countedTrial{t, last[t.Index]})
		}
	}
	return out
}

// limitsOf the trials that a run shows.
func limitsOf(l Layout, records []contract.Record) map[place]limited {
	out := map[place]limited{}
	for _, t := range countedTrials(l, records, summary.LeftOutShown) {
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
		if rec.Disturbed {
			n.disturbed++
			n.by = maps.Clone(n.by)
			for _, check := range summary.DisturbedBy(rec) {
				if n.by == nil {
					n.by = map[string]bool{}
				}
				n.by[check] = true
			}
		}
		out[place{t.Target, t.Cell}] = n
	}
	return out
}

// disturbed says that trials of a comparison were disturbed, as most of the run was; none where none was. Whether it has a verdict
// then follows from what disturbed them, and from no value.
func (a *analyst) disturbed(c Contrast) (out []v1alpha1.VerdictReason) {
	x, y := a.limits[place{c.Value.Target, c.Value.Cell}], a.limits[place{c.Baseline.Target, c.Baseline.Cell}]
	n := x.disturbed + y.disturbed
	if n == 0 {
		return nil
	}
	by := maps.Clone(x.by)
	if by == nil {
		by = map[string]bool{}
	}
	maps.Copy(by, y.by)
	return append(out, because(v1alpha1.CodeMostDisturbed, "trials", count(n), "of", count(x.trials+y.trials), "by", strings.Join(slices.Sorted(maps.Keys(by)), ", ")))
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

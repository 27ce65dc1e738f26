package analysis

import (
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/stats"
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
	// notSteady: the throughput changed within the window. tooShort: the window is too short to know.
	notSteady, tooShort int
}

// plus is both together.
func (l limited) plus(o limited) limited {
	return limited{
		l.trials + o.trials, l.client + o.client, l.saturated + o.saturated, l.offered + o.offered, l.notSteady + o.notSteady, l.tooShort + o.tooShort,
	}
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
		switch stats.SteadyState(rec.Steadiness) {
		case stats.NotSteady:
			n.notSteady++
		case stats.TooShort:
			n.tooShort++
		}
		out[place{t.Target, t.Cell}] = n
	}
	return out
}

// limited are the trials of both sides of a contrast.
func (a *analyst) limited(c Contrast) limited {
	return a.limits[place{c.Value.Target, c.Value.Cell}].plus(a.limits[place{c.Baseline.Target, c.Baseline.Cell}])
}

// limiting is what else than the servers decides a measurement that has a verdict, by the trials of both sides; none where
// nothing does.
func limiting(measurement string, n limited) (out []v1alpha1.VerdictReason) {
	says := func(code v1alpha1.ReasonCode, trials int) {
		if trials > 0 {
			out = append(out, because(code, "trials", count(trials), "of", count(n.trials)))
		}
	}
	says(v1alpha1.CodeClientLimit, n.client)
	switch {
	case strings.HasPrefix(measurement, "latency."):
		says(v1alpha1.CodeSaturated, n.saturated)
	case measurement == contract.NameThroughput && n.offered > n.saturated:
		out = append(out, because(v1alpha1.CodeRateOffered))
	}
	says(v1alpha1.CodeNotSteady, n.notSteady)
	says(v1alpha1.CodeWindowTooShort, n.tooShort)
	return out
}

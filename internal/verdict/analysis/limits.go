package analysis

import (
	"maps"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/trial/likeness"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/verdict/summary"
)

// place is a target in a cell.
type place struct{ target, cell int32 }

// limited counts the trials of a place whose numbers are not those of the server alone.
type limited struct {
	trials int
	// client: a client was at its own CPU limit. server: the server was at its own. saturated: the offered rate was not achieved.
	// offered: a rate was offered.
	client, server, saturated, offered int
	// oneCPU: server and tool took turns on one CPU.
	oneCPU int
	// disturbed by what lasted for most of the run: by says by what.
	disturbed int
	by        map[string]bool
	// notSteady: the throughput changed within the window. tooShort: the window is too short to know.
	notSteady, tooShort int
}

// plus is both together.
func (l limited) plus(o limited) limited {
	by := maps.Clone(l.by)
	if by == nil {
		by = map[string]bool{}
	}
	maps.Copy(by, o.by)
	return limited{
		trials: l.trials + o.trials, client: l.client + o.client, server: l.server + o.server, saturated: l.saturated + o.saturated, offered: l.offered + o.offered,
		oneCPU: l.oneCPU + o.oneCPU, disturbed: l.disturbed + o.disturbed, by: by, notSteady: l.notSteady + o.notSteady, tooShort: l.tooShort + o.tooShort,
	}
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

// limitsOf the trials that count by a rule.
func limitsOf(l Layout, records []contract.Record, leftOut rule) limits {
	out := limits{}
	for _, t := range countedTrials(l, records, leftOut) {
		rec, n := t.record, out[place{t.Target, t.Cell}]
		n.trials++
		at := func(limit v1alpha1.LimitKind) bool {
			return slices.ContainsFunc(rec.LimitedBy, func(by contract.RecordedLimit) bool { return by.By == string(limit) })
		}
		if at(v1alpha1.LimitClient) {
			n.client++
		}
		if at(v1alpha1.LimitCPU) {
			n.server++
		}
		if likeness.OnOneCPU(rec.Facts) {
			n.oneCPU++
		}
		if rec.Saturated {
			n.saturated++
		}
		if slices.ContainsFunc(rec.Values, func(v contract.RecordedValue) bool {
			return v.Name == contract.NameOffered && !contract.OfGroup(v.Labels)
		}) {
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

// limits are those of the places of a run.
type limits map[place]limited

// of both sides of a contrast.
func (l limits) of(c Contrast) limited {
	return l[place{c.Value.Target, c.Value.Cell}].plus(l[place{c.Baseline.Target, c.Baseline.Cell}])
}

// disturbances say that trials of a comparison were disturbed, as most of the run was; none where none was. Whether it has a verdict
// then follows from what disturbed them, and from no value.
func (l limited) disturbances() []v1alpha1.VerdictReason {
	if l.disturbed == 0 {
		return nil
	}
	return []v1alpha1.VerdictReason{because(v1alpha1.CodeMostDisturbed, "trials", count(l.disturbed), "of", count(l.trials), "by", strings.Join(slices.Sorted(maps.Keys(l.by)), ", "))}
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
	if 2*n.server > n.trials { // a few such trials are a note of a median
		says(v1alpha1.CodeServerLimit, n.server)
	}
	says(v1alpha1.CodeOneCPU, n.oneCPU)
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

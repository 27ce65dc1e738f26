package summary

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/trial/validity"
)

// planOf has the trials of all blocks in the order block, cell, target.
func planOf(blocks, cells int, targets ...string) *plan.Plan {
	p := &plan.Plan{Targets: targets, Axes: []string{"threads"}}
	for c := range cells {
		p.Cells = append(p.Cells, plan.Cell{"threads": intstr.FromInt(1 << (c + 1))})
	}
	if cells == 1 {
		p.Axes, p.Cells = nil, []plan.Cell{{}}
	}
	for b := range blocks {
		for c := range cells {
			for t := range targets {
				p.Trials = append(p.Trials, plan.Trial{Index: int32(len(p.Trials)), Block: int32(b), Cell: int32(c), Target: int32(t)})
			}
		}
	}
	return p
}

type change func(*contract.Record)

// recordsOf the plan's trials: good ones with the throughput 100 and the index, and changes by index.
func recordsOf(p *plan.Plan, changes map[int]change) []contract.Record {
	var out []contract.Record
	for _, t := range p.Trials {
		rec := contract.Record{
			Final: true, Index: t.Index, Block: t.Block, Cell: t.Cell, Target: p.Targets[t.Target], State: contract.Succeeded, Valid: new(true),
			Values: []contract.RecordedValue{{Name: "throughput", Value: float64(100 + t.Index), Unit: "tx/s", Direction: "HigherIsBetter"}},
		}
		if f := changes[int(t.Index)]; f != nil {
			f(&rec)
		}
		out = append(out, rec)
	}
	return out
}

func isInvalid(r *contract.Record)       { r.Valid = new(false) }
func isOutside(r *contract.Record)       { r.Disturbed = true }
func hasFailed(r *contract.Record)       { r.State, r.Valid, r.Values = contract.Failed, nil, nil }
func hasNoThroughput(r *contract.Record) { r.Values = nil }

func limited(by string, share ...float64) change {
	return func(r *contract.Record) {
		limit := contract.RecordedLimit{By: by}
		if len(share) > 0 {
			limit.ThrottledShare = &share[0]
		}
		r.LimitedBy = append(r.LimitedBy, limit)
	}
}

func leftOut(reason v1alpha1.LeftOutReason, n int32) v1alpha1.LeftOut {
	return v1alpha1.LeftOut{Reason: reason, TrialCount: n}
}

var names = []string{"throughput", "latency.avg", "latency.percentile"}

// Two targets a and b, three blocks: a has the even trials, b the odd ones.
func TestWhatCountsAndWhatIsLeftOut(t *testing.T) {
	tests := map[string]struct {
		changes map[int]change
		// last is how many records there are; 0 for all.
		last int
		a, b v1alpha1.SummaryEntry
	}{
		"all trials count": {
			a: v1alpha1.SummaryEntry{Median: "102", Min: "100", Max: "104", TrialCount: 3},
			b: v1alpha1.SummaryEntry{Median: "103", Min: "101", Max: "105", TrialCount: 3},
		},
		"a disturbed trial takes its block with it, for every target": {
			changes: map[int]change{0: isOutside},
			a: v1alpha1.SummaryEntry{
				Median: "103", Min: "102", Max: "104", TrialCount: 2, LeftOut: []v1alpha1.LeftOut{leftOut("Disturbed", 1)},
				WithDisturbed: &v1alpha1.Spread{Median: "102", Min: "100", Max: "104", TrialCount: 3},
			},
			b: v1alpha1.SummaryEntry{
				Median: "104", Min: "103", Max: "105", TrialCount: 2, LeftOut: []v1alpha1.LeftOut{leftOut("BlockDisturbed", 1)},
				WithDisturbed: &v1alpha1.Spread{Median: "103", Min: "101", Max: "105", TrialCount: 3},
			},
		},
		"a trial that failed or is invalid leaves the other target alone": {
			changes: map[int]change{0: hasFailed, 3: isInvalid},
			a:       v1alpha1.SummaryEntry{Median: "103", Min: "102", Max: "104", TrialCount: 2, LeftOut: []v1alpha1.LeftOut{leftOut("Failed", 1)}},
			b:       v1alpha1.SummaryEntry{Median: "103", Min: "101", Max: "105", TrialCount: 2, LeftOut: []v1alpha1.LeftOut{leftOut("Invalid", 1)}},
		},
		"a cell without a usable trial is seen": {
			changes: map[int]change{0: isInvalid, 2: hasFailed, 4: hasNoThroughput},
			a:       v1alpha1.SummaryEntry{LeftOut: []v1alpha1.LeftOut{leftOut("Failed", 1), leftOut("Invalid", 1), leftOut("NoValue", 1)}},
			b:       v1alpha1.SummaryEntry{Median: "103", Min: "101", Max: "105", TrialCount: 3},
		},
		"all trials disturbed: the numbers are there, beside a median of none": {
			changes: map[int]change{0: isOutside, 1: isOutside, 2: isOutside, 3: isOutside, 4: isOutside, 5: isOutside},
			a: v1alpha1.SummaryEntry{
				LeftOut: []v1alpha1.LeftOut{leftOut("Disturbed", 3)}, WithDisturbed: &v1alpha1.Spread{Median: "102", Min: "100", Max: "104", TrialCount: 3},
			},
			b: v1alpha1.SummaryEntry{
				LeftOut: []v1alpha1.LeftOut{leftOut("Disturbed", 3)}, WithDisturbed: &v1alpha1.Spread{Median: "103", Min: "101", Max: "105", TrialCount: 3},
			},
		},
		"an invalid number is in no spread, disturbed or not": {
			changes: map[int]change{0: func(r *contract.Record) { isInvalid(r); isOutside(r) }},
			a:       v1alpha1.SummaryEntry{Median: "103", Min: "102", Max: "104", TrialCount: 2, LeftOut: []v1alpha1.LeftOut{leftOut("Invalid", 1)}},
			b: v1alpha1.SummaryEntry{
				Median: "104", Min: "103", Max: "105", TrialCount: 2, LeftOut: []v1alpha1.LeftOut{leftOut("BlockDisturbed", 1)},
				WithDisturbed: &v1alpha1.Spread{Median: "103", Min: "101", Max: "105", TrialCount: 3},
			},
		},
		"a run that ended early": {
			last: 3,
			a:    v1alpha1.SummaryEntry{Median: "101", Min: "100", Max: "102", TrialCount: 2, LeftOut: []v1alpha1.LeftOut{leftOut("NotRun", 1)}},
			b:    v1alpha1.SummaryEntry{Median: "101", Min: "101", Max: "101", TrialCount: 1, LeftOut: []v1alpha1.LeftOut{leftOut("NotRun", 2)}},
		},
		"what a target did to itself counts, with its label": {
			changes: map[int]change{0: limited("CPU", 0.9), 2: limited("CPU", 0.7), 3: limited("Client"), 5: func(r *contract.Record) { r.Saturated = true }},
			a: v1alpha1.SummaryEntry{
				Median: "102", Min: "100", Max: "104", TrialCount: 3, LimitedBy: []v1alpha1.LimitCount{{By: "CPU", TrialCount: 2, ThrottledShare: "0.8"}},
			},
			b: v1alpha1.SummaryEntry{Median: "103", Min: "101", Max: "105", TrialCount: 3, LimitedBy: []v1alpha1.LimitCount{{By: "Client", TrialCount: 1}}, SaturatedTrialCount: 1},
		},
		"limits are those of the trials behind the median": {
			changes: map[int]change{0: func(r *contract.Record) { limited("CPU", 0.9)(r); isInvalid(r) }},
			a:       v1alpha1.SummaryEntry{Median: "103", Min: "102", Max: "104", TrialCount: 2, LeftOut: []v1alpha1.LeftOut{leftOut("Invalid", 1)}},
			b:       v1alpha1.SummaryEntry{Median: "103", Min: "101", Max: "105", TrialCount: 3},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := planOf(3, 1, "a", "b")
			records := recordsOf(p, tc.changes)
			if tc.last > 0 {
				records = records[:tc.last]
			}
			for target, e := range map[string]*v1alpha1.SummaryEntry{"a": &tc.a, "b": &tc.b} {
				e.Target, e.Name, e.Unit, e.Direction, e.PlannedTrialCount = target, "throughput", "tx/s", "HigherIsBetter", 3
			}
			if diff := cmp.Diff([]v1alpha1.SummaryEntry{tc.a, tc.b}, allOf(Input{p, names, records})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Six values have an interval, and its coverage is said.
func TestIntervalHasItsCoverage(t *testing.T) {
	p := planOf(6, 1, "db")
	got := allOf(Input{p, names, recordsOf(p, nil)})[0]
	if got.IntervalLow != "100" || got.IntervalHigh != "105" || got.IntervalCoverage != "0.96875" {
		t.Errorf("interval %s to %s, coverage %s", got.IntervalLow, got.IntervalHigh, got.IntervalCoverage)
	}
}

// Of several attempts at a trial the last one counts, once.
func TestLastAttemptCounts(t *testing.T) {
	p := planOf(1, 1, "db")
	first := recordsOf(p, map[int]change{0: hasFailed})[0]
	first.Final = false
	second := recordsOf(p, nil)[0]
	second.Attempt = 1
	want := []v1alpha1.SummaryEntry{{
		Target: "db", Name: "throughput", Unit: "tx/s", Direction: "HigherIsBetter", Median: "100", Min: "100", Max: "100", TrialCount: 1, PlannedTrialCount: 1,
	}}
	if diff := cmp.Diff(want, allOf(Input{p, names, []contract.Record{first, second}})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A cell of which nothing is known has an entry of the main measurement, and nothing is
// said of a run that measured nothing at all.
func TestCellsWithoutARecord(t *testing.T) {
	p := planOf(1, 2, "db")
	got := allOf(Input{p, names, recordsOf(p, nil)[:1]})
	want := []v1alpha1.SummaryEntry{
		{Parameters: p.Cells[0], Target: "db", Name: "throughput", Unit: "tx/s", Direction: "HigherIsBetter", Median: "100", Min: "100", Max: "100", TrialCount: 1, PlannedTrialCount: 1},
		{
			Cell: 1, Parameters: p.Cells[1], Target: "db", Name: "throughput", Unit: "tx/s", Direction: "HigherIsBetter", PlannedTrialCount: 1,
			LeftOut: []v1alpha1.LeftOut{leftOut("NotRun", 1)},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := allOf(Input{p, names, nil}); got != nil {
		t.Errorf("a summary out of nothing: %+v", got)
	}
}

func TestLabelsAreKeptApart(t *testing.T) {
	p := planOf(3, 1, "db")
	give := func(v float64, operations ...string) change {
		return func(r *contract.Record) {
			r.Values = nil
			for _, o := range operations {
				value := contract.RecordedValue{Name: "latency.avg", Value: v, Unit: "ms"}
				if o != "" {
					value.Labels = map[string]string{"operation": o}
				}
				r.Values = append(r.Values, value)
			}
		}
	}
	// The last trial had no update: it is missing there, and no zero.
	got := allOf(Input{p, names, recordsOf(p, map[int]change{
		0: give(1, "read", "", "update"), 1: give(2, "", "read", "update"), 2: give(3, "", "read"),
	})})
	want := []v1alpha1.SummaryEntry{
		{Target: "db", Name: "latency.avg", Unit: "ms", Median: "2", Min: "1", Max: "3", TrialCount: 3, PlannedTrialCount: 3},
		{Target: "db", Name: "latency.avg", Labels: map[string]string{"operation": "read"}, Unit: "ms", Median: "2", Min: "1", Max: "3", TrialCount: 3, PlannedTrialCount: 3},
		{
			Target: "db", Name: "latency.avg", Labels: map[string]string{"operation": "update"}, Unit: "ms", Median: "1.5", Min: "1", Max: "2", TrialCount: 2, PlannedTrialCount: 3,
			LeftOut: []v1alpha1.LeftOut{leftOut("NoValue", 1)},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Whatever becomes of the trials: each that was planned is behind the median or left out
// for a reason, no cell or target is missing, and of a pair both count or none, unless one
// of them failed, contradicts itself or has no value.
func TestEveryTrialIsAccountedFor(t *testing.T) {
	random := rand.New(rand.NewPCG(12, 7))
	fates := []change{nil, nil, isInvalid, isOutside, hasFailed, hasNoThroughput, func(r *contract.Record) { isInvalid(r); isOutside(r) }}
	for round := range 500 {
		p := planOf(1+random.IntN(7), 1+random.IntN(4), []string{"a", "b", "c"}[:1+random.IntN(3)]...)
		changes := map[int]change{}
		for i := range p.Trials {
			changes[i] = fates[random.IntN(len(fates))]
		}
		records := recordsOf(p, changes)[:random.IntN(len(p.Trials)+1)]
		entries := allOf(Input{p, names, records})
		if len(entries) > 0 && len(entries) != len(p.Cells)*len(p.Targets) {
			t.Fatalf("round %d: %d entries for %d cells and %d targets", round, len(entries), len(p.Cells), len(p.Targets))
		}
		for _, e := range entries {
			sum, seen := e.TrialCount, map[v1alpha1.LeftOutReason]bool{}
			for _, l := range e.LeftOut {
				if sum += l.TrialCount; l.TrialCount <= 0 || seen[l.Reason] {
					t.Fatalf("round %d: left out %+v", round, e.LeftOut)
				}
				seen[l.Reason] = true
			}
			if want := counting(records, e); e.TrialCount != want {
				t.Fatalf("round %d: %d trials count, want %d: %+v", round, e.TrialCount, want, e)
			}
			blocks := int32(len(p.Trials) / len(p.Cells) / len(p.Targets))
			if sum != e.PlannedTrialCount || e.PlannedTrialCount != blocks || (e.Median == "") != (e.TrialCount == 0) {
				t.Fatalf("round %d: %d of %d blocks are accounted for: %+v", round, sum, blocks, e)
			}
		}
	}
}

// counting trials of an entry, found the long way: good ones of which no trial of the same
// cell and block was disturbed.
func counting(records []contract.Record, e v1alpha1.SummaryEntry) (n int32) {
	for _, rec := range records {
		good := rec.Cell == e.Cell && rec.Target == e.Target && rec.State == contract.Succeeded && *rec.Valid && len(rec.Values) > 0
		for _, other := range records {
			good = good && (other.Cell != rec.Cell || other.Block != rec.Block || !other.Disturbed)
		}
		if good {
			n++
		}
	}
	return n
}

func TestCaveats(t *testing.T) {
	p := func(percentile string) v1alpha1.SummaryEntry {
		return v1alpha1.SummaryEntry{Name: "latency.percentile", Labels: map[string]string{"p": percentile}, TrialCount: 3}
	}
	of := func(name string) v1alpha1.SummaryEntry { return v1alpha1.SummaryEntry{Name: name, TrialCount: 3} }
	// trials were throttled with these shares, one each; those with none were not.
	trials := func(by string, shares ...float64) []outcome {
		var out []outcome
		for _, share := range shares {
			rec := &contract.Record{}
			if share > 0 {
				rec.Throttled = []contract.RecordedLimit{{By: by, ThrottledShare: &share}}
			}
			out = append(out, outcome{record: rec})
		}
		return out
	}
	quota := func(what, share string) string {
		return "the " + what + " latency may depend on the CPU quota: operations waited for the next period of 100 ms in " + share + " % of the periods"
	}
	saturated := of("latency.avg")
	saturated.SaturatedTrialCount = 2
	capacity := of("throughput")
	capacity.SaturatedTrialCount = 3
	tests := map[string]struct {
		e      v1alpha1.SummaryEntry
		behind []outcome
		want   string
	}{
		"a throughput of a small machine is what it is":      {of("throughput"), trials("CPU", 0.9, 0.9, 0.9), ""},
		"a percentile within the throttled periods":          {p("95"), trials("CPU", 0.9, 0.9, 0.9), quota("95 %", "90")},
		"so is one that the client's quota decides":          {p("95"), trials("Client", 0.9, 0.9, 0.9), quota("95 %", "90")},
		"only some trials were limited":                      {p("95"), trials("CPU", 0.9, 0, 0), "in 1 of 3 trials: " + quota("95 %", "90")},
		"fewer periods than lie beyond the percentile":       {p("95"), trials("CPU", 0.01, 0.01, 0.01), ""},
		"one trial of which the median of all says nothing":  {p("95"), trials("CPU", 0.02, 0.02, 0.08), "in 1 of 3 trials: " + quota("95 %", "8")},
		"trials that the quota does not decide are not told": {p("95"), trials("CPU", 0.02, 0.08, 0.1), "in 2 of 3 trials: " + quota("95 %", "9")},
		"a higher percentile, by a share that is no label":   {p("99.9"), trials("CPU", 0.008, 0.008, 0.008), quota("99.9 %", "0.8")},
		"the longest, by a share that is no label":           {of("latency.max"), trials("CPU", 0.001, 0.001, 0.001), quota("longest", "0.1")},
		"nobody waited":      {of("latency.max"), trials("CPU", 0, 0, 0), ""},
		"a queue that grows": {saturated, trials("CPU", 0, 0, 0), "in 2 of 3 trials: " + validity.SaturationCaveat("latency.avg")},
		"the throughput of a saturated target is its capacity": {capacity, trials("CPU", 0, 0, 0), ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := caveat(tc.e, tc.behind); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

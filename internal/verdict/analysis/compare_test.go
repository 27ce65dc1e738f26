package analysis

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// recordsOf the plan: throughput by the target and cell, times noise that both sides of a block share
// and noise of each trial, and a latency that is its inverse.
func recordsOf(p *plan.Plan, spread float64, throughput func(target string, cell int32) float64) []contract.Record {
	random := rand.New(rand.NewPCG(3, 9))
	drift := make([]float64, len(p.Trials))
	for i := range drift {
		drift[i] = math.Exp(0.2 * random.NormFloat64())
	}
	var out []contract.Record
	for _, t := range p.Trials {
		v := throughput(p.Targets[t.Target], t.Cell) * drift[t.Block] * math.Exp(spread*random.NormFloat64())
		out = append(out, contract.Record{
			Final: true, Index: t.Index, Block: t.Block, Cell: t.Cell, Target: p.Targets[t.Target], State: contract.Succeeded, Valid: new(true),
			Values: []contract.RecordedValue{
				{Name: "throughput", Value: v, Unit: "tx/s", Direction: contract.HigherIsBetter},
				{Name: "latency.percentile", Labels: map[string]string{"p": "95"}, Value: 1000 / v, Unit: "ms", Direction: contract.LowerIsBetter},
				{Name: "latency.percentile", Labels: map[string]string{"p": "99"}, Value: 2000 / v, Unit: "ms", Direction: contract.LowerIsBetter},
				{Name: "time.setup", Value: 3, Unit: "s"}, // neither is better: it is not explored
			},
		})
	}
	return out
}

func conclude(t *testing.T, in Input, targets int, a *v1alpha1.Analysis) Result {
	t.Helper()
	var err error
	if in.Declaration, err = Declare(specOf(targets, a), names); err != nil {
		t.Fatal(err)
	}
	in.Names, in.Limit = names, 10000
	out, err := Conclude(in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func bOver(ratio float64) func(string, int32) float64 {
	return func(target string, _ int32) float64 {
		if target == "b" {
			return 100 * ratio
		}
		return 100
	}
}

// The circumstances of trials that do not count, such as disturbed ones, are those of no side.
func TestOnlyCountedTrialsAreAlike(t *testing.T) {
	p := planOf(10, 1, "a", "b")
	records := recordsOf(p, 0.01, bOver(1.5))
	for i := range records {
		if records[i].Block == 2 && records[i].Target == "b" {
			records[i].Disturbed = true
		}
	}
	var seen []int
	in := Input{Layout: Layout{Plan: p}, Records: records}
	for _, rec := range slices.Concat(in.Succeeded("a"), in.Succeeded("b")) {
		seen = append(seen, int(rec.Block))
	}
	if len(seen) != 18 || slices.Contains(seen, 2) {
		t.Errorf("blocks %v, want 9 of each side, and not the disturbed one", seen)
	}
}

// disturbedBy marks a trial, as a check found it.
func disturbedBy(rec *contract.Record, check string) {
	rec.Disturbed = true
	rec.Findings = append(rec.Findings, contract.RecordedFinding{Check: check, Severity: v1alpha1.SeverityDisturbed})
}

// A control of a disturbed run says nothing of the experiment, and comparisons that nobody declared say why they say nothing. Of
// two runs, and for what a run stores, no disturbed trial counts.
func TestADisturbedRunDecidesNothing(t *testing.T) {
	p := planOf(12, 1, "a", v1alpha1.ControlName, "b")
	in := Input{Layout: Layout{Plan: p}, Records: recordsOf(p, 0.001, func(target string, _ int32) float64 {
		return map[string]float64{"a": 100, v1alpha1.ControlName: 120, "b": 150}[target]
	})}
	for i := range in.Records {
		if in.Records[i].Block > 0 {
			disturbedBy(&in.Records[i], "steal")
		}
	}
	declared := analysisOf()
	declared.Control = true
	out := conclude(t, in, 2, declared)
	for _, e := range out.Entries {
		last := e.Reasons[len(e.Reasons)-1]
		if e.Verdict != v1alpha1.VerdictExploratory || e.BlockCount != 12 || last.Code != v1alpha1.CodeMostDisturbed || last.Values["trials"] != "22" {
			t.Errorf("entry %+v", e)
		}
	}
	if !slices.ContainsFunc(out.Entries, func(e v1alpha1.ComparisonEntry) bool { return e.Family == v1alpha1.FamilyControl }) || len(out.Findings) > 0 {
		t.Errorf("%d entries, findings %+v", len(out.Entries), out.Findings)
	}
	values, err := ValuesOf(Run{Input: in})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range values.Named([]string{"throughput"}) {
		if len(v.Blocks) != 1 {
			t.Errorf("%s: %d blocks may decide, want the one that was not disturbed", v.Target, len(v.Blocks))
		}
	}
}

func TestVerdicts(t *testing.T) {
	tests := map[string]struct {
		blocks        int
		ratio, spread float64
		order         v1alpha1.TrialOrder
		change        func([]contract.Record)
		require       []v1alpha1.LikeAspect
		throughput    v1alpha1.ComparisonVerdict
		latency       v1alpha1.ComparisonVerdict
		// reasons of the comparison of throughputs.
		reasons string
		// below: by less than matters.
		below bool
		// blocks that the minimum effect takes.
		blocksNeeded int32
	}{
		"half as much again": {
			blocks: 10, ratio: 1.5, spread: 0.01, throughput: "Faster", latency: "Faster", blocksNeeded: 11,
		},
		"slower":   {blocks: 10, ratio: 0.9, spread: 0.01, throughput: "Slower", latency: "Slower", blocksNeeded: 11},
		"the same": {blocks: 20, ratio: 1, spread: 0.003, throughput: "Equivalent", latency: "Equivalent", blocksNeeded: 7},
		"a difference that does not matter": {
			blocks: 20, ratio: 1.008, spread: 0.002, throughput: "Faster", latency: "Faster", blocksNeeded: 7, below: true,
		},
		"noise":          {blocks: 10, ratio: 1.01, spread: 0.1, throughput: "Inconclusive", latency: "Inconclusive", blocksNeeded: 794},
		"too few blocks": {blocks: 6, ratio: 1.5, spread: 0.01, throughput: "Exploratory", latency: "Exploratory", blocksNeeded: 11, reasons: "FamilyTooLarge blocks=6 comparisons=2 needed=7"},
		"disturbed pairs are left out, and count as missing blocks": {
			blocks: 10, ratio: 1.5, spread: 0.01, throughput: "Exploratory", latency: "Exploratory", blocksNeeded: 10,
			change: func(all []contract.Record) {
				for i := range 5 {
					all[4*i%len(all)].Disturbed = true
				}
			},
			reasons: "TooFewBlocks blocks=5 comparisons=2 family=7 needed=6",
		},
		"most blocks disturbed by what lasts": {
			blocks: 10, ratio: 1.5, spread: 0.01, throughput: "Exploratory", latency: "Exploratory", blocksNeeded: 11,
			change: func(all []contract.Record) {
				for i := range 6 {
					disturbedBy(&all[2*i], "neighbours")
				}
			},
			reasons: "MostDisturbed by=neighbours of=20 trials=6",
		},
		"most blocks disturbed by events": {
			blocks: 10, ratio: 1.5, spread: 0.01, throughput: "Exploratory", latency: "Exploratory", blocksNeeded: 7,
			change: func(all []contract.Record) {
				for i := range 6 {
					disturbedBy(&all[2*i], "clock-step")
				}
			},
			reasons: "TooFewBlocks blocks=4 comparisons=2 family=7 needed=6",
		},
		"blocks that count are fewer than the family needs": {
			blocks: 10, ratio: 1.5, spread: 0.01, throughput: "Inconclusive", latency: "Inconclusive", blocksNeeded: 11,
			change: func(all []contract.Record) {
				for i := range 4 {
					all[4*i%len(all)].Disturbed = true
				}
			},
			reasons: "FewerThanFamily blocks=6 comparisons=2 needed=7",
		},
		"a value of 0": {
			blocks: 10, ratio: 1.5, spread: 0.01, throughput: "Inconclusive", latency: "Faster",
			change: func(all []contract.Record) { all[3].Values[0].Value = 0 }, reasons: "NotPositive value=0",
		},
		"without a pair": {
			blocks: 10, ratio: 1.5, spread: 0.01, throughput: "Inconclusive", latency: "Inconclusive",
			change: func(all []contract.Record) {
				for i := range all {
					if (all[i].Block%2 == 0) == (all[i].Target == "a") {
						all[i].Values = nil
					}
				}
			},
			reasons: "NoPair",
		},
		"in sequence there is no verdict, and a drift is named": {
			blocks: 10, ratio: 5, spread: 0.01, order: v1alpha1.OrderSequential, throughput: "Exploratory", latency: "Exploratory", reasons: "InSequence",
		},
		"nobody can say whether it is alike": {
			blocks: 10, ratio: 1.5, spread: 0.01, throughput: "Inconclusive", latency: "Inconclusive", blocksNeeded: 11, require: []v1alpha1.LikeAspect{"durability"}, reasons: "NotAlike unmet=durability is not known of both sides",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := planOf(tc.blocks, 1, "a", "b")
			p.Order = tc.order
			records := recordsOf(p, tc.spread, bOver(tc.ratio))
			if tc.change != nil {
				tc.change(records)
			}
			got := conclude(t, Input{Layout: Layout{Plan: p}, Records: records}, 2, &v1alpha1.Analysis{MinimumEffect: "2%", ErrorRate: "5%", RequireLike: tc.require})
			if len(got.Entries) != 3 || got.Entries[2].Family != v1alpha1.FamilyExploratory || got.Entries[2].Labels["p"] != "99" {
				t.Fatalf("entries %+v", got.Entries)
			}
			if x, y := got.Entries[0], got.Entries[1]; x.Verdict != tc.throughput || y.Verdict != tc.latency || y.Labels["p"] != "95" {
				t.Errorf("verdicts %s (%s) and %s (%s)", x.Verdict, said(x.Reasons), y.Verdict, said(y.Reasons))
			}
			e := got.Entries[0]
			if said(e.Reasons) != tc.reasons || e.BelowMinimumEffect != tc.below || e.BlocksNeeded != tc.blocksNeeded {
				t.Errorf("reasons %q, want %q; below the minimum effect: %t; %d blocks needed, want %d", said(e.Reasons), tc.reasons, e.BelowMinimumEffect, e.BlocksNeeded, tc.blocksNeeded)
			}
		})
	}
}

// Pairs of which both sides are 0 have no ratio, and count as the blocks that they are: it says what both sides are.
func TestBothSidesAreZero(t *testing.T) {
	p := planOf(10, 1, "a", "b")
	records := recordsOf(p, 0, func(string, int32) float64 { return 100 })
	for i := range records {
		records[i].Values[0].Value = 0
	}
	got := conclude(t, Input{Layout: Layout{Plan: p}, Records: records}, 2, analysisOf(v1alpha1.Comparison{Factor: "target", Measurements: []v1alpha1.MeasurementRef{{Name: contract.NameThroughput}}}))
	if e := got.Entries[0]; e.BlockCount != 10 || e.Ratio != "" || said(e.Reasons) != "NotPositive both=0" {
		t.Errorf("%d blocks, ratio %q, %s", e.BlockCount, e.Ratio, said(e.Reasons))
	}
}

// The whole of one entry.
func TestEntry(t *testing.T) {
	p := planOf(8, 2, "a", "b")
	records := recordsOf(p, 0, func(_ string, cell int32) float64 { return 100 * float64(1+cell) })
	for i := range records { // no noise at all: each ratio is 2
		records[i].Values = records[i].Values[:1]
		records[i].Values[0].Value = 100 * float64(1+records[i].Cell)
	}
	got := conclude(t, Input{Layout: Layout{Plan: p}, Records: records}, 2, analysisOf(v1alpha1.Comparison{Factor: "threads", Measurements: []v1alpha1.MeasurementRef{{Name: "throughput"}}}))
	want := []v1alpha1.ComparisonEntry{}
	for _, target := range []string{"a", "b"} { // equal p-values share the strictest level
		want = append(want, v1alpha1.ComparisonEntry{
			Family: "Primary", Factor: "threads", Value: "2", Baseline: "1", Target: target, Cell: 1, Name: "throughput", Unit: "tx/s", Direction: "HigherIsBetter",
			Verdict: "Faster", Ratio: "2", IntervalLow: "2", IntervalHigh: "2", IntervalConfidence: "0.9766", P: "0.007812", AdjustedP: "0.01562",
			BlockCount: 8, PlannedBlockCount: 8,
		})
	}
	if diff := cmp.Diff(want, got.Entries); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A control that is the same has a resolution, and one that differs is flagged.
func TestControl(t *testing.T) {
	for name, tc := range map[string]struct {
		blocks  int
		factor  float64
		verdict v1alpha1.ComparisonVerdict
		reasons string
		flagged bool
	}{
		"the same":                     {12, 1, "Equivalent", "", false},
		"5 % slower":                   {12, 0.95, "Slower", "DiffersFromItself", true},
		"too few blocks to be checked": {8, 0.95, "Inconclusive", "CoarserThanEffect minimumEffect=0.02; ControlUnchecked blocks=8 needed=12", false},
	} {
		t.Run(name, func(t *testing.T) {
			p := planOf(tc.blocks, 1, "a", "b", "control")
			records := recordsOf(p, 0.005, func(target string, _ int32) float64 {
				if target == "control" {
					return 100 * tc.factor
				}
				return 100
			})
			got := conclude(t, Input{Layout: Layout{Plan: p}, Records: records}, 2, &v1alpha1.Analysis{Control: true, MinimumEffect: "2%", ErrorRate: "5%"})
			var control []v1alpha1.ComparisonEntry
			for _, e := range got.Entries {
				if e.Family == v1alpha1.FamilyControl {
					control = append(control, e)
				}
			}
			if len(control) != 2 || control[0].Verdict != tc.verdict || control[0].IntervalLow == "" || said(control[0].Reasons) != tc.reasons || (len(got.Findings) == 1) != tc.flagged {
				t.Errorf("findings %+v, control %+v", got.Findings, control)
			}
		})
	}
}

// A driver of another language is compared in another cell, and the label of a session that is left
// out is a value like any other.
func TestDriversAreCompared(t *testing.T) {
	l := drivers()
	l.Plan.Trials = nil
	var records []contract.Record
	speed := map[string]float64{"x": 100, "xPool": 50, "y": 200, "g": 400}
	for b := range int32(8) {
		for c := range int32(2) {
			t := plan.Trial{Index: int32(len(l.Plan.Trials)), Block: b, Cell: c}
			l.Plan.Trials = append(l.Plan.Trials, t)
			rec := contract.Record{Final: true, Index: t.Index, Block: b, Cell: c, Target: "a", State: contract.Succeeded, Valid: new(true)}
			for _, one := range l.Combinations {
				if one.in(l.Plan.Cells[c]) {
					rec.Values = append(rec.Values, contract.RecordedValue{
						Name: "throughput", Labels: one.Labels, Value: speed[one.Labels["driver"]+one.Labels["session"]] * (1 + 0.001*float64(b)), Unit: "ops/s", Direction: contract.HigherIsBetter,
					})
				}
			}
			records = append(records, rec)
		}
	}
	refs := []v1alpha1.MeasurementRef{{Name: "throughput"}}
	got := conclude(t, Input{Layout: l, Records: records}, 1, analysisOf(
		v1alpha1.Comparison{Factor: "driver", Baseline: value(intstr.FromString("x")), Measurements: refs},
		v1alpha1.Comparison{Factor: "session", Baseline: value(intstr.FromString("Dedicated")), Measurements: refs}))
	var texts []string
	for _, e := range got.Entries {
		texts = append(texts, string(e.Verdict)+" "+e.Value+" "+e.Ratio+" "+e.Baseline+" "+cmp.Diff(map[string]intstr.IntOrString(nil), e.Parameters))
	}
	want := []string{"Faster y 2 x ", "Faster g 4 x ", "Slower Pool 0.5 Dedicated "}
	for i, w := range want {
		if len(texts) != len(want) || !strings.HasPrefix(texts[i], w) {
			t.Fatalf("got %q, want %q", texts, want)
		}
	}
}

// 10,000 trials with ten measurements each are analysed in at most 3 s and 300 MiB.
func BenchmarkConclude(b *testing.B) {
	for name, tc := range map[string]struct{ blocks, cells int }{"10x500": {10, 500}, "100x50": {100, 50}} {
		p := planOf(1, 1, "a", "b")
		p.Axes, p.Cells, p.Trials = []string{"threads"}, nil, nil
		for c := range tc.cells {
			p.Cells = append(p.Cells, plan.Cell{"threads": intstr.FromInt(c)})
		}
		for block := range tc.blocks {
			for c := range tc.cells {
				for t := range 2 {
					p.Trials = append(p.Trials, plan.Trial{Index: int32(len(p.Trials)), Block: int32(block), Cell: int32(c), Target: int32(t)})
				}
			}
		}
		records := recordsOf(p, 0.02, bOver(1.1))
		for i := range records {
			for _, percentile := range []string{"50", "75", "90", "99.5", "99.9", "99.95", "99.99"} {
				v := records[i].Values[1]
				v.Labels, v.Value = map[string]string{"p": percentile}, v.Value*1.5
				records[i].Values = append(records[i].Values, v)
			}
		}
		d, err := Declare(specOf(2, nil), names)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Conclude(Input{Layout: Layout{Plan: p}, Declaration: d, Names: names, Records: records, Limit: 10000}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

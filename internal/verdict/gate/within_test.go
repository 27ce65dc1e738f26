package gate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/verdict/analysis"
)

// sides is a run of base and heads side by side.
type sides struct {
	blocks int
	// heads are the ratios of the throughputs of head0, head1 and so on to that of base, and spread that of the logarithms.
	heads  []float64
	spread float64
	// latency is compared, too.
	latency bool
	change  func(*Input)
}

// judged by a gate with a margin of 3 %.
func (x sides) judged(t testing.TB) Verdict {
	t.Helper()
	p := &plan.Plan{Targets: []string{"base"}, Cells: []plan.Cell{{}}}
	spec := v1alpha1.BenchmarkRunSpec{
		Workload: v1alpha1.Workload{Sysbench: &v1alpha1.SysbenchWorkload{}}, Targets: []v1alpha1.Target{{Name: "base", MySQL: &v1alpha1.MySQLTarget{}}},
		Gate: &v1alpha1.Gate{Comparisons: v1alpha1.ComparisonsDeclared, Margin: "3%"},
	}
	for i := range x.heads {
		name := fmt.Sprint("head", i)
		p.Targets, spec.Targets = append(p.Targets, name), append(spec.Targets, v1alpha1.Target{Name: name, MySQL: &v1alpha1.MySQLTarget{}})
	}
	c := v1alpha1.Comparison{Factor: v1alpha1.FactorTarget, Measurements: []v1alpha1.MeasurementRef{{Name: "throughput"}}}
	if x.latency {
		c.Measurements = append(c.Measurements, v1alpha1.MeasurementRef{Name: "latency.percentile"})
	}
	spec.Analysis = &v1alpha1.Analysis{Comparisons: []v1alpha1.Comparison{c}, MinimumEffect: "2%", ErrorRate: "5%"}
	spec.SetDefaults()
	d, err := analysis.Declare(spec, names)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 9))
	var records []contract.Record
	for b := range x.blocks {
		for i, target := range p.Targets {
			at := int32(len(p.Trials))
			p.Trials = append(p.Trials, plan.Trial{Index: at, Block: int32(b), Target: int32(i)})
			v := 100 * math.Exp(x.spread*random.NormFloat64())
			if i > 0 {
				v *= x.heads[i-1]
			}
			records = append(records, contract.Record{
				Final: true, Index: at, Block: int32(b), Target: target, State: contract.Succeeded, Valid: new(true),
				Values: []contract.RecordedValue{
					{Name: "throughput", Value: v, Unit: "tx/s", Direction: contract.HigherIsBetter},
					{Name: "latency.percentile", Labels: map[string]string{"p": "95"}, Value: 1000 / v, Unit: "ms", Direction: contract.LowerIsBetter},
				},
			})
		}
	}
	in := Input{Gate: *spec.Gate, Run: analysis.Run{Name: "now", Spec: spec, Input: analysis.Input{Layout: analysis.Layout{Plan: p}, Names: names, Limit: 1000, Records: records, Declaration: d}}}
	in.Sentence = func(r v1alpha1.VerdictReason) string { return "because of " + string(r.Code) }
	if x.change != nil {
		x.change(&in)
	}
	return Judge(in)
}

func TestJudgeComparisons(t *testing.T) {
	of := func(target string, change func(*contract.Record)) func(*Input) {
		return func(in *Input) {
			for i := range in.Run.Records {
				if in.Run.Records[i].Target == target {
					change(&in.Run.Records[i])
				}
			}
		}
	}
	tests := map[string]struct {
		run sides
		// want is status, reason, and the numbers of slower, undecided and passed comparisons.
		want string
		text []string
		not  string
	}{
		"equal": {run: sides{blocks: 10, heads: []float64{1}, spread: 0.005}, want: "True/Succeeded 0 0 1", text: []string{
			"0 of 1 comparisons lose more than 3 %; all lose less: head0 throughput against base: ", " tx/s against ", "a loss of less than 3 %"}, not: "slower:"},
		"slower": {run: sides{blocks: 10, heads: []float64{0.9}, spread: 0.005}, want: "False/Slower 1 0 0", text: []string{
			"1 of 1 comparisons lose more than 3 %; slower: head0 throughput against base: ", "): a loss of more than 3 %"}},
		"a time that is longer": {run: sides{blocks: 10, heads: []float64{0.9}, spread: 0.005, latency: true}, want: "False/Slower 2 0 0", text: []string{
			"; head0 latency.percentile{p=95} against base: 11."}},
		"noisy": {run: sides{blocks: 10, heads: []float64{1}, spread: 0.1}, want: "Unknown/NotJudged 0 1 0", text: []string{
			"1 not decided: head0 throughput against base: ", "a loss of 3 % is neither shown nor excluded; ", " blocks have it decided in four of five runs where nothing is lost, and 10 count"}},
		"what failed leads": {run: sides{blocks: 10, heads: []float64{1, 0.8, 1}, spread: 0.005, change: of("head2", func(r *contract.Record) { r.Values = nil })}, want: "False/Slower 1 1 1", text: []string{
			"1 of 3 comparisons lose more than 3 %; slower: head1 throughput", "; 1 not decided: head2 throughput against base: because of NotMeasured"}, not: "head0"},
		"one of three has no value": {run: sides{blocks: 10, heads: []float64{1, 1, 1}, spread: 0.005, change: of("head2", func(r *contract.Record) { r.Values = nil })}, want: "Unknown/NotJudged 0 1 2"},
		"too few blocks":            {run: sides{blocks: 5, heads: []float64{0.5}}, want: "Unknown/NotJudged 0 1 0", text: []string{"because of TooFewBlocks"}},
		"not alike": {run: sides{blocks: 10, heads: []float64{0.5}, change: func(in *Input) { in.Run.Declaration.Require = []v1alpha1.LikeAspect{v1alpha1.LikeCPU} }}, want: "Unknown/NotAlike 0 1 0", text: []string{
			"because of NotAlike"}},
		"no direction": {run: sides{blocks: 10, heads: []float64{0.5}, change: func(in *Input) {
			for i := range in.Run.Records {
				in.Run.Records[i].Values[0].Direction = ""
			}
		}}, want: "Unknown/NotJudged 0 1 0", text: []string{"neither higher nor lower is better"}},
		"results that contradict themselves": {run: sides{blocks: 10, heads: []float64{1}, spread: 0.005, change: func(in *Input) { in.Invalid = "Contradictions: 1 of 8" }}, want: "False/Invalid 0 0 1", text: []string{
			"the run is not valid (Contradictions: 1 of 8); 0 of 1 comparisons"}},
		"a run that failed": {run: sides{blocks: 10, heads: []float64{1}, change: func(in *Input) { in.Failed = "DeadlineExceeded: late" }}, want: "False/RunFailed", text: []string{"DeadlineExceeded: late"}},
		"no plan":           {run: sides{blocks: 10, heads: []float64{1}, change: func(in *Input) { in.Run.Layout.Plan = nil }}, want: "Unknown/NotJudged", text: []string{"nothing was compared"}},
		"a comparison of what there is not": {run: sides{blocks: 10, heads: []float64{1}, change: func(in *Input) { in.Run.Declaration.Comparisons[0].Baseline = "trunk" }}, want: "Unknown/NotJudged", text: []string{
			`nothing was compared: spec.analysis.comparisons[0].baseline: "trunk" is no value of target`}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := tt.run.judged(t)
			short := fmt.Sprintf("%s/%s", got.Status, got.Reason)
			if c := got.Gate.Comparisons; c != nil {
				short += fmt.Sprintf(" %d %d %d", c.SlowerCount, c.UndecidedCount, c.PassedCount)
			}
			if short != tt.want {
				t.Errorf("got %s, want %s: %s", short, tt.want, got.Message)
			}
			for _, text := range tt.text {
				if !strings.Contains(got.Message, text) {
					t.Errorf("no %q in %q", text, got.Message)
				}
			}
			if tt.not != "" && strings.Contains(got.Message, tt.not) {
				t.Errorf("%q in %q", tt.not, got.Message)
			}
		})
	}
}

// An entry has both medians, and the bounds by which it was decided; what failed is the first one.
func TestEntriesOfComparisons(t *testing.T) {
	got := sides{blocks: 6, heads: []float64{1.01, 0.8}}.judged(t).Gate
	want := v1alpha1.GateStatus{
		Comparisons: &v1alpha1.GateOwnComparisons{Margin: "0.03", ErrorRate: "0.05", PassedCount: 1, SlowerCount: 1},
		Entries: []v1alpha1.GateEntry{{
			Outcome: v1alpha1.OutcomeSlower, Factor: "target", Against: "base", Measurement: v1alpha1.MeasurementKey{Target: "head1", Name: "throughput", Unit: "tx/s"},
			Direction: "HigherIsBetter", Expected: "100", Median: "80", Ratio: "0.8", AdjustedP: "0.03125", PassedP: "1", Bound: "0.97", IntervalLow: "0.8", IntervalHigh: "0.8",
			Text: "head1 throughput against base: 80 tx/s against 100, 0.800x (0.800 to 0.800): a loss of more than 3 %",
		}, {
			Outcome: v1alpha1.OutcomePassed, Factor: "target", Against: "base", Measurement: v1alpha1.MeasurementKey{Target: "head0", Name: "throughput", Unit: "tx/s"},
			Direction: "HigherIsBetter", Expected: "100", Median: "101", Ratio: "1.01", AdjustedP: "1", PassedP: "0.01562", Bound: "0.97", IntervalLow: "1.01", IntervalHigh: "1.01",
			Text: "head0 throughput against base: 101 tx/s against 100, +1.0 % (+1.0 to +1.0 %): a loss of less than 3 %",
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An entry whose sides differ in more than the factor says so, in its fields and in words.
func TestEntriesOfUnlikeSides(t *testing.T) {
	unlike := []v1alpha1.UnlikeFactor{{Factor: "scheme", Value: "Batch", Baseline: "SingleRow"}}
	got := own{}.entry(analysis.LossVerdict{
		Comparison: v1alpha1.ComparisonEntry{Factor: "driver", Value: "mariadb", Baseline: "mysql", Unlike: unlike},
		Value:      analysis.BlockValues{Target: "db", Name: "throughput", Labels: map[string]string{"driver": "mariadb", "scheme": "Batch"}},
	})
	want := "db throughput{driver=mariadb,scheme=Batch} against driver mysql with scheme SingleRow: neither higher nor lower is better"
	if diff := cmp.Diff(unlike, got.Unlike); diff != "" || got.Text != want {
		t.Errorf("got %q, want %q; unlike (-want +got):\n%s", got.Text, want, diff)
	}
}

// What the sides differ in takes its part of the room.
func TestUnlikeSidesOfAStatusAreBounded(t *testing.T) {
	var l listing
	long := strings.Repeat("v", 4<<10)
	for range maxEntries {
		l.add(v1alpha1.GateEntry{Unlike: slices.Repeat([]v1alpha1.UnlikeFactor{{Factor: "scheme", Value: long, Baseline: long}}, 5)})
	}
	if len(l.entries) != 2 {
		t.Errorf("%d entries with 40 KiB each", len(l.entries))
	}
}

// A family of any size has a status of bounded size, with the counts of all of it.
func TestComparisonsOfAStatusAreBounded(t *testing.T) {
	heads := make([]float64, 100)
	for i := range heads {
		heads[i] = 1
	}
	heads[99] = 0.5
	got := sides{blocks: 14, heads: heads}.judged(t)
	if n := len(got.Gate.Entries); n != maxEntries || got.Gate.Entries[0].Measurement.Target != "head99" || got.Gate.Comparisons.PassedCount != 99 || len(got.Message) > maxMessage {
		t.Errorf("%d entries, first %+v, %+v, %d bytes", n, got.Gate.Entries[0], got.Gate.Comparisons, len(got.Message))
	}
}

package follow

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/verdict/analysis"
)

// experiment of two targets that may stop, with all of its records.
func experiment(t *testing.T, order v1alpha1.TrialOrder, spread float64) (Input, []contract.Record) {
	t.Helper()
	spec := v1alpha1.BenchmarkRunSpec{
		Targets: []v1alpha1.Target{{Name: "a", MySQL: &v1alpha1.MySQLTarget{}}, {Name: "b", MySQL: &v1alpha1.MySQLTarget{}}},
		Design:  v1alpha1.Design{Blocks: 40, Order: order, DataReset: v1alpha1.ResetPerRun, Precision: "2%"},
	}
	p, err := plan.New(spec, nil, plan.Largest())
	if err != nil {
		t.Fatal(err)
	}
	in := Input{Input: analysis.Input{Layout: analysis.Layout{Plan: p}, Names: []string{contract.NameThroughput}}}
	if in.Declaration, err = analysis.Declare(spec, in.Names); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	var records []contract.Record
	for _, trial := range p.Trials {
		v := math.Exp(spread * random.NormFloat64())
		records = append(records, contract.Record{
			Final: true, Index: trial.Index, Block: trial.Block, Target: p.Targets[trial.Target], State: contract.Succeeded, Valid: new(true),
			Values: []contract.RecordedValue{{Name: contract.NameThroughput, Value: v, Unit: "tx/s", Direction: contract.HigherIsBetter}},
		})
	}
	return in, records
}

// decisions of a whole run, by the blocks after which they were taken. Nothing behind a trial decides
// what follows it, and nothing is read where nothing is decided.
func decisions(t *testing.T, in Input, records []contract.Record) map[int32]bool {
	t.Helper()
	out := map[int32]bool{}
	for i, rec := range records {
		read := 0
		in.Record = rec
		in.First = func() ([]contract.Record, decision.State) { return records[:min(i, 10)], decision.Done{} }
		in.Earlier = func() ([]contract.Record, decision.State) { read++; return records[:i], decision.Done{} }
		res := After(in)
		if _, done := res.State.(decision.Done); !done {
			t.Fatalf("after trial %d: %+v", i, res.State)
		}
		if (res.Decision != nil) != (read > 0) {
			t.Errorf("after trial %d: the records were read %d times for %+v", i, read, res.Decision)
		}
		if d := res.Decision; d != nil {
			if err := d.Check(rec, int32(len(records))); err != nil || rec.Index%2 == 0 {
				t.Errorf("after trial %d: %v", i, err)
			}
			out[rec.Block+1] = d.Stop
		}
	}
	return out
}

func TestDecisionsAtTheEndsOfBlocks(t *testing.T) {
	all := func(stop bool) map[int32]bool {
		out := map[int32]bool{}
		for _, blocks := range stats.Looks(stats.PilotBlocks, 40) {
			out[int32(blocks)] = stop
		}
		return out
	}
	atGates := all(false)
	for _, interim := range stats.Interims(stats.PilotBlocks, 40, 1, 0.05) {
		if interim.Blocks < 40 {
			atGates[int32(interim.Blocks)] = true
		}
	}
	for name, tt := range map[string]struct {
		order  v1alpha1.TrialOrder
		spread float64
		fixed  bool
		margin float64
		want   map[int32]bool
	}{
		"steady":                            {order: v1alpha1.OrderRandomizedBlocks, spread: 0.001, want: all(true)},
		"noisy":                             {order: v1alpha1.OrderABBA, spread: 0.2, want: all(false)},
		"noisy, and a gate that is decided": {order: v1alpha1.OrderABBA, spread: 0.2, margin: 0.9, want: atGates},
		"fixed blocks":                      {order: v1alpha1.OrderRandomizedBlocks, spread: 0.001, fixed: true, want: map[int32]bool{}},
	} {
		in, records := experiment(t, tt.order, tt.spread)
		if in.Declaration.Margin = tt.margin; tt.fixed {
			in.Declaration.Stop = nil
		}
		if diff := cmp.Diff(tt.want, decisions(t, in, records)); diff != "" {
			t.Errorf("%s: stops by blocks (-want +got):\n%s", name, diff)
		}
	}
}

// A run that ends by time is analysed for its forecast, and where its time is over. The other ends of its blocks need its first records
// alone.
func TestDecisionsByTime(t *testing.T) {
	in, records := experiment(t, v1alpha1.OrderRandomizedBlocks, 0.2)
	in.Declaration.Stop.Precision, in.Declaration.Stop.Within = 0, 62*time.Second
	begin := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	for i := range records { // a trial each second
		records[i].WindowStartTime, records[i].CompletionTime = new(begin.Add(time.Duration(i)*time.Second)), new(begin.Add(time.Duration(i+1)*time.Second))
	}
	want := map[int32]bool{}
	for blocks := int32(1); blocks < 8; blocks++ {
		want[blocks] = false
	}
	for _, blocks := range stats.Looks(stats.PilotBlocks, 40) {
		want[int32(blocks)] = blocks >= 31 // another one would end after 64 s
	}
	for blocks := int32(31); blocks < 40; blocks++ {
		want[blocks] = true
	}
	if diff := cmp.Diff(want, decisions(t, in, records)); diff != "" {
		t.Errorf("stops by blocks (-want +got):\n%s", diff)
	}
	// Where none of the first trials has begun a window, all records are read.
	for i := range 10 {
		records[i].WindowStartTime = nil
	}
	if got := decisions(t, in, records); len(got) != 39 {
		t.Errorf("%d decisions without a known beginning: %v", len(got), got)
	}
	lost := decision.FailWith(v1alpha1.ReasonJournalLost, "gone")
	in.Record, in.First = records[41], func() ([]contract.Record, decision.State) { return nil, lost }
	if res := After(in); res.State != decision.State(lost) || res.Decision != nil {
		t.Errorf("with first records that are lost: %+v", res)
	}
}

// A trial that is tried again decides nothing, and neither does a manager that cannot read.
func TestNothingIsDecided(t *testing.T) {
	in, records := experiment(t, v1alpha1.OrderRandomizedBlocks, 0.001)
	in.Record = records[15]
	lost := decision.FailWith(v1alpha1.ReasonJournalLost, "gone")
	in.Earlier = func() ([]contract.Record, decision.State) { return nil, lost }
	if res := After(in); res.State != decision.State(lost) || res.Decision != nil {
		t.Errorf("with records that are lost: %+v", res)
	}
	in.Earlier = func() ([]contract.Record, decision.State) { return records[:15], decision.Done{} }
	if res := After(in); res.Decision == nil || !strings.HasPrefix(res.Decision.Why, "stopped after 8 of at most 40 blocks: ") {
		t.Errorf("after the last trial of block 7: %+v", res)
	}
	in.Record.Final = false
	if res := After(in); res.Decision != nil {
		t.Errorf("before another attempt: %+v", res)
	}
}

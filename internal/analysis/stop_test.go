package analysis

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/contract"
)

// mayStop is an experiment of at most so many blocks.
func mayStop(t *testing.T, blocks, cells int, precision string) Input {
	t.Helper()
	spec := specOf(2, nil)
	spec.Design.Blocks, spec.Design.StopEarly = int32(blocks), &v1alpha1.StopEarly{MinBlocks: 6, Precision: precision}
	in := Input{Layout: Layout{Plan: planOf(blocks, cells, "a", "b")}, Names: []string{"throughput"}, Limit: 1000}
	var err error
	if in.Declaration, err = Declare(spec, in.Names); err != nil {
		t.Fatal(err)
	}
	return in
}

// looksOf a run, by trying every block.
func looksOf(t *testing.T, in Input) string {
	t.Helper()
	var out []string
	for blocks := 1; blocks <= in.Layout.Plan.Blocks(); blocks++ {
		is, err := IsLook(in, blocks)
		if err != nil {
			t.Fatal(err)
		}
		if is {
			out = append(out, fmt.Sprint(blocks))
		}
	}
	return strings.Join(out, " ")
}

func TestLooksAreThoseOfThePlan(t *testing.T) {
	fixed := mayStop(t, 40, 1, "2%")
	fixed.Declaration.Stop = nil
	for name, tt := range map[string]struct {
		in   Input
		want string
	}{
		"one comparison":      {mayStop(t, 40, 1, "2%"), "8 14 23"},
		"a family needs more": {mayStop(t, 40, 10, "2%"), "11 17 26"},
		"room for none":       {mayStop(t, 7, 1, "2%"), ""},
		"fixed blocks":        {fixed, ""},
	} {
		if got := looksOf(t, tt.in); got != tt.want {
			t.Errorf("%s: it looks after %q, want %q", name, got, tt.want)
		}
	}
}

// until so many blocks were measured.
func until(records []contract.Record, blocks int32) (out []contract.Record) {
	for _, rec := range records {
		if rec.Block < blocks {
			out = append(out, rec)
		}
	}
	return out
}

func TestALook(t *testing.T) {
	disturb := func(records []contract.Record, n int) []contract.Record {
		for i := range n {
			records[2*i].Disturbed = true
		}
		return records
	}
	fail := func(records []contract.Record, n int) []contract.Record {
		for i := range n {
			records[2*i].State, records[2*i].Valid, records[2*i].Values = contract.Failed, nil, nil
		}
		return records
	}
	for name, tt := range map[string]struct {
		spread    float64
		precision string
		change    func([]contract.Record, int) []contract.Record
		n         int
		stop      bool
		why       string
	}{
		"narrow enough":         {0.002, "2%", nil, 0, true, "stopped after 14 of at most 40 blocks: every ratio is known to within 2 % (the widest interval: 0."},
		"too wide":              {0.1, "2%", nil, 0, false, "after 14 of at most 40 blocks: a ratio is known to within "},
		"wide is enough":        {0.1, "50%", nil, 0, true, "every ratio is known to within 50 %"},
		"disturbed blocks":      {0.002, "2%", disturb, 3, true, "stopped after 14"},
		"most are disturbed":    {0.002, "2%", disturb, 9, false, "after 14 of at most 40 blocks: 1 of 1 ratios have no interval"},
		"most trials failed":    {0.002, "2%", fail, 9, false, "1 of 1 ratios have no interval"},
		"nothing has succeeded": {0.002, "2%", fail, 14, false, "1 of 1 ratios have no interval"},
	} {
		in := mayStop(t, 40, 1, tt.precision)
		in.Records = until(recordsOf(in.Layout.Plan, tt.spread, bOver(1.3)), 14)
		if tt.change != nil {
			in.Records = tt.change(in.Records, tt.n)
		}
		got, err := Look(in, 14)
		if err != nil || got.Stop != tt.stop || !strings.HasPrefix(got.Why, tt.why) && !strings.Contains(got.Why, tt.why) {
			t.Errorf("%s: %+v, %v; want %t: %s", name, got, err, tt.stop, tt.why)
		}
	}
}

// The verdict uses the error rate of the look: at the undivided one, this interval would be narrower.
func TestTheVerdictOfAStoppedRun(t *testing.T) {
	in := mayStop(t, 40, 1, "2%")
	in.Records = until(recordsOf(in.Layout.Plan, 0.004, bOver(1.02)), 14)
	in.Layout.Plan = planOf(14, 1, "a", "b")
	got, err := Conclude(in)
	if err != nil {
		t.Fatal(err)
	}
	fixed := in
	fixed.Declaration.Stop = nil
	without, err := Conclude(fixed)
	if err != nil {
		t.Fatal(err)
	}
	e, other := got.Entries[0], without.Entries[0]
	confidence, _ := number(e.IntervalConfidence)
	low, _ := number(e.IntervalLow)
	narrower, _ := number(other.IntervalLow)
	if confidence < 1-0.05/4 || low >= narrower || e.BlockCount != 14 || e.PlannedBlockCount != 14 {
		t.Errorf("interval from %v at a confidence of %v, %d of %d blocks; with fixed blocks from %v", low, confidence, e.BlockCount, e.PlannedBlockCount, narrower)
	}
	if want := "; stopped after 14 of at most 40 blocks"; !strings.HasSuffix(got.Verdict, want) || strings.Contains(without.Verdict, want) {
		t.Errorf("verdicts: %s\n%s", got.Verdict, without.Verdict)
	}
	// What ends with its last block, and what fails before, have not stopped early.
	in.Layout.Plan = planOf(40, 1, "a", "b")
	if whole, err := Conclude(in); err != nil || strings.Contains(whole.Verdict, "stopped") {
		t.Errorf("the verdict of a run that failed: %s, %v", whole.Verdict, err)
	}
}

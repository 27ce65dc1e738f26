package analysis

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
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
		is, err := IsInterim(in, blocks)
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
			t.Errorf("%s: it analyses after %q, want %q", name, got, tt.want)
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
		want      InterimResult
	}{
		"narrow enough":      {0.002, "2%", nil, 0, InterimResult{Stop: true, Precision: 0.02}},
		"too wide":           {0.1, "2%", nil, 0, InterimResult{Precision: 0.02}},
		"wide is enough":     {0.1, "50%", nil, 0, InterimResult{Stop: true, Precision: 0.5}},
		"disturbed blocks":   {0.002, "2%", disturb, 3, InterimResult{Stop: true, Precision: 0.02}},
		"most are disturbed": {0.002, "2%", disturb, 9, InterimResult{Precision: 0.02, Without: 1}},
		"most are disturbed by what lasts": {0.002, "2%", func(records []contract.Record, n int) []contract.Record {
			for i := range n {
				disturbedBy(&records[2*i], "neighbours")
			}
			return records
		}, 8, InterimResult{Precision: 0.02, Without: 1}},
		"most trials failed":    {0.002, "2%", fail, 9, InterimResult{Precision: 0.02, Without: 1}},
		"nothing has succeeded": {0.002, "2%", fail, 14, InterimResult{Precision: 0.02, Without: 1}},
	} {
		in := mayStop(t, 40, 1, tt.precision)
		in.Records = until(recordsOf(in.Layout.Plan, tt.spread, bOver(1.3)), 14)
		if tt.change != nil {
			in.Records = tt.change(in.Records, tt.n)
		}
		got, err := Interim(in, 14)
		if err != nil || tt.want.Without == 0 && (got.Widest <= 0 || (got.Widest <= got.Precision) != got.Stop) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		tt.want.Blocks, tt.want.MaxBlocks, tt.want.Ratios, tt.want.Widest = 14, 40, 1, got.Widest
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// The verdict uses the error rate of the interim analysis: at the undivided one, this interval would be narrower.
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
	confidence, _ := figure.Decimal(e.IntervalConfidence)
	low, _ := figure.Decimal(e.IntervalLow)
	narrower, _ := figure.Decimal(other.IntervalLow)
	if confidence < 1-0.05/4 || low >= narrower || e.BlockCount != 14 || e.PlannedBlockCount != 14 {
		t.Errorf("interval from %v at a confidence of %v, %d of %d blocks; with fixed blocks from %v", low, confidence, e.BlockCount, e.PlannedBlockCount, narrower)
	}
	// What ends with its last block, and what fails before, have not stopped early.
	in.Layout.Plan = planOf(40, 1, "a", "b")
	if whole, err := Conclude(in); err != nil || whole.Entries[0].BlockCount != 14 || whole.Entries[0].PlannedBlockCount != 40 {
		t.Errorf("the comparison of a run that failed: %+v, %v", whole.Entries, err)
	}
}

package analysis

import (
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/mathematics/stats"
)

// mayStop is an experiment of at most so many blocks that ends by this rule.
func mayStop(t *testing.T, blocks, cells int, rule v1alpha1.Design) Input {
	t.Helper()
	spec := specOf(2, nil)
	spec.Design.Blocks = int32(blocks) - rule.ReserveBlocks
	spec.Design.Precision, spec.Design.Within, spec.Design.ReserveBlocks = rule.Precision, rule.Within, rule.ReserveBlocks
	in := Input{Layout: Layout{Plan: planOf(blocks, cells, "a", "b")}, Names: []string{"throughput"}, Limit: 1000}
	var err error
	if in.Declaration, err = Declare(spec, in.Names); err != nil {
		t.Fatal(err)
	}
	return in
}

func precise(precision string) v1alpha1.Design { return v1alpha1.Design{Precision: precision} }

func within(d time.Duration) v1alpha1.Design {
	return v1alpha1.Design{Within: &metav1.Duration{Duration: d}}
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
	fixed := mayStop(t, 40, 1, precise("2%"))
	fixed.Declaration.Stop = nil
	for name, tt := range map[string]struct {
		in   Input
		want string
	}{
		"one comparison":      {mayStop(t, 40, 1, precise("2%")), "8 9 10 11 12 13 14 15 16 17 18 19 20 22 24 26 28 30 33 36 39"},
		"a family needs more": {mayStop(t, 20, 30, precise("2%")), "11 12 13 14 15 16 17 18 19"},
		"room for none":       {mayStop(t, 7, 1, precise("2%")), ""},
		"by time":             {mayStop(t, 5, 1, within(time.Minute)), "1 2 3 4"},
		"by what counts":      {mayStop(t, 12, 1, v1alpha1.Design{ReserveBlocks: 4}), "8 9 10 11"},
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
		spread  float64
		rule    v1alpha1.Design
		change  func([]contract.Record, int) []contract.Record
		n       int
		stop    StopReason
		counted int
		without int
	}{
		"narrow enough":      {0.002, precise("2%"), nil, 0, StopPrecise, 14, 0},
		"too wide":           {0.1, precise("2%"), nil, 0, "", 14, 0},
		"wide is enough":     {0.1, precise("50%"), nil, 0, StopPrecise, 14, 0},
		"disturbed blocks":   {0.002, precise("2%"), disturb, 3, StopPrecise, 11, 0},
		"most are disturbed": {0.002, precise("2%"), disturb, 9, "", 5, 1},
		"most are disturbed by what lasts": {0.002, precise("2%"), func(records []contract.Record, n int) []contract.Record {
			for i := range n {
				disturbedBy(&records[2*i], "neighbours")
			}
			return records
		}, 8, "", 0, 1},
		"most trials failed":    {0.002, precise("2%"), fail, 9, "", 5, 1},
		"nothing has succeeded": {0.002, precise("2%"), fail, 14, "", 0, 1},
		"enough blocks count":   {0.1, v1alpha1.Design{ReserveBlocks: 26}, nil, 0, StopCounted, 14, 0},
		"a block is missing":    {0.002, v1alpha1.Design{ReserveBlocks: 26}, disturb, 1, "", 13, 0},
		"another block fits":    {0.1, within(15 * time.Minute), nil, 0, "", 14, 0},
		"no block fits":         {0.1, within(14*time.Minute + time.Second), nil, 0, StopInTime, 14, 0},
		"precise before the time is over": {
			0.002, v1alpha1.Design{Precision: "2%", Within: &metav1.Duration{Duration: time.Hour}}, nil, 0, StopPrecise, 14, 0,
		},
		"time is over before it is precise": {
			0.1, v1alpha1.Design{Precision: "2%", Within: &metav1.Duration{Duration: 14 * time.Minute}}, nil, 0, StopInTime, 14, 0,
		},
	} {
		in := mayStop(t, 40, 1, tt.rule)
		in.Records = until(recordsOf(in.Layout.Plan, tt.spread, bOver(1.3)), 14)
		if tt.change != nil {
			in.Records = tt.change(in.Records, tt.n)
		}
		aMinuteEach(in.Records)
		got, err := Interim(in, 14)
		if err != nil || got.Without != tt.without || got.Counted != tt.counted || got.Stop != tt.stop || got.Elapsed != 14*time.Minute {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if known := got.Widest > 0; known != (tt.without == 0) || tt.stop == StopPrecise && got.Widest > got.Rule.Precision {
			t.Errorf("%s: the widest ratio is known to within %v", name, got.Widest)
		}
	}
}

// aMinuteEach block takes, from the first window to the last end.
func aMinuteEach(records []contract.Record) {
	start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for i := range records {
		records[i].WindowStartTime = new(start.Add(time.Duration(i) * 30 * time.Second))
		records[i].CompletionTime = new(start.Add(time.Duration(i+1) * 30 * time.Second))
	}
}

// What is expected of the rest follows from the spread and the pace so far, and blocks that do not count are as frequent later.
func TestTheForecast(t *testing.T) {
	for name, tt := range map[string]struct {
		rule   v1alpha1.Design
		blocks int
		spread float64
		lost   int
		want   string
	}{
		"before the pilot has ended":      {v1alpha1.Design{Precision: "2%", Within: &metav1.Duration{Duration: 20 * time.Minute}}, 7, 0.03, 0, "after 7, most 20"},
		"it is not reached":               {precise("2%"), 8, 0.2, 0, "after 8, most 40, precision, expects more, reaches"},
		"it is reached":                   {precise("10%"), 8, 0.07, 0, "after 8, most 40, precision, expects, reaches"},
		"as many as fit into the time":    {within(20 * time.Minute), 10, 0.03, 0, "after 10, most 20, precision, reaches"},
		"blocks that do not count":        {precise("10%"), 20, 0.07, 8, "after 20, most 40, precision, expects, reaches"},
		"a limit of time, and few blocks": {within(20 * time.Minute), 3, 0.03, 0, "after 3, most 20"},
		"neither precision nor a limit":   {v1alpha1.Design{ReserveBlocks: 20}, 20, 0.07, 0, ""},
	} {
		in := mayStop(t, 40, 1, tt.rule)
		in.Records = until(recordsOf(in.Layout.Plan, tt.spread, bOver(1.3)), int32(tt.blocks))
		for i := range tt.lost {
			in.Records[2*i].Disturbed = true
		}
		aMinuteEach(in.Records)
		got, err := Interim(in, tt.blocks)
		if err != nil {
			t.Fatal(err)
		}
		if text := forecastWords(got.Forecast); text != tt.want {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// A precision without a bound is none, and no text that the status refuses.
func TestTheForecastOfNextToNothing(t *testing.T) {
	x := interim{&analyst{Input: Input{Declaration: Declaration{ErrorRate: 0.05}}}, Stop{MostBlocks: 9, Precision: 0.02}}
	for name, out := range map[string]InterimResult{"one block counts": {Blocks: 9, Counted: 1}, "two are far apart": {Blocks: 9, Counted: 2}} {
		if f := x.forecast(out, []stats.Comparison{{Spread: 30}}); f.Reachable != "" {
			t.Errorf("%s: it reaches %q", name, f.Reachable)
		}
	}
}

func forecastWords(f *contract.Forecast) string {
	if f == nil {
		return ""
	}
	text := fmt.Sprintf("after %d, most %d", f.AfterBlocks, f.MostBlocks)
	if f.Precision != "" {
		text += ", precision"
	}
	if f.ExpectedBlocks != nil {
		text += ", expects"
		if *f.ExpectedBlocks > f.MostBlocks {
			text += " more"
		}
	}
	if f.Reachable != "" {
		text += ", reaches"
	}
	return text
}

// A run that ends once it is precise is analysed at a part of its error rate: at the whole one, this interval would be narrower.
func TestTheVerdictOfAStoppedRun(t *testing.T) {
	in := mayStop(t, 40, 1, precise("2%"))
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
	if confidence < 1-0.05*stats.PrecisionErrorShare || low >= narrower || e.BlockCount != 14 || e.PlannedBlockCount != 14 {
		t.Errorf("interval from %v at a confidence of %v, %d of %d blocks; with fixed blocks from %v", low, confidence, e.BlockCount, e.PlannedBlockCount, narrower)
	}
	// What ends with its last block, and what fails before, have not stopped early.
	in.Layout.Plan = planOf(40, 1, "a", "b")
	if whole, err := Conclude(in); err != nil || whole.Entries[0].BlockCount != 14 || whole.Entries[0].PlannedBlockCount != 40 {
		t.Errorf("the comparison of a run that failed: %+v, %v", whole.Entries, err)
	}
}

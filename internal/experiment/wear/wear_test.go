package wear

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/runners/runner"
)

// trials of one target and cell, one per block; reset before all but the first.
func trials(n int, reset bool) *plan.Plan {
	p := &plan.Plan{Targets: []string{"a", "b"}, Cells: []plan.Cell{{}}}
	for i := range n {
		p.Trials = append(p.Trials, plan.Trial{Index: int32(i), Block: int32(i), Reset: reset && i > 0})
	}
	return p
}

func deletes(warmup, window int64) runner.Wear {
	return runner.Wear{Deletes: 1, Warmup: &warmup, Window: &window, Exact: true}
}

func TestDries(t *testing.T) {
	forTime := runner.Wear{Deletes: 1}
	// The share of deletes after the first x*rows, up to y*rows, that find no row.
	missed := func(x, y float64) float64 { return 1 - (math.Exp(-x)-math.Exp(-y))/(y-x) }
	tests := map[string]struct {
		data Data
		want Dry
	}{
		"nothing is deleted": {
			Data{Plan: trials(3, false), Rows: 1000, Cells: []runner.Wear{{Inserts: 1, Window: new(int64(1e6))}}},
			Dry{First: -1, Worst: -1, Unknown: -1},
		},
		"enough rows for all blocks": {
			Data{Plan: trials(3, false), Rows: 100000, Cells: []runner.Wear{deletes(100, 900)}},
			Dry{First: -1, Worst: 2, WorstMissed: missed(0.021, 0.03), Unknown: -1, Asked: 3000},
		},
		"rows for the first block only": {
			Data{Plan: trials(3, false), Rows: 1000, Cells: []runner.Wear{deletes(10, 70)}},
			Dry{First: 1, FirstMissed: missed(0.09, 0.16), Worst: 2, WorstMissed: missed(0.17, 0.24), Trials: 2, Unknown: -1, Asked: 240},
		},
		"the same, put back before each trial": {
			Data{Plan: trials(3, true), Rows: 1000, Cells: []runner.Wear{deletes(10, 70)}},
			Dry{First: -1, Worst: 0, WorstMissed: missed(0.01, 0.08), Unknown: -1, Asked: 80},
		},
		"four clients delete four times as much": {
			Data{Plan: trials(1, false), Rows: 1000, Cells: []runner.Wear{deletes(10, 70).Of(4)}},
			Dry{First: 0, FirstMissed: missed(0.04, 0.32), Worst: 0, WorstMissed: missed(0.04, 0.32), Trials: 1, Unknown: -1, Asked: 320},
		},
		"deletes for a time, in one trial": {
			Data{Plan: trials(1, false), Rows: 1000, Cells: []runner.Wear{forTime}},
			Dry{First: -1, Worst: -1, Unknown: 0},
		},
		"deletes for a time, one trial after the other": {
			Data{Plan: trials(2, false), Rows: 1000, Cells: []runner.Wear{forTime}},
			Dry{First: -1, Worst: -1, Unknown: 0, Repeated: true},
		},
		"deletes for a time, put back before each trial": {
			Data{Plan: trials(2, true), Rows: 1000, Cells: []runner.Wear{forTime}},
			Dry{First: -1, Worst: -1, Unknown: 0},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.data.Dries(), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What one target loses is not missing on another.
func TestTargetsHaveDataOfTheirOwn(t *testing.T) {
	p := trials(2, false)
	p.Trials[1].Target = 1
	d := Data{Plan: p, Rows: 1000, Cells: []runner.Wear{deletes(0, 90)}}
	if got := d.Dries(); got.Trials != 0 || got.Asked != 90 {
		t.Errorf("%+v, want 90 deletes of each target", got)
	}
}

func TestHopeless(t *testing.T) {
	hot := deletes(0, 100)
	hot.HotRows, hot.HotKeys = 0.01, 0.75
	maybe := deletes(0, 2000)
	maybe.Exact = false
	tests := map[string]struct {
		wear runner.Wear
		want int
	}{
		"half as many deletes as rows":                          {deletes(0, 500), -1},
		"twice as many":                                         {deletes(0, 2000), 0},
		"twice as many, if the server keeps up":                 {maybe, -1},
		"a tenth, most of them of one row in a hundred":         {hot, 0},
		"a warm-up of twice as many does not count: it may end": {deletes(2000, 10), -1},
	}
	for name, tt := range tests {
		d := Data{Plan: trials(1, false), Rows: 1000, Cells: []runner.Wear{tt.wear}}
		if got, missed := d.Hopeless(); got != tt.want || (missed > 0.5) != (tt.want >= 0) {
			t.Errorf("%s: cell %d with %.2f, want %d", name, got, missed, tt.want)
		}
	}
}

func TestOutgrows(t *testing.T) {
	inserts := runner.Wear{Inserts: 1, RowBytes: 100, Warmup: new(int64(100)), Window: new(int64(900))}
	forTime := inserts
	forTime.Window = nil
	tests := map[string]struct {
		data   Data
		memory int64
		want   int
		bytes  int64
	}{
		"room for all":                   {Data{Plan: trials(3, false), Rows: 1000, Cells: []runner.Wear{inserts}}, 400000, -1, 0},
		"room for two trials":            {Data{Plan: trials(3, false), Rows: 1000, Cells: []runner.Wear{inserts}}, 399999, 2, 400000},
		"room for one, put back":         {Data{Plan: trials(3, true), Rows: 1000, Cells: []runner.Wear{inserts}}, 200000, -1, 0},
		"room for less than two clients": {Data{Plan: trials(3, true), Rows: 1000, Cells: []runner.Wear{inserts.Of(2)}}, 200000, 0, 300000},
		"no room for what is loaded":     {Data{Plan: trials(3, false), Rows: 1000, Cells: []runner.Wear{inserts}}, 99999, -1, 0},
		"as many as fit into the time":   {Data{Plan: trials(3, false), Rows: 1000, Cells: []runner.Wear{forTime}}, 100000, -1, 0},
	}
	for name, tt := range tests {
		if got, bytes := tt.data.Outgrows(0, tt.memory); got != tt.want || bytes != tt.bytes {
			t.Errorf("%s: trial %d with %d bytes, want %d with %d", name, got, bytes, tt.want, tt.bytes)
		}
		if got, _ := tt.data.Outgrows(1, tt.memory); got != -1 {
			t.Errorf("%s: a target without trials outgrows with trial %d", name, got)
		}
	}
}

package analysis

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// sweptBy is a sweep over 1 to 64 threads of a database with this throughput.
func sweptBy(blocks int, throughput func(load float64) float64) Input {
	p := planOf(blocks, 7, "db")
	return Input{Layout: Layout{Plan: p, Loads: []string{"rate", "threads"}}, Records: recordsOf(p, 0.01, func(_ string, cell int32) float64 {
		return throughput(math.Exp2(float64(cell)))
	})}
}

// limitedAt a cell: in the first blocks of it, so many.
func limitedAt(cell int32, by v1alpha1.LimitKind, blocks int32) func(*Input) {
	return func(in *Input) {
		for i := range in.Records {
			if rec := &in.Records[i]; rec.Cell == cell && rec.Block < blocks {
				rec.LimitedBy = []contract.RecordedLimit{{By: string(by)}}
			}
		}
	}
}

func TestSweeps(t *testing.T) {
	knee := func(load float64) float64 { return 100 * min(load, 6) }
	falling := func(load float64) float64 {
		return knee(load) * (1 - 0.1*math.Abs(math.Log2(load/16))*float64(min(1, int(load)/8)))
	}
	tests := map[string]struct {
		throughput func(float64) float64
		blocks     int
		change     func(*Input)
		// knee and peak are "" where they are absent.
		knee, peak string
		reasons    string
	}{
		"a knee, and a peak inside": {throughput: falling, knee: "5.9", peak: "16 to 16"},
		"one throughput beyond the knee: the peak may be anywhere": {
			throughput: knee, knee: "6.", peak: "8 to 64", reasons: "PeakBeyond",
		},
		"no saturation": {
			throughput: func(load float64) float64 { return load }, peak: "64 to 64",
			reasons: "NotSaturated axis=threads high=64 least=63.07",
		},
		"the lightest load is the best": {
			throughput: func(load float64) float64 { return 100 - load }, peak: "1 to 1", reasons: "LightestHasMost axis=threads high=64 low=1",
		},
		"something holds the lightest load back": {
			throughput: func(load float64) float64 { return map[bool]float64{true: 1, false: falling(load)}[load == 1] }, knee: "598.1", peak: "16 to 16", reasons: "KneeBeyond; MoreThanProportion",
		},
		"too few blocks": {
			throughput: falling, blocks: 6, knee: "6.", peak: " to ", reasons: "SweepTooFewBlocks blocks=6 loads=7 needed=8",
		},
		"too few blocks, and the lightest load is held back": {
			throughput: func(load float64) float64 { return map[bool]float64{true: 1, false: falling(load)}[load == 1] }, blocks: 6, knee: "6", peak: " to ", reasons: "SweepTooFewBlocks blocks=6 loads=7 needed=8; MoreThanProportion",
		},
		"the lightest load without a counted trial": {
			throughput: falling, knee: "6", peak: "16 to 16", reasons: "LoadsLeftOut loads=1 of=7; LightestLeftOut load=2", change: func(in *Input) {
				for i := range in.Records {
					in.Records[i].Disturbed = in.Records[i].Cell == 0
				}
			},
		},
		"in sequence": {
			throughput: falling, knee: "5.9", peak: " to ", reasons: "InSequence", change: func(in *Input) { in.Layout.Plan.Order = v1alpha1.OrderSequential },
		},
		"a load without a counted trial": {
			throughput: falling, knee: "5.9", peak: "16 to 16", reasons: "LoadsLeftOut loads=1 of=7", change: func(in *Input) {
				for i := range in.Records {
					in.Records[i].Disturbed = in.Records[i].Cell == 6
				}
			},
		},
		"a disturbed trial leaves the other loads of its block": {
			throughput: falling, knee: "5.9", peak: "16 to 16", change: func(in *Input) {
				for i := range in.Records {
					in.Records[i].Disturbed = in.Records[i].Cell > 0 && (in.Records[i].Cell+in.Records[i].Block)%6 == 0
				}
			},
		},
		"two loads that count": {throughput: falling, reasons: "TooFewLoads loads=2 needed=3 of=7", peak: " to ", change: func(in *Input) {
			for i := range in.Records {
				in.Records[i].Disturbed = in.Records[i].Cell > 1
			}
		}},
		"a throughput of 0":                          {throughput: falling, reasons: "NoStatistic message=value 0 of the sample is 0: a ratio needs positive values", peak: " to ", change: func(in *Input) { in.Records[3].Values[0].Value = 0 }},
		"a client was at its limit beyond the peak":  {throughput: falling, knee: "5.9", peak: "16 to 16", reasons: "LoadsClientLimit of=72 trials=12", change: limitedAt(6, v1alpha1.LimitClient, 12)},
		"a client was at its limit at the peak":      {throughput: falling, knee: "5.9", peak: "16 to 16", reasons: "PeakClientLimit of=12 trials=1", change: limitedAt(4, v1alpha1.LimitClient, 1)},
		"the server was at its limit at the peak":    {throughput: falling, knee: "5.9", peak: "16 to 16", reasons: "PeakServerLimit of=12 trials=7", change: limitedAt(4, v1alpha1.LimitCPU, 7)},
		"as often as not":                            {throughput: falling, knee: "5.9", peak: "16 to 16", change: limitedAt(4, v1alpha1.LimitCPU, 6)},
		"the server was at its limit at other loads": {throughput: falling, knee: "5.9", peak: "16 to 16", change: limitedAt(3, v1alpha1.LimitCPU, 12)},
		"server and client took turns on one CPU": {throughput: falling, knee: "5.9", peak: "16 to 16", reasons: "OneCPU of=84 trials=84", change: func(in *Input) {
			for i := range in.Records {
				in.Records[i].Facts = contract.NewFacts(map[string]string{"client/cpu-set": "one, that of the server"})
			}
		}},
		"a rate was offered and achieved": {throughput: knee, knee: "6.", peak: "8 to 64", reasons: "PeakBeyond; PeakRateOffered", change: func(in *Input) {
			for i := range in.Records {
				in.Records[i].Values = append(in.Records[i].Values, contract.RecordedValue{Name: contract.NameOffered, Value: 600, Unit: "tx/s"})
			}
		}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if tc.blocks == 0 {
				tc.blocks = 12
			}
			in := sweptBy(tc.blocks, tc.throughput)
			if tc.change != nil {
				tc.change(&in)
			}
			got := conclude(t, in, 1, nil)
			if len(got.Sweeps) != 1 {
				t.Fatalf("%+v", got)
			}
			e := got.Sweeps[0]
			if !strings.HasPrefix(e.Knee, tc.knee) || (tc.knee == "") != (e.Knee == "") || e.PeakLow+" to "+e.PeakHigh != tc.peak {
				t.Errorf("knee %q (%s to %s), peak %s to %s, want %s and %s", e.Knee, e.KneeLow, e.KneeHigh, e.PeakLow, e.PeakHigh, tc.knee, tc.peak)
			}
			if got := said(e.Reasons); got != tc.reasons {
				t.Errorf("reasons %q, want %q", got, tc.reasons)
			}
		})
	}
}

// Each target and each rest of a cell has a sweep of its own. Axes that are no load have none, and
// values that are no number are no load.
func TestWhatIsSwept(t *testing.T) {
	p := &plan.Plan{Targets: []string{"a", "b"}, Axes: []string{"test", "threads", "tables"}}
	for _, test := range []string{"reads", "writes"} {
		for _, threads := range []string{"16", "4", "0", "1", "all", "4.0"} {
			for tables := range 3 {
				p.Cells = append(p.Cells, plan.Cell{"test": intstr.FromString(test), "threads": intstr.FromString(threads), "tables": intstr.FromInt(1 + tables)})
			}
		}
	}
	var got []string
	for _, s := range (Layout{Plan: p, Loads: []string{"threads"}}).sweeps() {
		if s.units[0].Cell == 9 || s.units[0].Cell == 29 {
			got = append(got, fmt.Sprint(s))
		}
	}
	want := []string{"{threads [1 4 16] [{0 9 0} {0 3 0} {0 0 0}]}", "{threads [1 4 16] [{1 9 0} {1 3 0} {1 0 0}]}", "{threads [1 4 16] [{0 29 0} {0 23 0} {0 20 0}]}", "{threads [1 4 16] [{1 29 0} {1 23 0} {1 20 0}]}"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if all := (Layout{Plan: p, Loads: []string{"threads"}}).sweeps(); len(all) != 12 {
		t.Errorf("%d sweeps, want 12", len(all))
	}
	if all := (Layout{Plan: p}).sweeps(); len(all) != 0 {
		t.Errorf("without a load: %v", all)
	}
}

// Sweeps stand beside comparisons, one for each target. A sweep of which less is better has no knee.
func TestSweepsBesideComparisons(t *testing.T) {
	p := planOf(12, 7, "a", "b")
	in := Input{Layout: Layout{Plan: p, Loads: []string{"threads"}}, Records: recordsOf(p, 0.01, func(target string, cell int32) float64 {
		return 100 * min(math.Exp2(float64(cell)), map[string]float64{"a": 6, "b": 12}[target])
	})}
	got := conclude(t, in, 2, nil)
	if len(got.Sweeps) != 2 || len(got.Entries) == 0 || got.Sweeps[0].Axis != "threads" || got.Sweeps[0].Target != "a" || got.Sweeps[0].Knee == "" || got.Sweeps[1].Target != "b" {
		t.Errorf("%d comparisons beside the sweeps %+v", len(got.Entries), got.Sweeps)
	}
	for i := range in.Records {
		in.Records[i].Values[0].Direction = contract.LowerIsBetter
	}
	if got := conclude(t, in, 2, nil); len(got.Sweeps) != 0 {
		t.Errorf("less is better: %+v", got.Sweeps)
	}
}

package analysis

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
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/trial/costs"
	"github.com/assay-bench/assay/internal/trial/likeness"
)

// repeated runs of one experiment: target b has these ratios to a, one for each run.
func repeated(t *testing.T, blocks int, a *v1alpha1.Analysis, ratios ...float64) []Run {
	t.Helper()
	var out []Run
	for i, ratio := range ratios {
		p := planOf(blocks, 1, "a", "b")
		run := Run{Name: fmt.Sprintf("run%d", i+1), Spec: specOf(2, a.DeepCopy()), Input: Input{Layout: Layout{Plan: p}, Names: names, Limit: 10000}}
		run.Records, p.Seed = recordsOf(p, 0.002, bOver(ratio)), int64(i)
		run.Spec.Design.Blocks = int32(blocks)
		declare(t, &run)
		out = append(out, run)
	}
	return out
}

func declare(t *testing.T, run *Run) {
	t.Helper()
	var err error
	if run.Declaration, err = Declare(run.Spec, names); err != nil {
		t.Fatal(err)
	}
}

// set facts of the trials of a target.
func (r *Run) facts(target string, of map[string]string) {
	for i := range r.Records {
		if r.Records[i].Target == target {
			r.Records[i].Facts = contract.NewFacts(of)
		}
	}
}

var usual = &v1alpha1.Analysis{MinimumEffect: "2%", ErrorRate: "5%"}

// classesBut those that are known: nothing is known of the others.
func classesBut(known ...likeness.Class) []likeness.Class {
	return slices.DeleteFunc(likeness.Classes(), func(c likeness.Class) bool { return c == likeness.Other || slices.Contains(known, c) })
}

func TestOverRuns(t *testing.T) {
	tests := map[string]struct {
		ratios  []float64
		blocks  int
		change  func([]Run)
		require []v1alpha1.LikeAspect
		want    v1alpha1.ComparisonVerdict
		// reasons of the first comparison: as a beginning, where the numbers are those of noise.
		reasons string
		// sides and runs are the names of what both sides, and the runs, differ in.
		sides, runs []v1alpha1.SideDifference
		// between has these in it.
		between []RunDifference
	}{
		"all runs agree": {
			ratios: []float64{1.5, 1.51, 1.49}, want: "Faster",
			between: []RunDifference{{Code: NotKnown, First: "run1", Second: "run2", Target: "a", Unknown: classesBut()}, {Code: NotKnown, First: "run1", Second: "run3", Target: "b", Unknown: classesBut()}},
		},
		// Each of the runs by itself is certain of its sign.
		"each run is certain, and they disagree": {
			ratios: []float64{1.06, 0.95, 1.02}, want: "Inconclusive", reasons: "SpreadOfRuns runs=3 spread=0.05",
		},
		"all runs say the same": {ratios: []float64{1.001, 1, 0.9995, 1.0003}, want: "Equivalent"},
		"all runs have one ratio to the last digit": {
			ratios: []float64{1.5, 1.5, 1.5}, want: "Inconclusive", reasons: "EqualRuns runs=3",
			change: func(all []Run) {
				for r := range all[1:] {
					all[r+1].Records = all[0].Records
				}
			},
		},
		"a disturbed trial is part of no difference between the runs": {
			ratios: []float64{1.5, 1.51}, want: "Faster", between: []RunDifference{{Code: NotKnown, First: "run1", Second: "run2", Target: "b", Unknown: classesBut(likeness.Durability)}},
			change: func(all []Run) {
				for i := range all[1].Records { // a setting that only the disturbed trials saw
					rec := &all[1].Records[i]
					rec.Facts = contract.NewFacts(map[string]string{"log_bin": "OFF", "server/version": "8.4.0 MySQL Community Server - GPL"})
					if rec.Block == 3 {
						rec.Disturbed, rec.Facts = true, contract.NewFacts(map[string]string{"log_bin": "ON", "server/version": "8.4.0 MySQL Community Server - GPL"})
					}
				}
				all[0].facts("a", map[string]string{"log_bin": "OFF", "server/version": "8.4.0 MySQL Community Server - GPL"})
				all[0].facts("b", map[string]string{"log_bin": "OFF", "server/version": "8.4.0 MySQL Community Server - GPL"})
			},
		},
		"one run":               {ratios: []float64{1.5}, want: "Exploratory", reasons: "OneRun"},
		"too few blocks in all": {ratios: []float64{1.5, 1.5}, blocks: 2, want: "Exploratory", reasons: "TooFewBlocks blocks=4 needed=6 runs=2"},
		"a run without a value": {
			ratios: []float64{1.5, 1.5, 1.5}, want: "Inconclusive", reasons: "NotPositive run=run2 value=0",
			change: func(all []Run) { all[1].Records[3].Values[0].Value = 0 },
		},
		"a run has another unit": {
			ratios: []float64{1.5, 1.5}, want: "NotMeasured", reasons: "NotInBothRuns run=run2",
			change: func(all []Run) {
				for i := range all[1].Records {
					all[1].Records[i].Values[0].Unit = "ops/s"
				}
			},
		},
		"runs of very different sizes": {
			ratios: []float64{1.5, 1.501}, want: "Faster", reasons: "UnequalRuns high=10 low=3",
			change: func(all []Run) { all[1].Records = all[1].Records[:6] },
		},
		"the same order of the trials": {
			ratios: []float64{1.5, 1.501}, want: "Faster", between: []RunDifference{{Code: SameRandomOrder, First: "run1", Second: "run2", Seed: new(int64(7))}},
			change: func(all []Run) { all[0].Layout.Plan.Seed, all[1].Layout.Plan.Seed = 7, 7 },
		},
		"windows too short to know whether they were steady": {
			ratios: []float64{1.5, 1.501}, want: "Faster", reasons: "WindowTooShort of=40 trials=20",
			change: func(all []Run) {
				for i := range all[1].Records {
					all[1].Records[i].Steadiness = string(stats.TooShort)
				}
			},
		},
		"a largest value since the start is one observation of a run": {
			ratios: []float64{1.5, 1.5, 1.5}, want: "Higher",
			change: func(all []Run) {
				for r := range all {
					all[r].Names = append(slices.Clone(names), costs.ServerMemory)
					all[r].Declaration.Comparisons = slices.Clone(all[r].Declaration.Comparisons)
					all[r].Declaration.Comparisons[0].Measurements = []Measurement{{Name: costs.ServerMemory}, {Name: "throughput"}}
					for i := range all[r].Records {
						v := &all[r].Records[i].Values[3]
						v.Name, v.Unit, v.Direction, v.Value = costs.ServerMemory, "B", contract.LowerIsBetter, map[string]float64{"a": 100, "b": 150 + float64(r)}[all[r].Records[i].Target]
					}
				}
			},
		},
		"what differs between the runs is named": {
			ratios: []float64{1.5, 1.501}, want: "Faster", runs: []v1alpha1.SideDifference{{Name: "target/cpu", Value: "Y", Baseline: "X"}},
			between: []RunDifference{{
				Code: FactDiffers, First: "run1", Second: "run2", Target: "b", Name: "target/cpu", FirstValue: "X", SecondValue: "Y", Class: likeness.CPU, Why: "another model is another speed",
			}},
			change: func(all []Run) {
				all[0].facts("b", map[string]string{"target/cpu": "X"})
				all[1].facts("b", map[string]string{"target/cpu": "Y"})
			},
		},
		"machines of other speeds": {
			ratios: []float64{1.5, 1.501}, want: "Faster", runs: []v1alpha1.SideDifference{{Name: "machine-speed/Target/Memory", Value: "1.5", Baseline: "1", Faster: v1alpha1.FasterBaseline}},
			between: []RunDifference{{
				Code: FactDiffers, First: "run1", Second: "run2", Target: "a", Name: "machine-speed/Target/Memory", FirstValue: "1", SecondValue: "1.5", Class: likeness.MachineSpeed,
				Why: "the same work took 1.5 times as long before the trials of the second side (99 % interval over all kernels 1.49 to 1.51)",
			}},
			change: func(all []Run) {
				for r := range all {
					for i := range all[r].Records {
						all[r].Records[i].MachineSpeed = []contract.RecordedSpeed{{Side: "Target", Kernel: "Memory", Seconds: []float64{1, 1.5}[r] * (1 + 0.001*float64(i))}}
					}
				}
			},
		},
		"a setting that differs between the sides": {
			ratios: []float64{1.5, 1.501}, want: "Faster", sides: []v1alpha1.SideDifference{{Name: "log_bin", Value: "OFF", Baseline: "ON", Faster: v1alpha1.FasterValue}},
			change: func(all []Run) {
				for i := range all {
					all[i].facts("a", map[string]string{"log_bin": "ON", "server/version": "8.4.0 MySQL Community Server - GPL"})
					all[i].facts("b", map[string]string{"log_bin": "OFF", "server/version": "8.4.0 MySQL Community Server - GPL"})
				}
			},
		},
		"sides that had to be alike": {
			ratios: []float64{1.5, 1.5}, want: "Inconclusive", require: []v1alpha1.LikeAspect{"cpu"}, reasons: "NotAlike run=run1 unmet=cpu is not known of both sides; NotAlike run=run2 unmet=cpu is not known of both sides",
		},
		"in sequence": {
			ratios: []float64{1.5, 1.5}, want: "Exploratory", reasons: "InSequence",
			change: func(all []Run) {
				for i := range all {
					all[i].Layout.Plan.Order = v1alpha1.OrderSequential
				}
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			a := usual.DeepCopy()
			a.RequireLike = tc.require
			if tc.blocks == 0 {
				tc.blocks = 10
			}
			all := repeated(t, tc.blocks, a, tc.ratios...)
			if tc.change != nil {
				tc.change(all)
			}
			got, err := ConcludeRuns(all)
			if err != nil || got.Kind != OverRuns || len(got.Comparisons) != 2 {
				t.Fatalf("error %v, result %+v", err, got)
			}
			if c := got.Comparisons[0]; c.Verdict != tc.want || len(c.Ratios) != len(all) {
				t.Errorf("verdict %s, ratios %q", c.Verdict, c.Ratios)
			}
			c := got.Comparisons[0]
			if got := said(c.Reasons); !strings.HasPrefix(got, tc.reasons) || tc.reasons == "" && got != "" {
				t.Errorf("reasons %q, want %q", got, tc.reasons)
			}
			if diff := cmp.Diff([][]v1alpha1.SideDifference{tc.sides, tc.runs}, [][]v1alpha1.SideDifference{c.Differences, c.BetweenRuns}); diff != "" {
				t.Errorf("differences of the sides, and of the runs (-want +got):\n%s", diff)
			}
			if strings.Contains(name, "disturbed") && slices.ContainsFunc(got.Between, func(d RunDifference) bool { return d.Name == "log_bin" }) {
				t.Errorf("between the runs: %+v", got.Between)
			}
			for _, want := range tc.between {
				if !slices.ContainsFunc(got.Between, func(d RunDifference) bool { return cmp.Equal(d, want) }) {
					t.Errorf("between the runs:\n%+v\nlacks %+v", got.Between, want)
				}
			}
		})
	}
}

// Where nothing differs, runs that differ by far more than their trials have a difference in about 5 %
// of all cases; a run alone has one in most.
func TestRunsAreInTheInterval(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 5))
	const times = 400
	over, alone := 0, 0
	a := analysisOf(v1alpha1.Comparison{Factor: "target", Measurements: []v1alpha1.MeasurementRef{{Name: "throughput"}}})
	for range times {
		var ratios []float64
		for range 4 {
			ratios = append(ratios, math.Exp(0.02*random.NormFloat64()))
		}
		all := repeated(t, 6, a, ratios...)
		got, err := ConcludeRuns(all)
		if err != nil {
			t.Fatal(err)
		}
		if v := got.Comparisons[0].Verdict; v == v1alpha1.VerdictFaster || v == v1alpha1.VerdictSlower {
			over++
		}
		one, err := Conclude(all[0].Input)
		if err != nil {
			t.Fatal(err)
		}
		if v := one.Entries[0].Verdict; v == v1alpha1.VerdictFaster || v == v1alpha1.VerdictSlower {
			alone++
		}
	}
	if over > times*9/100 || over < times*2/100 || alone < times/2 {
		t.Errorf("of %d, %d have a difference over the runs, and %d in the first run", times, over, alone)
	}
}

func TestControlOverRuns(t *testing.T) {
	for differs, want := range map[float64]v1alpha1.ComparisonVerdict{1: "Equivalent", 1.5: "Faster"} {
		a := usual.DeepCopy()
		a.Control = true
		all := repeated(t, 10, a, 1.2, 1.2, 1.2, 1.2)
		for i := range all {
			p := planOf(10, 1, "a", "b", v1alpha1.ControlName)
			all[i].Layout.Plan = p
			all[i].Records = recordsOf(p, 0.002, func(target string, _ int32) float64 {
				return map[string]float64{"a": 100, "b": 120, v1alpha1.ControlName: 100 * differs * (1 + 0.0001*float64(i))}[target]
			})
		}
		got, err := ConcludeRuns(all)
		if err != nil || len(got.Comparisons) != 4 {
			t.Fatalf("error %v, %+v", err, got)
		}
		if c := got.Comparisons[2]; c.Family != v1alpha1.FamilyControl || c.Verdict != want || c.IntervalLow == "" {
			t.Errorf("%v: %+v", differs, c)
		}
	}
}

func TestRunAgainstRun(t *testing.T) {
	tests := map[string]struct {
		ratio   float64
		blocks  int
		change  func(*Run)
		require []v1alpha1.LikeAspect
		want    v1alpha1.ComparisonVerdict
		// reasons besides the last one, that each side is one run: a beginning.
		reasons string
		differ  []v1alpha1.SideDifference
	}{
		"the second is faster": {ratio: 1.5, want: "Faster"},
		"slower":               {ratio: 0.5, want: "Slower"},
		"noise":                {ratio: 1, want: "Inconclusive", reasons: "SpreadOfValues spread=0."},
		"values that cannot be of one thing": {
			ratio: 1.5, want: "Inconclusive", reasons: "NotComparable high=1e+300 low=", change: func(r *Run) { r.Records[2].Values[0].Value = 1e300 },
		},
		"another unit": {ratio: 1.5, want: "NotMeasured", reasons: "NotInBothRuns", change: func(r *Run) {
			for i := range r.Records {
				r.Records[i].Values[0].Unit = "ops/s"
			}
		}},
		"windows that were not steady": {ratio: 1.5, want: "Faster", reasons: "NotSteady of=20 trials=10", change: func(r *Run) {
			for i := range r.Records {
				r.Records[i].Steadiness = string(stats.NotSteady)
			}
		}},
		"too few": {ratio: 1.5, blocks: 5, want: "Exploratory", reasons: "TooFewBlocks blocks=5 needed=6"},
		"another image is what is compared, another machine is not": {
			ratio: 1.5, want: "Faster", differ: []v1alpha1.SideDifference{{Name: "target/cpu", Value: "Y", Baseline: "X"}},
			change: func(r *Run) { r.facts("a", map[string]string{"target/cpu": "Y", "server/image": "new"}) },
		},
		"a setting of the specs is what is compared, one that the server changed is not": {
			ratio: 1.5, want: "Faster", differ: []v1alpha1.SideDifference{{Name: "innodb_io_capacity", Value: "100", Baseline: "200"}},
			change: func(r *Run) {
				r.Settings = map[string][]contract.Setting{"a": {{Name: "innodb-doublewrite", Value: "0"}}}
				r.facts("a", map[string]string{"server/version": "8.4.0 MySQL Community Server - GPL", "innodb_doublewrite": "OFF", "innodb_io_capacity": "100"})
			},
		},
		"the runs had to be alike": {
			ratio: 1.5, want: "Inconclusive", require: []v1alpha1.LikeAspect{"cpu"}, reasons: "NotAlike unmet=cpu differs: target/cpu (run1: X, run2: Y)",
			differ: []v1alpha1.SideDifference{{Name: "target/cpu", Value: "Y", Baseline: "X"}},
			change: func(r *Run) {
				r.facts("a", map[string]string{"target/cpu": "Y", "client/cpu": "X", "server/image": "new"})
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if tc.blocks == 0 {
				tc.blocks = 10
			}
			a := usual.DeepCopy()
			a.RequireLike = tc.require
			both := repeated(t, tc.blocks, a, 1, 1)
			random := rand.New(rand.NewPCG(7, 7))
			for i := range both {
				p := planOf(tc.blocks, 1, "a")
				factor := []float64{1, tc.ratio}[i]
				both[i].Layout.Plan, both[i].Records = p, recordsOf(p, 0, func(string, int32) float64 { return 100 * factor * math.Exp(0.02*random.NormFloat64()) })
				both[i].Spec.Targets = both[i].Spec.Targets[:1]
				both[i].Spec.Targets[0].MySQL.Version = []string{"8.4", "9.7"}[i]
				both[i].facts("a", map[string]string{"target/cpu": "X", "client/cpu": "X", "server/image": "old", "server/version": "8.4.0 MySQL Community Server - GPL", "innodb_doublewrite": "ON", "innodb_io_capacity": "200"})
				declare(t, &both[i])
			}
			if tc.change != nil {
				tc.change(&both[1])
			}
			got, err := ConcludeRuns(both)
			if err != nil || got.Kind != RunAgainstRun || len(got.Comparisons) != 2 {
				t.Fatalf("error %v, result %+v", err, got)
			}
			compared := []RunDifference{{Code: FieldDiffers, First: "run1", Second: "run2", Name: "spec.targets[a].mysql.version", FirstValue: "8.4", SecondValue: "9.7"}}
			if diff := cmp.Diff(compared, got.Compared); diff != "" {
				t.Errorf("compared (-want +got):\n%s", diff)
			}
			c := got.Comparisons[0]
			if c.Verdict != tc.want || c.Factor != "run" || c.Target != "a" || c.Value != "run2" || (c.AdjustedP == "") != (tc.reasons == "NotInBothRuns") {
				t.Errorf("verdict %s, want %s; entry %+v", c.Verdict, tc.want, c)
			}
			reasons, last := said(c.Reasons), "OneRunEach"
			if !strings.HasPrefix(reasons, tc.reasons) || tc.reasons == "" && reasons != last || !strings.HasSuffix(reasons, last) {
				t.Errorf("reasons %q, want %q and %s", reasons, tc.reasons, last)
			}
			if diff := cmp.Diff(tc.differ, c.Differences); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
		})
	}
}

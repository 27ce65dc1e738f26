package analysis

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/costs"
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

func TestOverRuns(t *testing.T) {
	tests := map[string]struct {
		ratios  []float64
		blocks  int
		change  func([]Run)
		require []v1alpha1.LikeAspect
		want    v1alpha1.ComparisonVerdict
		// text and between have these in them.
		text, between []string
	}{
		"all runs agree": {
			ratios: []float64{1.5, 1.51, 1.49}, want: "Faster", text: []string{"b 1.50x a (1.4", "over 3 runs; 1 of 2 comparisons: 2 faster"},
			between: []string{"run2 against run1, a: not known of both runs: durability"},
		},
		// Each of the runs by itself is certain of its sign.
		"each run is certain, and they disagree": {
			ratios: []float64{1.06, 0.95, 1.02}, want: "Inconclusive", text: []string{"3 runs, whose ratios have a standard deviation of 5."},
		},
		"all runs say the same": {ratios: []float64{1.001, 1, 0.9995, 1.0003}, want: "Equivalent", text: []string{": equivalent"}},
		"all runs have one ratio to the last digit": {
			ratios: []float64{1.5, 1.5, 1.5}, want: "Inconclusive", text: []string{"3 runs have one ratio to the last digit, so that nobody knows how runs differ"},
			change: func(all []Run) {
				for r := range all[1:] {
					all[r+1].Records = all[0].Records
				}
			},
		},
		"a disturbed trial is part of no difference between the runs": {
			ratios: []float64{1.5, 1.51}, want: "Faster", between: []string{"run2 against run1, b: not known of both runs: "},
			change: func(all []Run) {
				for i := range all[1].Records { // a setting that only the disturbed trials saw
					rec := &all[1].Records[i]
					rec.Facts = contract.NewFacts(map[string]string{"log_bin": "OFF", "server/version": "8.4.0"})
					if rec.Block == 3 {
						rec.Disturbed, rec.Facts = true, contract.NewFacts(map[string]string{"log_bin": "ON", "server/version": "8.4.0"})
					}
				}
				all[0].facts("a", map[string]string{"log_bin": "OFF", "server/version": "8.4.0"})
				all[0].facts("b", map[string]string{"log_bin": "OFF", "server/version": "8.4.0"})
			},
		},
		"one run":               {ratios: []float64{1.5}, want: "Exploratory", text: []string{"b 1.50x a: exploratory (1 run, and the difference between runs takes 2)"}},
		"too few blocks in all": {ratios: []float64{1.5, 1.5}, blocks: 2, want: "Exploratory", text: []string{"4 blocks of all runs count on both sides, and a verdict needs 6"}},
		"a run without a value": {
			ratios: []float64{1.5, 1.5, 1.5}, want: "Inconclusive", text: []string{"b against a: inconclusive (run run2: a value is 0"},
			change: func(all []Run) { all[1].Records[3].Values[0].Value = 0 },
		},
		"a run has another unit": {
			ratios: []float64{1.5, 1.5}, want: "Inconclusive", text: []string{"run run2 has it with other labels or in another unit"},
			change: func(all []Run) {
				for i := range all[1].Records {
					all[1].Records[i].Values[0].Unit = "ops/s"
				}
			},
		},
		"runs of very different sizes": {
			ratios: []float64{1.5, 1.501}, want: "Faster", text: []string{"the runs have 3 to 10 blocks, and each counts the same"},
			change: func(all []Run) { all[1].Records = all[1].Records[:6] },
		},
		"the same order of the trials": {
			ratios: []float64{1.5, 1.501}, want: "Faster", between: []string{"run2 against run1: the trials had the same random order (seed 7)"},
			change: func(all []Run) { all[0].Layout.Plan.Seed, all[1].Layout.Plan.Seed = 7, 7 },
		},
		"a largest value since the start is one observation of a run": {
			ratios: []float64{1.5, 1.5, 1.5}, want: "Higher", text: []string{"memory"},
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
			ratios: []float64{1.5, 1.501}, want: "Faster", text: []string{"the runs differ in target/cpu"}, between: []string{"run2 against run1, b: target/cpu differs (Y against X)"},
			change: func(all []Run) {
				all[0].facts("b", map[string]string{"target/cpu": "X"})
				all[1].facts("b", map[string]string{"target/cpu": "Y"})
			},
		},
		"machines of other speeds": {
			ratios: []float64{1.5, 1.501}, want: "Faster", text: []string{"the runs differ in machine-speed/Target/Memory"}, between: []string{"the same work took 1.5 times as long"},
			change: func(all []Run) {
				for r := range all {
					for i := range all[r].Records {
						all[r].Records[i].MachineSpeed = []contract.RecordedSpeed{{Side: "Target", Kernel: "Memory", Seconds: []float64{1, 1.5}[r] * (1 + 0.001*float64(i))}}
					}
				}
			},
		},
		"a setting that differs between the sides": {
			ratios: []float64{1.5, 1.501}, want: "Faster", text: []string{", differs in log_bin"},
			change: func(all []Run) {
				for i := range all {
					all[i].facts("a", map[string]string{"log_bin": "ON", "server/version": "8.4.0"})
					all[i].facts("b", map[string]string{"log_bin": "OFF", "server/version": "8.4.0"})
				}
			},
		},
		"sides that had to be alike": {
			ratios: []float64{1.5, 1.5}, want: "Inconclusive", require: []v1alpha1.LikeAspect{"cpu"}, text: []string{"requireLike wants them: run run1: cpu is not known of both sides"},
		},
		"in sequence": {
			ratios: []float64{1.5, 1.5}, want: "Exploratory", text: []string{"a drift over time looks like a difference"},
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
				t.Errorf("verdict %s, ratios %q: %s", c.Verdict, c.Ratios, c.Text)
			}
			for _, want := range tc.text {
				if !strings.Contains(got.Verdict, want) {
					t.Errorf("verdict %q lacks %q", got.Verdict, want)
				}
			}
			if all := strings.Join(got.Between, "\n"); strings.Contains(name, "disturbed") && strings.Contains(all, "log_bin") {
				t.Errorf("between the runs:\n%s", all)
			}
			for _, want := range tc.between {
				if all := strings.Join(got.Between, "\n"); !strings.Contains(all, want) {
					t.Errorf("between the runs:\n%s\nlacks %q", all, want)
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
		text    string
	}{
		"the second is faster": {ratio: 1.5, want: "Faster", text: "a run: run2 1."},
		"slower":               {ratio: 0.5, want: "Slower", text: "; run run2 against run run1; 1 of 2 comparisons: 2 slower"},
		"noise":                {ratio: 1, want: "Inconclusive", text: "inconclusive (the values of a run have a standard deviation of about "},
		"values that cannot be of one thing": {
			ratio: 1.5, want: "Inconclusive", text: "compared by nobody", change: func(r *Run) { r.Records[2].Values[0].Value = 1e300 },
		},
		"too few": {ratio: 1.5, blocks: 5, want: "Exploratory", text: "5 blocks count in the run that has fewer, and a verdict needs 6"},
		"another image is what is compared, another machine is not": {
			ratio: 1.5, want: "Faster", text: "), differs in target/cpu: each side is one run",
			change: func(r *Run) { r.facts("a", map[string]string{"target/cpu": "Y", "server/image": "new"}) },
		},
		"the runs had to be alike": {
			ratio: 1.5, want: "Inconclusive", require: []v1alpha1.LikeAspect{"cpu"}, text: "the runs are not alike, as requireLike wants them: cpu differs: target/cpu (run1: X, run2: Y)",
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
				both[i].facts("a", map[string]string{"target/cpu": "X", "client/cpu": "X", "server/image": "old"})
				declare(t, &both[i])
			}
			if tc.change != nil {
				tc.change(&both[1])
			}
			got, err := ConcludeRuns(both)
			if err != nil || got.Kind != RunAgainstRun || len(got.Comparisons) != 2 {
				t.Fatalf("error %v, result %+v", err, got)
			}
			if diff := cmp.Diff([]string{"spec.targets[a].mysql.version (run1: 8.4, run2: 9.7)"}, got.Compared); diff != "" {
				t.Errorf("compared (-want +got):\n%s", diff)
			}
			c := got.Comparisons[0]
			if c.Verdict != tc.want || c.Factor != "run" || c.Target != "a" || c.Value != "run2" || !strings.Contains(c.Reason, oneRunEach) || !strings.Contains(got.Verdict, tc.text) {
				t.Errorf("verdict %s, want %s with %q; entry %+v", c.Verdict, tc.want, tc.text, c)
			}
		})
	}
}

// Runs that did not measure the same are refused, and what differs is named.
func TestNotOneExperiment(t *testing.T) {
	threads := int32(8)
	tests := map[string]struct {
		change func(*Run)
		// want in the message; empty: nothing that decides what is measured differs.
		want string
	}{
		"another number of threads": {func(r *Run) { r.Spec.Workload.Sysbench.Threads = threads }, "spec.workload.sysbench.threads ("},
		"another tool":              {func(r *Run) { r.Spec.Workload = v1alpha1.Workload{YCSB: &v1alpha1.YCSBWorkload{}} }, "spec.workload."},
		"another matrix": {func(r *Run) {
			r.Spec.Matrix = []v1alpha1.Axis{{Name: "threads"}}
		}, "spec.matrix[threads]"},
		"another number of clients": {func(r *Run) { r.Spec.Clients.Count = 3 }, "spec.clients.count ("},
		"another design":            {func(r *Run) { r.Spec.Design.DataReset = v1alpha1.ResetPerTrial }, "spec.design.dataReset (run1: PerRun, run2: PerTrial)"},
		"another plan":              {func(r *Run) { r.Layout.Plan = planOf(10, 2, "a", "b") }, "the cells of the plans"},
		"other files":               {func(r *Run) { r.FilesSHA256 = "x" }, "the files of the workload"},
		"another effect":            {func(r *Run) { r.Spec.Analysis.MinimumEffect = "5%" }, "spec.analysis.minimumEffect"},
		"other comparisons":         {func(r *Run) { r.Spec.Analysis.Comparisons = []v1alpha1.Comparison{{Factor: "target"}} }, ""},
		"another baseline": {func(r *Run) {
			r.Spec.Analysis.Comparisons = analysisOf(v1alpha1.Comparison{Factor: "target", Measurements: []v1alpha1.MeasurementRef{{Name: "throughput"}}}).Comparisons
		}, "spec.analysis.comparisons"},
		"more blocks, another seed":                  {func(r *Run) { r.Spec.Design.Blocks, r.Spec.Design.Seed = 20, new(int64) }, ""},
		"another version of a target, of three runs": {func(r *Run) { r.Spec.Targets[0].MySQL.Version = "9.7" }, "spec.targets[a].mysql.version"},
		"the same run":                               {func(r *Run) { r.Name = "run1" }, "run run1 is given twice"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			all := repeated(t, 10, usual, 1.5, 1.5, 1.5)
			tc.change(&all[1])
			declare(t, &all[1])
			_, err := ConcludeRuns(all)
			switch {
			case tc.want == "" && err != nil, tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("error %v, want %q", err, tc.want)
			}
			var not *NotOneExperimentError
			if strings.Contains(tc.want, "spec.") && !errors.As(err, &not) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestRunsWithoutComparisons(t *testing.T) {
	alone := func(n int, targets ...string) []Run {
		all := repeated(t, 10, usual, 1, 1, 1)[:n]
		for i := range all {
			p := planOf(10, 1, targets[i])
			all[i].Layout.Plan, all[i].Records = p, recordsOf(p, 0.002, bOver(1))
			all[i].Spec.Targets = all[i].Spec.Targets[:1]
			all[i].Spec.Targets[0].Name = targets[i]
			declare(t, &all[i])
		}
		return all
	}
	got, err := ConcludeRuns(alone(2, "a", "a"))
	if err != nil || got.Kind != RunAgainstRun || len(got.Compared) != 0 {
		t.Errorf("two runs of one target: error %v, %+v", err, got)
	}
	for want, all := range map[string][]Run{"no target of one name": alone(2, "a", "b"), "compares nothing": alone(3, "a", "a", "a"), "no run": nil} {
		if _, err := ConcludeRuns(all); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

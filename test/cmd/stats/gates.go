package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/internal/verdict/analysis"
	"github.com/assay-bench/assay/internal/verdict/baseline"
	"github.com/assay-bench/assay/internal/verdict/gate"
)

// gated is a run in 8 cells with a gate: noise within it, how much runs of one server differ, and how
// much slower it is than its baseline.
type gated struct {
	noise, between, slower float64
	// apart: what runs differ by is drawn for each cell. Otherwise it is one for all of them.
	apart bool
	// history of so many runs in the baseline; 0 for a baseline of one run.
	history int
	gate    v1alpha1.Gate
}

const gatedCells, gatedBlocks = 8, 10

// failed says whether a run fails at the gate of a baseline that another run has made.
func (g gated) failed(random *rand.Rand) bool {
	before := g.run(random, 0)
	spec := must(baseline.Make(baseline.Source{Run: &v1alpha1.BenchmarkRun{}, Recorded: before}))
	g.remember(random, &spec)
	return g.judge(g.baselines(random, spec), g.run(random, g.slower)).Status == metav1.ConditionFalse
}

// judge a run at the gate with its baselines, of which the first has a name here: without one it is a gate within the run.
func (g gated) judge(baselines []gate.Read, run analysis.Run) gate.Verdict {
	rule := g.gate
	rule.Baseline = "release"
	return gate.Judge(gate.Input{Gate: rule, Baselines: baselines, Run: run})
}

// baselines of the gate: that of the first run, and one of another run for each further one.
func (g gated) baselines(random *rand.Rand, first v1alpha1.BenchmarkBaselineSpec) []gate.Read {
	out := []gate.Read{{Baseline: &v1alpha1.BenchmarkBaseline{Spec: first}}}
	for range g.gate.Also {
		spec := must(baseline.Make(baseline.Source{Run: &v1alpha1.BenchmarkRun{}, Recorded: g.run(random, 0)}))
		out = append(out, gate.Read{Baseline: &v1alpha1.BenchmarkBaseline{Spec: spec}})
	}
	return out
}

// levels of the cells of one run. What runs differ by is the same in all cells where it is another server or another
// machine, and another one in each where each cell has processes of its own.
func (g gated) levels(random *rand.Rand) []float64 {
	out, common := make([]float64, gatedCells), g.between*random.NormFloat64()
	for c := range out {
		if out[c] = common; g.apart {
			out[c] = g.between * random.NormFloat64()
		}
	}
	return out
}

// run with the throughput of each cell.
func (g gated) run(random *rand.Rand, slower float64) analysis.Run {
	p := &plan.Plan{Targets: []string{"db"}, Axes: []string{"threads"}}
	for c := range gatedCells {
		p.Cells = append(p.Cells, plan.Cell{"threads": intstr.FromInt(1 << c)})
	}
	levels := g.levels(random)
	out := analysis.Run{Name: "run", Input: analysis.Input{Layout: analysis.Layout{Plan: p}, Names: []string{contract.NameThroughput}, Limit: 1000}}
	for i := range int32(gatedCells * gatedBlocks) {
		t := plan.Trial{Index: i, Block: i / gatedCells, Cell: i % gatedCells}
		p.Trials = append(p.Trials, t)
		out.Records = append(out.Records, contract.Record{
			Final: true, Index: i, Block: t.Block, Cell: t.Cell, Target: "db", State: contract.Succeeded, Valid: new(true),
			Values: []contract.RecordedValue{{Name: contract.NameThroughput, Value: 100 * (1 - slower) * math.Exp(levels[t.Cell]+g.noise*random.NormFloat64()), Unit: "tx/s", Direction: contract.HigherIsBetter}},
		})
	}
	return out
}

// gates are the rows of the rules of a gate: how often a run that is as fast as its baseline fails, and
// how often a slower one does.
func gates() []simulation {
	threshold := v1alpha1.Gate{Threshold: "25%"}
	tight := v1alpha1.Gate{Threshold: "5%"}
	test := v1alpha1.Gate{Test: &v1alpha1.GateTest{ErrorRate: "5%", MinimumEffect: "5%"}}
	any := v1alpha1.Gate{Test: &v1alpha1.GateTest{ErrorRate: "5%", MinimumEffect: "0.001%"}}
	one := func(name, conditions string, b bar, g gated) simulation {
		return simulation{name, fmt.Sprintf("%s; %d cells of %d blocks", conditions, gatedCells, gatedBlocks), func(random *rand.Rand, rounds int) row {
			return share(rounds/10, b, func() bool { return g.failed(random) })
		}}
	}
	const alarm, found = "False alarms of a gate", "Regressions that a gate finds"
	all := []simulation{
		one(alarm, "threshold 25 %, noise 2 %, between runs 2 %", atMost(0.001), gated{noise: 0.02, between: 0.02, gate: threshold}),
		one(alarm, "threshold 25 %, noise 30 %: too noisy for it", none, gated{noise: 0.3, gate: threshold}),
		one(alarm, "threshold 5 %, noise 2 %, between runs 2 %", none, gated{noise: 0.02, between: 0.02, gate: tight}),
		one(alarm, "test at 5 % of any difference, noise 2 %, runs alike", atMost(errorRate), gated{noise: 0.02, gate: any}),
		one(alarm, "the same, between runs 2 %: why a gate has a minimum effect", none, gated{noise: 0.02, between: 0.02, gate: any}),
		one(alarm, "test at 5 % of 5 % or more, noise 2 %, runs alike", atMost(0.001), gated{noise: 0.02, gate: test}),
		one(alarm, "the same, between runs 2 %", none, gated{noise: 0.02, between: 0.02, gate: test}),
		one(alarm, "test at 5 % of any difference, noise 2 %, between runs 2 % in each cell by itself", none, gated{noise: 0.02, between: 0.02, apart: true, gate: any}),
		one(alarm, "test at 5 % of 5 % or more, noise 2 %, between runs 2 % in each cell by itself", none, gated{noise: 0.02, between: 0.02, apart: true, gate: test}),
		one(alarm, "test at 5 % of 5 % or more, every cell slower by 5 %, noise 2 %, runs alike", atMost(errorRate), gated{noise: 0.02, slower: 0.05, gate: test}),
		one(alarm, "test at 5 % of 5 % or more, noise 6.5 %, between runs 2 % in each cell by itself", none, gated{noise: spread, between: betweenRuns, apart: true, gate: test}),
		one(alarm, "threshold 25 %, noise 6.5 %, between runs 2 % in each cell by itself", atMost(0.001), gated{noise: spread, between: betweenRuns, apart: true, gate: threshold}),
		one(alarm, "threshold 25 %, noise 12 %, between runs 2 % in each cell by itself", none, gated{noise: loud, between: betweenRuns, apart: true, gate: threshold}),
		one(found, "threshold 25 %, 30 % slower, noise 2 %, between runs 2 %", atLeastAbout(0.95), gated{noise: 0.02, between: 0.02, slower: 0.3, gate: threshold}),
		one(found, "test of 5 % or more, 8 % slower, noise 2 %, runs alike", atLeastAbout(0.95), gated{noise: 0.02, slower: 0.08, gate: test}),
		one(found, "the same, between runs 2 %", none, gated{noise: 0.02, between: 0.02, slower: 0.08, gate: test}),
		one(found, "the same, noise 6.5 %, runs alike", none, gated{noise: spread, slower: 0.08, gate: test}),
		one(found, "test of 5 % or more, 15 % slower, noise 6.5 %, between runs 2 %", atLeastAbout(0.8), gated{noise: spread, between: betweenRuns, slower: 0.15, gate: test}),
	}
	also := func(g v1alpha1.Gate) v1alpha1.Gate {
		g.Also = []v1alpha1.FurtherBaseline{{Name: "last-week"}, {Name: "last-month"}}
		return g
	}
	all = append(all, changes()...)
	return append(all,
		one(alarm, "threshold 2 %, noise 2 %, between runs 2 %", none, gated{noise: 0.02, between: 0.02, gate: v1alpha1.Gate{Threshold: "2%"}}),
		one(alarm, "test at 5 % of any difference, 3 baselines, noise 2 %, runs alike", atMost(errorRate), gated{noise: 0.02, gate: also(any)}),
		one(alarm, "test at 5 % of 5 % or more, 3 baselines, noise 2 %, between runs 2 %", none, gated{noise: 0.02, between: 0.02, gate: also(test)}),
		one(found, "test of 5 % or more, 3 baselines, 8 % slower, noise 2 %, between runs 2 %", none, gated{noise: 0.02, between: 0.02, slower: 0.08, gate: also(test)}))
}

// nights are the runs of a schedule: each night's level, times noise that depends on the night before by
// a correlation.
type nights struct {
	count, measurements int
	noise, correlation  float64
	// shared is the part of the noise that all measurements have in common, as variance: 0 to 1.
	shared float64
	// slower by this share from the night at on.
	slower float64
	at     int
}

func (n nights) play(random *rand.Rand) []gate.Past {
	var out []gate.Past
	last := make([]float64, n.measurements)
	for night := range n.count {
		p := gate.Past{Run: fmt.Sprint(night), Time: time.Unix(int64(night), 0)}
		common := 0.0
		if n.shared > 0 {
			common = math.Sqrt(n.shared) * random.NormFloat64()
		}
		for m := range last {
			fresh := common + math.Sqrt(1-n.shared)*random.NormFloat64()
			if night > 0 {
				fresh = n.correlation*last[m] + math.Sqrt(1-n.correlation*n.correlation)*fresh
			}
			last[m] = fresh
			v := math.Exp(n.noise * fresh)
			if n.slower > 0 && night >= n.at {
				v *= 1 - n.slower
			}
			p.Values = append(p.Values, gate.Value{Measurement: v1alpha1.MeasurementKey{Target: "db", Name: fmt.Sprint("m", m)}, Direction: contract.HigherIsBetter, Median: v})
		}
		out = append(out, p)
	}
	return out
}

// regressed says whether a look at the series finds a change for the worse.
func regressed(series []gate.Past, minimum float64) bool {
	return len(must(gate.Changes(context.Background(), series, gate.ChangeOptions{ErrorRate: errorRate, MinimumEffect: minimum, Confirm: 1}))) > 0
}

// atEnd is one look at a whole series.
func atEnd(n nights, minimum float64) func(*rand.Rand) bool {
	return func(random *rand.Rand) bool { return regressed(n.play(random), minimum) }
}

// nightly is a row of change points over a series: how often something happens, in a part of the rounds.
func nightly(name, conditions string, b bar, happens func(*rand.Rand) bool, part int) simulation {
	return simulation{name, conditions, func(random *rand.Rand, rounds int) row {
		return share(max(rounds/part, 20), b, func() bool { return happens(random) })
	}}
}

// changes are the rows of change points over a series.
func changes() []simulation {
	const alarm, found = "False alarms of change points", "Regressions that change points find"
	anyNight := func(n nights, minimum float64) func(*rand.Rand) bool {
		return func(random *rand.Rand) bool {
			series := n.play(random)
			for seen := 4; seen <= len(series); seen++ {
				if regressed(series[:seen], minimum) {
					return true
				}
			}
			return false
		}
	}
	return []simulation{
		nightly(alarm, "one look at 30 nights, noise 2 %, for the worse", atMost(errorRate), atEnd(nights{count: 30, measurements: 1, noise: 0.02}, 0), 10),
		nightly(alarm, "the same of 8 measurements together", atMost(errorRate), atEnd(nights{count: 30, measurements: 8, noise: 0.02}, 0), 20),
		nightly(alarm, "a look in each of 60 nights, any size: the looks add up", none, anyNight(nights{count: 60, measurements: 1, noise: 0.02}, 0), 50),
		nightly(alarm, "a look in each of 60 nights, 5 % or more", atMost(0.02), anyNight(nights{count: 60, measurements: 1, noise: 0.02}, 0.05), 50),
		nightly(alarm, "one look at 30 nights, noise 2 % AR(1) 0.5: nights that depend on one another", none, atEnd(nights{count: 30, measurements: 1, noise: 0.02, correlation: 0.5}, 0), 10),
		nightly(found, "5 % slower for 5 of 30 nights, noise 2 %", atLeastAbout(0.8), atEnd(nights{count: 30, measurements: 1, noise: 0.02, slower: 0.05, at: 25}, 0.02), 20),
		nightly(found, "10 % slower for 2 of 30 nights, noise 2 %: two nights", none, atEnd(nights{count: 30, measurements: 1, noise: 0.02, slower: 0.1, at: 28}, 0.05), 20),
		nightly(found, "10 % slower for 3 of 30 nights, noise 2 %", atLeastAbout(0.9), atEnd(nights{count: 30, measurements: 1, noise: 0.02, slower: 0.1, at: 27}, 0.05), 20),
		nightly(alarm, "one look at 30 nights of 24 series, such as 3 measurements in 8 cells, noise 2 %", atMost(errorRate), atEnd(nights{count: 30, measurements: 24, noise: 0.02}, 0), 40),
		nightly(alarm, "the same, half of the noise is common to all", atMost(errorRate), atEnd(nights{count: 30, measurements: 24, noise: 0.02, shared: 0.5}, 0), 40),
		nightly(found, "10 % slower for 3 of 30 nights, in 24 series, noise 2 %", none, atEnd(nights{count: 30, measurements: 24, noise: 0.02, slower: 0.1, at: 27}, 0.05), 100),
	}
}

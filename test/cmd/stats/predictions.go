package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/verdict/baseline"
	"github.com/assay-bench/assay/internal/verdict/gate"
)

// remember the medians of the run of a baseline and of further runs, as baseline.Make does with records of them.
func (g gated) remember(random *rand.Rand, spec *v1alpha1.BenchmarkBaselineSpec) {
	if g.history == 0 {
		return
	}
	spec.Runs = make([]v1alpha1.RepeatedRun, g.history)
	for run := range g.history {
		spec.Runs[run].Name = fmt.Sprint(run)
		levels := g.levels(random)
		for i := range spec.Measurements {
			m := &spec.Measurements[i]
			values := make([]float64, gatedBlocks)
			for b := range values {
				if values[b] = 100 * math.Exp(levels[i]+g.noise*random.NormFloat64()); run == 0 {
					values[b], _ = figure.Decimal(m.Blocks[b])
				}
			}
			slices.Sort(values)
			m.Runs = append(m.Runs, strconv.FormatFloat((values[gatedBlocks/2-1]+values[gatedBlocks/2])/2, 'f', 6, 64))
		}
	}
}

// predictions are the rows of gates that judge by several runs.
func predictions() []simulation {
	rule := v1alpha1.Gate{Prediction: &v1alpha1.GatePrediction{ErrorRate: "5%"}}
	allowing := v1alpha1.Gate{Prediction: &v1alpha1.GatePrediction{ErrorRate: "5%", MinimumEffect: "5%"}}
	const alarm, found = "False alarms of a prediction", "Regressions that a prediction finds"
	var all []simulation
	for _, runs := range []int{3, 5, 10, 20} {
		good := none
		if runs == 20 {
			good = atLeastAbout(0.8)
		}
		all = append(all,
			predicted(alarm, "noise 2 %, between runs 2 %, one for all cells", atMost(errorRate), gated{noise: quiet, between: betweenRuns, history: runs, gate: rule}),
			predicted(alarm, "noise 2 %, between runs 2 % in each cell by itself", atMost(errorRate), gated{noise: quiet, between: betweenRuns, apart: true, history: runs, gate: rule}),
			predicted(found, "8 % slower, noise 2 %, between runs 2 %, one for all cells", none, gated{noise: quiet, between: betweenRuns, slower: 0.08, history: runs, gate: rule}),
			predicted(found, "8 % slower, noise 2 %, between runs 2 % in each cell by itself", good, gated{noise: quiet, between: betweenRuns, apart: true, slower: 0.08, history: runs, gate: rule}),
		)
	}
	return append(all,
		predicted(alarm, "noise 6.5 %, between runs 2 % in each cell by itself", atMost(errorRate), gated{noise: spread, between: betweenRuns, apart: true, history: 10, gate: rule}),
		predicted(alarm, "of 5 % or more, every cell slower by 5 %, noise 2 %, between runs 2 % in each cell by itself", atMost(errorRate), gated{noise: quiet, between: betweenRuns, apart: true, slower: 0.05, history: 10, gate: allowing}),
		simulation{"Power that a gate states, 80 %", "one cell of a prediction from 10 runs, at the change that its entries state in the mean, noise 2 %, between runs 2 %", func(random *rand.Rand, rounds int) row {
			return statedPower(random, rounds/10, gated{noise: quiet, between: betweenRuns, apart: true, history: 10, gate: rule})
		}},
		simulation{"Power that a gate states, 80 %", "one cell of a test of 5 % or more, the same, runs alike", func(random *rand.Rand, rounds int) row {
			return statedPower(random, rounds/10, gated{noise: quiet, gate: v1alpha1.Gate{Test: &v1alpha1.GateTest{ErrorRate: "5%", MinimumEffect: "5%"}}})
		}})
}

// predicted is the row of a gate that judges by several runs.
func predicted(name, conditions string, b bar, g gated) simulation {
	return simulation{name, fmt.Sprintf("%d runs, %s; %d cells of %d blocks", g.history, conditions, gatedCells, gatedBlocks), func(random *rand.Rand, rounds int) row {
		return share(rounds/10, b, func() bool { return g.failed(random) })
	}}
}

// statedPower is how often the first cell is slower where it is slower by what the gate says of sound runs that it would have
// found. All others are sound.
func statedPower(random *rand.Rand, rounds int, g gated) row {
	judge := func(slower float64) v1alpha1.GateEntry {
		spec := must(baseline.Make(baseline.Source{Run: &v1alpha1.BenchmarkRun{}, Recorded: g.run(random, 0)}))
		g.remember(random, &spec)
		run := g.run(random, 0)
		for i := range run.Records {
			if run.Records[i].Cell == 0 {
				run.Records[i].Values[0].Value *= 1 - slower
			}
		}
		for _, e := range g.judge([]gate.Read{{Baseline: &v1alpha1.BenchmarkBaseline{Spec: spec}}}, run).Gate.Entries {
			if e.Measurement.Parameters["threads"] == "1" {
				return e
			}
		}
		return v1alpha1.GateEntry{}
	}
	sum, stated := 0.0, 0
	for range rounds {
		if v, ok := figure.Decimal(judge(0).DetectableEffect); ok {
			sum, stated = sum+v, stated+1
		}
	}
	return share(rounds, between(0.72, 0.88), func() bool { return judge(sum/float64(stated)).Outcome == v1alpha1.OutcomeSlower })
}

package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/stats"
)

// noisy are the rows of what was simulated with 2 % alone, with the noise of windows of 1 s on slices of a CPU; and those of spreads that are
// estimated together. They stand behind all others that are simulated, whose random numbers follow from
// their places.
func noisy() []simulation {
	all := moderated()
	for _, sd := range []float64{spread, loud} {
		of := fmt.Sprintf("noise %g %%", 100*sd)
		all = append(all,
			knee("threads 1 to 256, knee at 24, peak at 64, 10 blocks, "+of, sd, 10, falling),
			peak("the same, "+of, sd),
			near(none, sd),
			nightly("False alarms of change points", "one look at 30 nights, for the worse, "+of, atMost(errorRate), atEnd(nights{count: 30, measurements: 1, noise: sd}, 0), 20),
			nightly("Regressions that change points find", "20 % slower for 3 of 30 nights, "+of, none, atEnd(nights{count: 30, measurements: 1, noise: sd, slower: 0.2, at: 27}, 0.05), 20),
			alerts("False alarms of a schedule", "60 nights, threshold 25 %, between runs 2 %, "+of, atMost(0.01), watched{gated{noise: sd, between: betweenRuns, gate: v1alpha1.Gate{Threshold: "25%"}}, 60, 1}),
		)
	}
	rule := v1alpha1.Gate{Prediction: &v1alpha1.GatePrediction{ErrorRate: "5%"}}
	for _, row := range []struct {
		name, conditions string
		bar              bar
		of               gated
	}{
		{"False alarms of a prediction", "noise 12 %, between runs 2 % in each cell by itself", atMost(errorRate), gated{noise: loud, between: betweenRuns, apart: true, history: 10, gate: rule}},
		{"Regressions that a prediction finds", "15 % slower, noise 6.5 %, between runs 2 % in each cell by itself", none, gated{noise: spread, between: betweenRuns, apart: true, slower: 0.15, history: 10, gate: rule}},
		{"Regressions that a prediction finds", "15 % slower, noise 12 %, between runs 2 % in each cell by itself", none, gated{noise: loud, between: betweenRuns, apart: true, slower: 0.15, history: 10, gate: rule}},
	} {
		all = append(all, predicted(row.name, row.conditions, row.bar, row.of))
	}
	return append(all, preciseStarts()...)
}

// moderated are comparisons over three runs whose spreads are estimated together (stats.Moderate).
func moderated() []simulation {
	const ratios, runs, most = 20, 3, 38
	// A scaled inverse chi-squared of so many degrees of freedom is what the method assumes of variances.
	const freedom = 6
	var all []simulation
	twoKinds := func(_ *rand.Rand, i int) float64 { return []float64{0.02, 0.2}[i%2] }
	for _, of := range []struct {
		what  string
		sigma func(random *rand.Rand, i int) float64
		// every ratio counts, or each second one from the first on.
		first, step int
		bar         bar
	}{
		{"all alike", func(*rand.Rand, int) float64 { return 0.1 }, 0, 1, between(0.94, 0.97)},
		{"that differ as the method assumes", func(random *rand.Rand, _ int) float64 {
			squares := 0.0
			for range freedom {
				x := random.NormFloat64()
				squares += x * x
			}
			return 0.1 * math.Sqrt(freedom/squares)
		}, 0, 1, between(0.94, 0.97)},
		{"of two kinds, 2 and 20 %, which it does not assume: those of 2 %", twoKinds, 0, 2, none},
		{"of two kinds, the same: those of 20 %", twoKinds, 1, 2, none},
	} {
		all = append(all, simulation{"Coverage of 95 % intervals, spreads estimated together", fmt.Sprintf("%d ratios in %d runs, spreads %s", ratios, runs, of.what), func(random *rand.Rand, rounds int) row {
			return mean(rounds/20, of.bar, func() float64 {
				family := make([]stats.Comparison, ratios)
				for i := range family {
					family[i] = overRuns(random, runs, of.sigma(random, i))
				}
				held, counted, each := 0, 0, stats.Moderate(family, most)
				for i := of.first; i < ratios; i += of.step {
					interval, _ := each[i].Interval(errorRate)
					held, counted = held+count(interval.Low <= 1 && 1 <= interval.High), counted+1
				}
				return float64(held) / float64(counted)
			})
		}})
	}
	return all
}

// overRuns is a comparison of sides alike over runs whose logarithms of ratios have this standard deviation.
func overRuns(random *rand.Rand, runs int, sigma float64) stats.Comparison {
	of := make([]stats.Comparison, runs)
	for i := range of {
		ratio := math.Exp(sigma * random.NormFloat64())
		s := samples{make([]float64, 8), make([]float64, 8)}
		for k := range s.baseline {
			s.baseline[k], s.subject[k] = 1, ratio
		}
		of[i] = paired(s)
	}
	return must(stats.CompareRuns(of))
}

// preciseStarts are experiments that end once their ratio is precise, of servers whose starts have levels of their own.
func preciseStarts() []simulation {
	var all []simulation
	for _, of := range []struct {
		what string
		each bool
		bar  bar
	}{
		{"a start for each block and side", true, atLeastAbout(0.95)},
		{"one start a side", false, none},
	} {
		conditions := fmt.Sprintf("8 to %d blocks until 5 %%, 1 cell, %s, starts differ by 2 %%, noise 6.5 %%: of the product", mostBlocks, of.what)
		all = append(all, simulation{"Stopped by precision: coverage", conditions, func(random *rand.Rand, rounds int) row {
			e := &experiment{blocks: mostBlocks, order: v1alpha1.OrderRandomizedBlocks, noise: normal}
			return share(rounds/2, of.bar, func() bool {
				values := e.run(random)
				values[0].started(random, betweenRuns, of.each)
				_, family := untilPrecise(values, 0.05, errorRate*stats.PrecisionErrorShare)
				held := stats.Decide(family, errorRate*stats.PrecisionErrorShare, margin)[0].Interval
				return held != nil && held.Low <= 1 && 1 <= held.High
			})
		}})
	}
	return all
}

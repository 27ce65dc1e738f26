package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/stats"
)

// sequences are the rows of experiments that end early: by the precision of their ratios, and by a decision.
func sequences() []simulation {
	var all []simulation
	for _, of := range []struct {
		cells     int
		precision float64
		kind      string
		noise     noise
		drift     float64
		share     float64
		wanted    bar
	}{
		{1, 0.05, "normal noise", normal, 0, stats.PrecisionErrorShare, atLeastAbout(0.95)},
		{1, 0.025, "normal noise", normal, 0, stats.PrecisionErrorShare, atLeastAbout(0.95)},
		{1, 0.05, "noise of heavy tails", laplace, 0, stats.PrecisionErrorShare, atLeastAbout(0.95)},
		{1, 0.05, "1 trial in 10 loses up to 20 %", disturbed, 0, stats.PrecisionErrorShare, atLeastAbout(0.95)},
		{1, 0.05, "AR(1) 0.5, drift 5 %", autoregressive, 0.05, stats.PrecisionErrorShare, atLeastAbout(0.93)},
		{10, 0.05, "normal noise", normal, 0, stats.PrecisionErrorShare, atLeastAbout(0.95)},
		{1, 0.025, "normal noise, at the whole error rate: why there is a share", normal, 0, 1, none},
	} {
		all = append(all, byPrecision(of.cells, of.precision, of.share, of.wanted, of.kind, func() *experiment {
			return &experiment{blocks: mostBlocks, cells: of.cells, order: v1alpha1.OrderRandomizedBlocks, noise: of.noise, drift: of.drift}
		})...)
	}
	for _, precision := range []float64{0.05, 0.025} {
		all = append(all, expectedPrecision(precision))
	}
	return append(all, byDecision()...)
}

// mostBlocks of an experiment that ends early.
const mostBlocks = 100

// byPrecision are the rows of an experiment that ends once all ratios are known to within the precision.
func byPrecision(cells int, precision, part float64, wanted bar, kind string, of func() *experiment) []simulation {
	conditions := fmt.Sprintf("8 to %d blocks until %g %%, %s, %s", mostBlocks, 100*precision, cellsOf(cells), kind)
	rate := errorRate * part
	play := func(random *rand.Rand, e *experiment) (int, []stats.Comparison) {
		return untilPrecise(e.run(random), precision, rate)
	}
	return []simulation{
		{"Stopped by precision: coverage", conditions, func(random *rand.Rand, rounds int) row {
			e := of()
			return share(rounds/2, wanted, func() bool {
				_, family := play(random, e)
				held := stats.Decide(family, rate, margin)[0].Interval
				return held != nil && held.Low <= 1 && 1 <= held.High
			})
		}},
		{"Stopped by precision: false differences", conditions, func(random *rand.Rand, rounds int) row {
			e := of()
			return share(rounds/2, none, func() bool {
				_, family := play(random, e)
				return anyDifference(stats.Decide(family, rate, margin))
			})
		}},
		{"Stopped by precision: mean number of blocks", conditions, func(random *rand.Rand, rounds int) row {
			e := of()
			return mean(rounds/4, none, func() float64 {
				blocks, _ := play(random, e)
				return float64(blocks)
			})
		}},
	}
}

// untilPrecise is how many blocks an experiment takes until all ratios are known to within the precision, and what they say.
func untilPrecise(values []samples, precision, rate float64) (blocks int, family []stats.Comparison) {
	pilot := max(stats.PilotBlocks, stats.BlocksNeeded(len(values), rate))
	for _, blocks := range append(stats.Looks(pilot, mostBlocks), mostBlocks) {
		family = firstBlocks(values, blocks)
		if widest, unknown := stats.WidestOf(family, rate); unknown == 0 && widest <= precision || blocks == mostBlocks {
			return blocks, family
		}
	}
	return mostBlocks, family
}

// expectedPrecision holds the precision that the forecast expects of a number of blocks against what they reach.
func expectedPrecision(precision float64) simulation {
	ratios := math.Sqrt2 * spread
	blocks, _ := stats.BlocksForPrecision(precision, ratios, errorRate)
	return simulation{"Forecast: precision reached over precision expected", fmt.Sprintf("%d blocks, which are expected to reach %g %%, normal noise", blocks, 100*precision), func(random *rand.Rand, rounds int) row {
		e := &experiment{blocks: blocks, order: v1alpha1.OrderRandomizedBlocks, noise: normal}
		expected := stats.ExpectedPrecision(blocks, ratios, errorRate)
		return mean(rounds/4, between(0.9, 1.1), func() float64 {
			widest, _ := stats.WidestOf(e.compared(random), errorRate)
			return widest / expected
		})
	}}
}

// byDecision are the rows of experiments that end at a decision: 6 to 40 blocks, whose interim analyses divide the error rate.
func byDecision() []simulation {
	const least, most = 6, 40
	var all []simulation
	for _, of := range []struct {
		cells int
		kind  string
		noise noise
	}{{1, "normal noise", normal}, {1, "AR(1) 0.5", autoregressive}, {10, "AR(1) 0.5", autoregressive}} {
		interims := stats.Interims(least, most, of.cells, errorRate)
		conditions := fmt.Sprintf("6 to 40 blocks (%d interim analyses) until something differs, %s, %s", len(interims), cellsOf(of.cells), of.kind)
		play := func(random *rand.Rand, e *experiment) (int, []stats.Decision) {
			return untilDifference(e.run(random), interims)
		}
		all = append(all,
			simulation{"Sequential: false differences", conditions, func(random *rand.Rand, rounds int) row {
				e := &experiment{blocks: most, cells: of.cells, order: v1alpha1.OrderRandomizedBlocks, noise: of.noise}
				return share(rounds/2, atMost(0.05), func() bool {
					_, decisions := play(random, e)
					return anyDifference(decisions)
				})
			}},
			simulation{"Sequential: coverage at the stop", conditions, func(random *rand.Rand, rounds int) row {
				e := &experiment{blocks: most, cells: of.cells, order: v1alpha1.OrderRandomizedBlocks, noise: of.noise}
				return share(rounds/2, atLeastAbout(0.95), func() bool {
					_, decisions := play(random, e)
					held := decisions[0].Interval
					return held != nil && held.Low <= 1 && 1 <= held.High
				})
			}},
		)
	}
	return all
}

// untilDifference decides at each interim analysis, until something differs.
func untilDifference(cells []samples, interims []stats.Interim) (blocks int, decisions []stats.Decision) {
	for _, interim := range interims {
		decisions = stats.Decide(firstBlocks(cells, interim.Blocks), interim.ErrorRate, margin)
		if blocks = interim.Blocks; anyDifference(decisions) {
			break
		}
	}
	return blocks, decisions
}

// firstBlocks of all cells, compared.
func firstBlocks(cells []samples, blocks int) (family []stats.Comparison) {
	for _, s := range cells {
		family = append(family, paired(samples{s.baseline[:blocks], s.subject[:blocks]}))
	}
	return family
}

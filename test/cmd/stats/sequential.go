package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/stats"
)

// sequences are the rows of experiments that stop early: 6 to 40 blocks, until 5 %.
func sequences() []simulation {
	const least, most = 6, 40
	precise := func(decisions []stats.Decision) bool { return stats.Precise(decisions, 0.05) }
	var all []simulation
	for _, of := range []struct {
		cells int
		what  string
		kind  string
		noise noise
		stop  func([]stats.Decision) bool
	}{
		{1, "until 5 %", "normal noise", normal, precise},
		{10, "until 5 %", "normal noise", normal, precise},
		{1, "until something differs", "normal noise", normal, anyDifference},
		{1, "until something differs", "AR(1) 0.5", autoregressive, anyDifference},
		{10, "until something differs", "AR(1) 0.5", autoregressive, anyDifference},
	} {
		interims := stats.Interims(least, most, of.cells, errorRate)
		conditions := fmt.Sprintf("6 to 40 blocks (%d interim analyses) %s, %s, %s", len(interims), of.what, cellsOf(of.cells), of.kind)
		play := func(random *rand.Rand, e *experiment) (int, []stats.Decision) {
			return untilStop(e.run(random), interims, of.stop)
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
			simulation{"Sequential: mean number of blocks", conditions, func(random *rand.Rand, rounds int) row {
				e := &experiment{blocks: most, cells: of.cells, order: v1alpha1.OrderRandomizedBlocks, noise: of.noise}
				return mean(rounds/4, none, func() float64 {
					blocks, _ := play(random, e)
					return float64(blocks)
				})
			}},
		)
	}
	return all
}

// untilStop decides at each interim analysis, until the experiment stops.
func untilStop(cells []samples, interims []stats.Interim, stop func([]stats.Decision) bool) (blocks int, decisions []stats.Decision) {
	for _, interim := range interims {
		var family []stats.Comparison
		for _, s := range cells {
			family = append(family, paired(samples{s.baseline[:interim.Blocks], s.subject[:interim.Blocks]}))
		}
		decisions = stats.Decide(family, interim.ErrorRate, margin)
		if blocks = interim.Blocks; stop(decisions) {
			break
		}
	}
	return blocks, decisions
}

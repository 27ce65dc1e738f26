package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/stats"
)

// wanted is the power that experiments are planned for.
const wanted = 0.8

// powers are the rows of the planner.
func powers() []simulation {
	var all []simulation
	for _, of := range []struct {
		blocks, family int
	}{{6, 1}, {8, 1}, {10, 1}, {20, 1}, {25, 1}, {40, 1}, {10, 25}, {12, 100}, {20, 100}, {40, 100}} {
		all = append(all, power(of.blocks, of.family, normal, 0, "normal noise"))
	}
	return append(all,
		power(10, 1, autoregressive, 0.05, "AR(1) 0.5, drift 5 %"),
		power(20, 1, autoregressive, 0.05, "AR(1) 0.5, drift 5 %"),
		power(10, 1, laplace, 0, "Laplace noise"),
	)
}

// power of experiments whose true difference is what the planner says is detectable.
func power(blocks, family int, n noise, drift float64, what string) simulation {
	return simulation{"Power, planned 80 %", fmt.Sprintf("%d blocks, one of %d comparisons, %s", blocks, family, what), func(random *rand.Rand, rounds int) row {
		e := experiment{blocks: blocks, order: v1alpha1.OrderRandomizedBlocks, noise: n, drift: drift}
		rate := errorRate / float64(family)
		effect, ok := stats.DetectableEffect(blocks, spreadOf(&e, random), rate, wanted)
		if !ok {
			return row{value: math.NaN(), rounds: 1} // a missed bar
		}
		e.effect = math.Log1p(effect)
		return share(rounds/2, between(wanted-0.05, wanted+0.05), func() bool {
			c := paired(e.run(random)[0])
			return c.P() <= rate && c.Ratio > 1
		})
	}}
}

// spreadOf the log-ratios of an experiment, as many runs of it show.
func spreadOf(e *experiment, random *rand.Rand) float64 {
	const runs = 2000
	sum := 0.0
	for range runs {
		s := paired(e.run(random)[0]).Spread
		sum += s * s / runs
	}
	return math.Sqrt(sum)
}

package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/stats"
)

const (
	errorRate = 0.05
	margin    = 0.02
)

// comparisons are the rows of single comparisons and of families.
func comparisons() []simulation {
	var all []simulation
	for _, blocks := range []int{6, 10, 12, 20, 40} {
		all = append(all, falseAlarms(blocks))
	}
	all = append(all, simulation{
		"A/A false alarms, unpaired", "10 blocks one target after the other, noise 2 %, AR(1) 0.5, drift 5 %: why there are blocks", func(random *rand.Rand, rounds int) row {
			e := experiment{blocks: 10, order: v1alpha1.OrderSequential, noise: noise(autoregressive).of(quiet), drift: 0.05}
			return share(rounds/4, none, func() bool { return unpaired(e.run(random)[0]).P() <= errorRate })
		},
	})
	for _, of := range []struct{ cells, blocks int }{{100, 12}, {100, 20}, {25, 10}} {
		all = append(all, families(of.cells, of.blocks))
	}
	for _, blocks := range []int{6, 7, 8, 9, 10, 11, 12, 15, 20, 30} {
		all = append(all, coverage("normal noise", normal, blocks, paired))
	}
	all = append(all,
		coverage("Laplace noise", laplace, 10, paired),
		coverage("normal noise of 12 %", noise(normal).of(loud), 10, paired),
		coverage("1 trial in 10 loses up to 20 %", disturbed, 10, paired),
		coverage("normal noise, unpaired", normal, 6, unpaired),
		coverage("normal noise, unpaired", normal, 10, unpaired),
		coarseCoverage(),
		falseEquivalence(1, 10), falseEquivalence(20, 20),
	)
	return all
}

func falseAlarms(blocks int) simulation {
	return simulation{"A/A false alarms, nominal 5 %", fmt.Sprintf("%d randomised blocks, AR(1) 0.5, drift 5 %%", blocks), func(random *rand.Rand, rounds int) row {
		e := experiment{blocks: blocks, order: v1alpha1.OrderRandomizedBlocks, noise: autoregressive, drift: 0.05}
		return share(rounds, between(0.03, 0.07), func() bool { return paired(e.run(random)[0]).P() <= errorRate })
	}}
}

func families(cells, blocks int) simulation {
	return simulation{"Reports with a false difference, Holm", fmt.Sprintf("%d cells, %d randomised blocks, AR(1) 0.5, drift 5 %%", cells, blocks), func(random *rand.Rand, rounds int) row {
		e := experiment{blocks: blocks, cells: cells, order: v1alpha1.OrderRandomizedBlocks, noise: autoregressive, drift: 0.05}
		return share(rounds/2, atMost(0.05), func() bool { return anyDifference(stats.Decide(e.compared(random), errorRate, margin)) })
	}}
}

func anyDifference(decisions []stats.Decision) bool {
	for _, d := range decisions {
		if d.Larger || d.Smaller {
			return true
		}
	}
	return false
}

// coverage holds the share of intervals with the true ratio against the attainable level.
func coverage(what string, n noise, blocks int, compare func(samples) stats.Comparison) simulation {
	return simulation{"Coverage of 95 % intervals", fmt.Sprintf("%d blocks, %s, ratio 1.5", blocks, what), func(random *rand.Rand, rounds int) row {
		e := experiment{blocks: blocks, order: v1alpha1.OrderRandomizedBlocks, noise: n, effect: math.Log(1.5)}
		level := 0.0
		r := share(4*rounds, bar{}, func() bool {
			interval, _ := compare(e.run(random)[0]).Interval(errorRate)
			level = interval.Coverage
			return interval.Low <= 1.5 && 1.5 <= interval.High
		})
		r.bar = exactly(level)
		return r
	}}
}

// coarseCoverage: sysbench prints percentiles in steps of 1.8 %. Ties make intervals cover more.
func coarseCoverage() simulation {
	const step = 0.018
	return simulation{"Coverage of 95 % intervals", "10 blocks, normal noise, values in steps of 1.8 %, ratio of 5 steps", func(random *rand.Rand, rounds int) row {
		e := experiment{blocks: 10, order: v1alpha1.OrderRandomizedBlocks, noise: normal, effect: 5 * step, step: step}
		truth := math.Exp(5 * step)
		return share(rounds, atLeastAbout(0.95), func() bool {
			interval, _ := paired(e.run(random)[0]).Interval(errorRate)
			return interval.Low <= truth*(1+1e-9) && truth <= interval.High*(1+1e-9)
		})
	}}
}

// falseEquivalence: the ratio is the margin itself, and the noise is so small that it matters. Of one comparison the attainable level is
// that of the signed-rank test below 5 %.
func falseEquivalence(cells, blocks int) simulation {
	return simulation{"Reports with a false equivalence", fmt.Sprintf("%s, %d blocks, every ratio is the margin of 2 %%", cellsOf(cells), blocks), func(random *rand.Rand, rounds int) row {
		e := experiment{blocks: blocks, cells: cells, order: v1alpha1.OrderRandomizedBlocks, noise: func(random *rand.Rand, _ float64) float64 { return 0.002 * random.NormFloat64() }, effect: math.Log1p(margin)}
		b := atMost(errorRate)
		if cells == 1 {
			b = exactly(attained(blocks))
		}
		return share(rounds/2, b, func() bool {
			for _, d := range stats.Decide(e.compared(random), errorRate, margin) {
				if d.Equivalent {
					return true
				}
			}
			return false
		})
	}}
}

// attained is the largest error rate of a one-sided signed-rank test of so many blocks that is at most the nominal one.
func attained(blocks int) float64 { return (1 - coverageOf(blocks, 2*errorRate)) / 2 }

// coverageOf an interval of so many pairs.
func coverageOf(blocks int, rate float64) float64 {
	a, b := make([]float64, blocks), make([]float64, blocks)
	for i := range a {
		a[i], b[i] = math.Exp(float64(i+1)), 1
	}
	interval, _ := paired(samples{b, a}).Interval(rate)
	return interval.Coverage
}

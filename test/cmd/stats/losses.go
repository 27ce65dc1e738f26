package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/stats"
)

// lossMargin of the gates over comparisons: one and a half times the noise of a trial. A smaller one asks for more blocks.
const lossMargin, smallMargin = 0.1, 0.03

// gatedPair is a run of base and head with a gate over its comparisons, one in each cell.
type gatedPair struct {
	experiment
	// margin whose loss fails.
	margin float64
	// losses of the head in the cells; the last one holds for all others.
	losses []float64
	// least blocks before the first interim analysis of a run that stops where its gate is decided; 0 for one that does not.
	least int
}

// outcome of a gate over all comparisons.
type outcome struct {
	passed, failed bool
	blocks         int
}

// play the run once.
func (g *gatedPair) play(random *rand.Rand) (out outcome) {
	cells := g.run(random)
	for i, c := range cells {
		ratio := stats.HigherIsBetter.RatioAt(g.losses[min(i, len(g.losses)-1)])
		for j := range c.subject {
			c.subject[j] *= ratio
		}
	}
	interims := []stats.Interim{{Blocks: g.blocks, ErrorRate: errorRate}}
	if g.least > 0 {
		interims = stats.Interims(g.least, g.blocks, len(cells), errorRate)
	}
	for _, interim := range interims {
		var family []stats.Margined
		for _, c := range cells {
			family = append(family, stats.Margined{Comparison: paired(samples{c.baseline[:interim.Blocks], c.subject[:interim.Blocks]}), Direction: stats.HigherIsBetter})
		}
		decisions := stats.DecideLosses(family, g.margin, interim.ErrorRate)
		out = outcome{
			passed: !slices.ContainsFunc(decisions, func(d stats.LossDecision) bool { return !d.Passed }),
			failed: slices.ContainsFunc(decisions, func(d stats.LossDecision) bool { return d.Failed }), blocks: interim.Blocks,
		}
		if out.passed || out.failed {
			break
		}
	}
	return out
}

// lossRows are the rows of gates over the comparisons of their own run: how often one passes where the margin is lost, how often
// one fails where it is not, and what it finds.
func lossRows() []simulation {
	const passes, fails, blocks = "Gate within a run passes", "Gate within a run fails", "Gate within a run: mean number of blocks"
	one := func(name, what string, b bar, g gatedPair, happens func(outcome) bool) simulation {
		g.order = v1alpha1.OrderRandomizedBlocks
		conditions := fmt.Sprintf("%s; margin %g %%, %s of %d blocks", what, 100*g.margin, cellsOf(max(g.cells, 1)), g.blocks)
		if g.least > 0 {
			conditions = fmt.Sprintf("%s; margin %g %%, %s of %d to %d blocks", what, 100*g.margin, cellsOf(max(g.cells, 1)), g.least, g.blocks)
		}
		return simulation{name, conditions, func(random *rand.Rand, rounds int) row {
			run := g // the orders of trials are of one row
			return share(rounds/4, b, func() bool { return happens(run.play(random)) })
		}}
	}
	passed, failed := func(o outcome) bool { return o.passed }, func(o outcome) bool { return o.failed }
	run := func(blocks, cells int, n noise, losses ...float64) gatedPair {
		return gatedPair{experiment: experiment{blocks: blocks, cells: cells, noise: n}, margin: lossMargin, losses: losses}
	}
	sequential := func(cells int, n noise, losses ...float64) gatedPair {
		g := run(40, cells, n, losses...)
		g.least = 6
		return g
	}
	small := func(g gatedPair) gatedPair {
		g.margin = smallMargin
		return g
	}
	mean := func(what string, g gatedPair) simulation {
		g.order = v1alpha1.OrderRandomizedBlocks
		return simulation{blocks, fmt.Sprintf("%s; margin %g %%, %s of %d to %d blocks", what, 100*g.margin, cellsOf(max(g.cells, 1)), g.least, g.blocks), func(random *rand.Rand, rounds int) row {
			run := g
			return mean(rounds/8, none, func() float64 { return float64(run.play(random).blocks) })
		}}
	}
	return []simulation{
		one(passes, "falsely: the margin is lost, normal noise", atMost(errorRate), run(10, 1, normal, lossMargin), passed),
		one(passes, "falsely: the margin is lost, noise of heavy tails", atMost(errorRate), run(10, 1, laplace, lossMargin), passed),
		one(passes, "falsely: the margin is lost, one trial in ten disturbed", atMost(errorRate), run(20, 1, disturbed, lossMargin), passed),
		one(passes, "falsely: the margin is lost, AR(1) 0.5", none, run(20, 1, autoregressive, lossMargin), passed),
		one(passes, "falsely: the margin is lost in one of 8, the others gain 30 %: no correction is needed", atMost(errorRate), run(10, 8, normal, lossMargin, -0.3), passed),
		one(passes, "falsely: the margin is lost in all of 8", atMost(errorRate), run(10, 8, normal, lossMargin), passed),
		one(passes, "falsely: the margin is lost, it stops where it is decided", atMost(errorRate), sequential(1, normal, lossMargin), passed),
		one(passes, "falsely: the margin is lost in one of 8, it stops where it is decided", atMost(errorRate), sequential(8, normal, lossMargin, -0.3), passed),
		one(fails, "falsely: A/A", atMost(0.001), run(10, 1, normal, 0), failed),
		one(fails, "falsely: A/A", atMost(errorRate), small(run(10, 1, normal, 0)), failed),
		one(fails, "falsely: A/A, 8 comparisons", atMost(errorRate), small(run(10, 8, normal, 0)), failed),
		one(fails, "falsely: a loss of the margin in all of 8, the most that may be lost", atMost(errorRate), run(10, 8, normal, lossMargin), failed),
		one(fails, "falsely: a loss of the margin, it stops where it is decided", atMost(errorRate), sequential(1, normal, lossMargin), failed),
		one(fails, "falsely: A/A, it stops where it is decided", atMost(errorRate), small(sequential(1, normal, 0)), failed),
		one(fails, "a loss of twice the margin", atLeastAbout(0.8), run(10, 1, normal, 2*lossMargin), failed),
		one(fails, "a loss of twice the margin in one of 8", atLeastAbout(0.8), run(20, 8, normal, 2*lossMargin, 0), failed),
		one(fails, "a loss of twice the margin, it stops where it is decided", atLeastAbout(0.95), sequential(1, normal, 2*lossMargin), failed),
		one(fails, "a loss of twice the margin", none, small(run(40, 1, normal, 2*smallMargin)), failed),
		one(passes, "rightly: A/A", atLeastAbout(0.8), run(10, 1, normal, 0), passed),
		one(passes, "rightly: A/A, 8 comparisons", none, run(20, 8, normal, 0), passed),
		one(passes, "rightly: A/A", none, small(run(40, 1, normal, 0)), passed),
		one(passes, "rightly: A/A, it stops where it is decided", atLeastAbout(0.95), sequential(1, normal, 0), passed),
		mean("A/A", sequential(1, normal, 0)),
		mean("a loss of twice the margin", sequential(1, normal, 2*lossMargin)),
		mean("a loss of the margin", sequential(1, normal, lossMargin)),
	}
}

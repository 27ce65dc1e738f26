package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/assay-bench/assay/internal/mathematics/stats"
)

// tolerance of the steady state.
const tolerance = 0.05

// shape is what a series does without noise: its level at second t of n, 1 for the long run.
type shape func(t, n float64) float64

// seriesRows are the rows of the steady state of trials.
func seriesRows() []simulation {
	flat := func(_, _ float64) float64 { return 1 }
	slope := func(by float64) shape { return func(t, n float64) float64 { return 1 + by*(t/n-0.75) } } // 1 in the second half
	stepUp := func(t, n float64) float64 { return 1 + 0.1*float64(count(t > 0.6*n)) }
	warm := func(t, _ float64) float64 { return 1 - 0.4*math.Exp(-t/15) }
	saw := func(t, _ float64) float64 { return 1 + 0.1*(math.Mod(t, 20)/20-0.5) }
	var all []simulation
	for _, of := range []struct {
		what    string
		seconds int
		shape   shape
		noise   float64
		state   stats.SteadyState
		bar     bar
	}{
		{"flat", 60, flat, 0.02, stats.NotSteady, atMost(0.05)},
		{"flat", 300, flat, 0.05, stats.NotSteady, atMost(0.05)},
		{"flat", 300, flat, 0.03, stats.Steady, between(0.8, 1)},
		{"flat", 300, flat, 0.05, stats.Steady, none},
		{"flat", 60, flat, 0.05, stats.TooShort, none},
		{"warms up for half a minute", 300, warm, 0.03, stats.Steady, between(0.8, 1)},
		{"saw-tooth of 20 s and 10 %", 300, saw, 0.02, stats.Steady, between(0.8, 1)},
		{"drifts by 10 %, the tolerance in each half", 300, slope(2 * tolerance), 0.03, stats.Steady, atMost(0.05)},
		{"drifts by 10 %, the tolerance in each half", 60, slope(2 * tolerance), 0.01, stats.Steady, atMost(0.05)},
		{"drifts by 20 %", 300, slope(0.2), 0.03, stats.NotSteady, between(0.8, 1)},
		{"step of 10 % at 60 %", 300, stepUp, 0.03, stats.NotSteady, between(0.8, 1)},
		{"step of 10 % at 60 %", 300, stepUp, 0.03, stats.Steady, atMost(0.05)},
	} {
		all = append(all, simulation{"Trials called " + string(of.state), fmt.Sprintf("%s, %d s, noise %g %% AR(1) 0.5", of.what, of.seconds, 100*of.noise), func(random *rand.Rand, rounds int) row {
			return share(rounds/4, of.bar, func() bool {
				return must(stats.FindTrend(timeSeries(random, of.seconds, of.shape, of.noise), tolerance)).State == of.state
			})
		}})
	}
	return all
}

func timeSeries(random *rand.Rand, seconds int, level shape, noise float64) []float64 {
	const rho = 0.5
	series, before := make([]float64, seconds), random.NormFloat64()
	for t := range series {
		before = rho*before + math.Sqrt(1-rho*rho)*random.NormFloat64()
		series[t] = 1000 * max(0, level(float64(t), float64(seconds))+noise*before)
	}
	return series
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/assay-bench/assay/internal/mathematics/stats"
)

// sweeps are the rows of knees, peaks, searches and variance components.
func sweeps() []simulation {
	return []simulation{
		knee("threads 1 to 256, knee at 24, peak at 64, noise 2 %, 10 blocks", quiet, 10, falling),
		{"Knee: mean estimate", "the same; the true one is 24", func(random *rand.Rand, rounds int) row {
			return mean(rounds/4, between(0.97*trueKnee, 1.03*trueKnee), func() float64 { return must(sweep(random, quiet, 10, falling).Bend(errorRate)).Knee })
		}},
		peak("the same; the true one is 64", quiet),
		near(between(0.95, 1), quiet),
		{"Components: variance between runs", "5 runs of 12 trials; the true one is 9", func(random *rand.Rand, rounds int) row {
			return mean(rounds/4, exactly(9), func() float64 { return stats.VarianceComponents(nested(random)).Run.Variance })
		}},
		{"Components: variance between trials", "the same; the true one is 1", func(random *rand.Rand, rounds int) row {
			return mean(rounds/4, exactly(1), func() float64 { return stats.VarianceComponents(nested(random)).Trial.Variance })
		}},
		knee("threads 1 to 256, knee at 24, one throughput beyond, noise 2 %, 8 blocks", quiet, 8, flat),
		knee("the same, 20 blocks", quiet, 20, flat),
		{"Knee: coverage, the peak taken as known", "the same, 20 blocks: why its choice costs error rate", func(random *rand.Rand, rounds int) row {
			return share(rounds/4, none, func() bool { return covered(asIfKnown(sweep(random, quiet, 20, flat))) })
		}},
	}
}

// knee is the row of how often the interval of a knee holds the true one, with noise of this spread.
func knee(conditions string, noise float64, blocks int, beyond func(load float64) float64) simulation {
	return simulation{"Knee: coverage of 95 % intervals", conditions, func(random *rand.Rand, rounds int) row {
		return share(rounds/4, atLeastAbout(0.95), func() bool { return covered(must(sweep(random, noise, blocks, beyond).Bend(errorRate))) })
	}}
}

// peak is the row of how often the true peak is among the loads that are named.
func peak(conditions string, noise float64) simulation {
	return simulation{"Peak: among the named loads", conditions, func(random *rand.Rand, rounds int) row {
		return share(rounds/4, between(0.95, 1), func() bool {
			bend := must(sweep(random, noise, 10, falling).Bend(errorRate))
			return bend.Lowest <= 64 && 64 <= bend.Highest
		})
	}}
}

// near is the row of how often a search finds the rate, where the capacity of a trial varies by so much.
func near(b bar, noise float64) simulation {
	conditions := fmt.Sprintf("rates 1,000 to 64,000, precision 5 %%, 3 trials each, capacity of a trial varies by %g %%", 100*noise)
	return simulation{"Search: the rate is within 10 %", conditions, func(random *rand.Rand, rounds int) row {
		return share(rounds/4, b, func() bool { return math.Abs(math.Log(searched(random, noise)/7700)) < 0.1 })
	}}
}

const trueKnee = 24.0

// falling is the share of the capacity that a system has at a load beyond its knee, with a peak at 64.
func falling(load float64) float64 { return 1 - 0.03*math.Abs(math.Log2(load/64)) }

// flat is that of one that keeps its throughput: any of its loads may look like the peak.
func flat(float64) float64 { return 1 }

// sweep of a system with a knee at trueKnee, which has this share of its capacity beyond, with noise of this spread.
func sweep(random *rand.Rand, noise float64, blocks int, beyond func(load float64) float64) stats.Sweep {
	s := stats.Sweep{Loads: []float64{1, 2, 4, 8, 16, 32, 64, 128, 256}}
	for range blocks {
		var block []float64
		for _, load := range s.Loads {
			y := 100 * min(load, trueKnee)
			if load > trueKnee {
				y *= beyond(load)
			}
			block = append(block, y*math.Exp(noise*random.NormFloat64()))
		}
		s.Throughputs = append(s.Throughputs, block)
	}
	return s
}

// covered says whether the interval contains the true knee.
func covered(b stats.Bend) bool {
	return b.Interval != nil && b.Interval.Low <= trueKnee && trueKnee <= b.Interval.High
}

// asIfKnown is the bend with the interval of the highest load alone, as if it had been known before.
func asIfKnown(s stats.Sweep) stats.Bend {
	b := must(s.Bend(errorRate))
	top := slices.Index(s.Loads, b.Peak)
	var highest, lightest []float64
	for _, block := range s.Throughputs {
		highest, lightest = append(highest, block[top]), append(lightest, block[0]/s.Loads[0])
	}
	interval, _ := must(stats.ComparePaired(highest, lightest)).Interval(errorRate)
	return stats.Bend{Interval: &interval}
}

// searched is the highest rate that a search found to hold, for a capacity of about 7,700, which varies from trial to trial.
func searched(random *rand.Rand, noise float64) float64 {
	search := stats.Search{Low: 1000, High: 64000, Precision: 0.05, Unit: 1, Trials: 3}
	var history []stats.Probe
	for {
		next := must(search.Next(history))
		if next.Done {
			return next.Held
		}
		capacity := 7700 * math.Exp(noise*random.NormFloat64())
		history = append(history, stats.Probe{Rate: next.Rate, Held: next.Rate <= capacity})
		if len(history) > search.MostTrials() {
			return math.NaN()
		}
	}
}

// nested values with variances of 9 between runs and 1 between trials.
func nested(random *rand.Rand) [][]float64 {
	values := make([][]float64, 5)
	for run := range values {
		ofRun := 3 * random.NormFloat64()
		for range 12 {
			values[run] = append(values[run], ofRun+random.NormFloat64())
		}
	}
	return values
}

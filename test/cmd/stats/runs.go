package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/assay-bench/assay/internal/mathematics/stats"
)

// severalRuns are the rows of comparisons across runs that differ by 2 %.
func severalRuns() []simulation {
	var all []simulation
	for _, runs := range []int{2, 4, 8} {
		all = append(all, simulation{"Coverage of 95 % intervals across runs", fmt.Sprintf("%d runs of 8 blocks, between runs 2 %%, normal noise, ratio 1.5", runs), func(random *rand.Rand, rounds int) row {
			return share(rounds, exactly(0.95), func() bool {
				of, _, _ := repeated(random, runs)
				interval, _ := must(stats.CompareRuns(of)).Interval(errorRate)
				return interval.Low <= 1.5 && 1.5 <= interval.High
			})
		}})
	}
	return append(all, simulation{"Coverage of 95 % intervals, all blocks together", "4 runs of 8 blocks, the same: why runs count as runs", func(random *rand.Rand, rounds int) row {
		return share(rounds/4, none, func() bool {
			_, subject, baseline := repeated(random, 4)
			interval, _ := paired(samples{baseline, subject}).Interval(errorRate)
			return interval.Low <= 1.5 && 1.5 <= interval.High
		})
	}})
}

// repeated are the comparisons of several runs, and all their values together.
func repeated(random *rand.Rand, runs int) (of []stats.Comparison, subject, baseline []float64) {
	for range runs {
		ofRun := math.Log(1.5) + betweenRuns*random.NormFloat64()
		s := samples{make([]float64, 8), make([]float64, 8)}
		for i := range s.baseline {
			s.baseline[i], s.subject[i] = math.Exp(normal(random, 0)), math.Exp(ofRun+normal(random, 0))
		}
		of, subject, baseline = append(of, paired(s)), append(subject, s.subject...), append(baseline, s.baseline...)
	}
	return of, subject, baseline
}

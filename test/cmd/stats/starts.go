package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/stats"
)

// starts are the rows of statements about products: each start of a server has a level of its own, which is no property of the
// product. With one start a side, a comparison is about these two starts.
func starts() []simulation {
	const blocks = 20
	var all []simulation
	for _, of := range []struct {
		what       string
		noise      float64
		start      float64
		everyBlock bool
		bar        bar
	}{
		{"one start a side, starts differ by 1 %, noise 1 %", 0.01, 0.01, false, none},
		{"a start for each block and side, starts differ by 1 %, noise 1 %", 0.01, 0.01, true, exactly(1 - coverageOf(blocks, errorRate))},
		{"one start a side, starts differ by 2 %, noise 6.5 %", spread, betweenRuns, false, none},
		{"a start for each block and side, starts differ by 2 %, noise 6.5 %", spread, betweenRuns, true, exactly(1 - coverageOf(blocks, errorRate))},
		{"one start a side, starts differ by 2 %, noise 12 %", loud, betweenRuns, false, none},
	} {
		all = append(all, simulation{"False statements about a product", fmt.Sprintf("%d blocks, %s", blocks, of.what), func(random *rand.Rand, rounds int) row {
			e := experiment{blocks: blocks, order: v1alpha1.OrderRandomizedBlocks, noise: noise(normal).of(of.noise)}
			return share(rounds/2, of.bar, func() bool {
				s := e.run(random)[0]
				s.started(random, of.start, of.everyBlock)
				return paired(s).P() <= errorRate
			})
		}})
	}
	return append(all, simulation{"Blocks until 2 % are detected", "ratios of blocks that spread by 9 %, planned power 80 %", func(*rand.Rand, int) row {
		n, ok := stats.BlocksFor(margin, math.Sqrt2*spread, errorRate, wanted)
		if !ok {
			return row{value: math.NaN(), rounds: 1}
		}
		return mean(1, none, func() float64 { return float64(n) })
	}})
}

// started gives the values of both sides the levels of the starts of their servers: of one each, or of one for each block.
func (s samples) started(random *rand.Rand, level float64, everyBlock bool) {
	a, b := level*random.NormFloat64(), level*random.NormFloat64()
	for i := range s.baseline {
		if everyBlock {
			a, b = level*random.NormFloat64(), level*random.NormFloat64()
		}
		s.baseline[i], s.subject[i] = s.baseline[i]*math.Exp(a), s.subject[i]*math.Exp(b)
	}
}

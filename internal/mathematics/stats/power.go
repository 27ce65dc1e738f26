package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

const (
	// simulatedPower is the largest number of blocks whose power is simulated. Beyond it a
	// formula is right within 1 point (docs/evidence/statistics.md).
	simulatedPower = 24
	// exactRank is the largest number of blocks whose power is of the exact critical rank. Beyond it, that rank is of a
	// series: the exact distributions of all the sizes that a search looks at take seconds, and hundreds of MiB.
	exactRank = 100
	// powerRounds are the simulated experiments for one number of blocks. The standard error of
	// a power of 80 % is 0.4 points.
	powerRounds = 10000
	// mostBlocks is where the search for a sufficient number of blocks ends.
	mostBlocks = 10000
)

// BlocksNeeded is the smallest number of blocks whose paired comparison can be significant as one
// of a family: the n with 2^(1-n) ≤ errorRate/comparisons, and at least MinBlocks. 25 comparisons
// at 0.05 need 10 blocks, 100 need 12, 1,000 need 16.
func BlocksNeeded(comparisons int, errorRate float64) int {
	n := MinBlocks
	for !reaches(math.Exp2(float64(1-n)), errorRate/float64(max(1, comparisons))) && n < mostBlocks {
		n++
	}
	return n
}

// Power is the probability that the paired comparison of n blocks finds a difference of effect
// (0.03 for 3 %) at errorRate, which is that of the family divided by its size. Spread is the
// standard deviation of the log-ratios (Comparison.Spread). It assumes normal log-ratios; for
// those with heavier tails, the power at the same spread is larger.
//
// Source: up to 24 blocks a simulation with a fixed seed; beyond, the normal approximation of
// E. L. Lehmann, Nonparametrics, Holden-Day 1975, section 4.2, with both variances.
func Power(blocks int, effect, spread, errorRate float64) float64 {
	shift := math.Abs(math.Log1p(effect))
	if shift > 0 {
		shift /= spread // +Inf without spread
	}
	return powerAt(blocks, shift, errorRate)
}

// DetectableEffect is the smallest effect (0.03 for 3 %) that the paired comparison of this many
// blocks finds with the given power. The other parameters are those of Power. ok is false where
// the blocks are too few to find anything.
func DetectableEffect(blocks int, spread, errorRate, power float64) (effect float64, ok bool) {
	if powerAt(blocks, math.Inf(1), errorRate) < power {
		return 0, false
	}
	low, high := 0.0, 1.0
	for powerAt(blocks, high, errorRate) < power {
		low, high = high, 2*high
	}
	for high-low > 1e-6*high {
		if middle := (low + high) / 2; powerAt(blocks, middle, errorRate) < power {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Expm1(high * spread), true
}

// BlocksFor is the smallest number of blocks, at least MinBlocks, whose paired comparison finds
// the effect with the given power. The other parameters are those of Power. ok is false where
// 10,000 are not enough.
func BlocksFor(effect, spread, errorRate, power float64) (blocks int, ok bool) {
	enough := func(i int) bool { return Power(MinBlocks+i, effect, spread, errorRate) >= power }
	i := sort.Search(mostBlocks-MinBlocks+1, enough)
	return MinBlocks + i, MinBlocks+i <= mostBlocks
}

// powerAt is the power for a shift in standard deviations.
func powerAt(n int, shift, errorRate float64) float64 {
	tail := signedRankTail
	if n > exactRank {
		tail = signedRankSeries
	}
	sums := n * (n + 1) / 2
	rank := sort.Search(sums/2, func(k int) bool { return !reaches(2*tail(n, k), errorRate) })
	switch {
	case rank == 0:
		return 0
	case math.IsInf(shift, 1):
		return 1
	case n > simulatedPower:
		return signedRankPower(n, rank, shift)
	}
	ends := knownEnds.Of(endsKey{n, rank}, intervalEnds)
	below, _ := slices.BinarySearch(ends, shift)
	beyond, _ := slices.BinarySearch(ends, -shift) // the wrong side
	return float64(below+beyond) / float64(len(ends))
}

// endsKey is what intervalEnds depends on.
type endsKey struct{ n, rank int }

// knownEnds caches intervalEnds.
var knownEnds = Memo[endsKey, []float64]{Most: 32}

// intervalEnds are by how much intervals of standard normal samples reach beyond 0, sorted, at
// either side. A shift beyond the end is found.
func intervalEnds(of endsKey) []float64 {
	n, rank := of.n, of.rank
	random := rand.New(rand.NewPCG(uint64(n), uint64(rank)))
	ends := make([]float64, 0, powerRounds)
	sample := make([]float64, n)
	for range powerRounds / 2 {
		for i := range sample {
			sample[i] = random.NormFloat64()
		}
		averages := walshAverages(sample)
		ends = append(ends, -averages[rank-1], averages[len(averages)-rank])
	}
	slices.Sort(ends)
	return ends
}

// signedRankPower is the normal approximation of P(T > sums-rank) for a shifted normal
// distribution, by the moments of T.
func signedRankPower(n, rank int, shift float64) float64 {
	size := float64(n)
	one := normalTail(shift)               // P(X > 0)
	pair := normalTail(shift * math.Sqrt2) // P(X + Y > 0)
	both := bothSumsPositive(shift)        // P(X + Y > 0, X + Z > 0)
	mean := size*one + size*(size-1)/2*pair
	spread := size*one*(1-one) + size*(size-1)/2*(2*(one-pair)*(one-pair)+3*pair*(1-pair)) + size*(size-1)*(size-2)*(both-pair*pair)
	critical := size*(size+1)/2 - float64(rank) + 0.5
	if spread <= 0 {
		return 1
	}
	return normalTail((mean - critical) / math.Sqrt(spread))
}

// bothSumsPositive is P(X + Y > 0, X + Z > 0) for normal variables with a mean of shift, by
// Simpson's rule over X.
func bothSumsPositive(shift float64) float64 {
	const steps, reach = 200, 8.0
	const width = 2 * reach / steps
	sum := 0.0
	for i := range steps + 1 {
		z := -reach + width*float64(i)
		weight := 2.0 + 2*float64(i%2)
		if i == 0 || i == steps {
			weight = 1
		}
		tail := normalTail(z + 2*shift)
		sum += weight * math.Exp(-z*z/2) * tail * tail
	}
	return sum * width / 3 / math.Sqrt(2*math.Pi)
}

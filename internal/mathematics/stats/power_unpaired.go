package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// simulatedPairs is the largest number of differences of two samples whose power is simulated: 24 blocks on both sides. Beyond
// it the formula is right within 2 points (docs/evidence/statistics.md).
const simulatedPairs = simulatedPower * simulatedPower

// Detectable is the smallest effect (0.03 for 3 %) beyond a bound that the one-sided tests of two samples, PAbove and PBelow of
// that bound, find with the given power at errorRate: at the spread of this comparison, as if both sides had the same. It
// assumes normal logarithms. ok is false where the values are too few to show anything, and for comparisons of pairs or of runs.
//
// Source: a simulation with a fixed seed; beyond 24 blocks on both sides Student's formula with the asymptotic relative efficiency
// 3/pi: E. L. Lehmann, Nonparametrics, Holden-Day 1975, sections 2.3 and 2.4.
func (c Comparison) Detectable(errorRate, power float64) (effect float64, ok bool) {
	if c.empty() || c.Paired || c.across.freedom > 0 {
		return 0, false
	}
	rank := sort.Search(len(c.shifts)/2, func(k int) bool { return !reaches(c.tail(k), errorRate) })
	if rank == 0 {
		return 0, false
	}
	if len(c.shifts) > simulatedPairs {
		standard := distuv.UnitNormal
		efficiency := math.Sqrt((1/float64(c.subjects) + 1/float64(c.baselines)) / 2 * math.Pi / 3)
		return math.Expm1(c.Spread * efficiency * (standard.Quantile(1-errorRate) + standard.Quantile(power))), true
	}
	bounds := knownBounds.Of(boundsKey{c.subjects, c.baselines, rank}, lowerBounds)
	at := min(len(bounds)-1, int(math.Ceil(power*float64(len(bounds)))))
	return math.Expm1(c.Spread * max(0, bounds[at])), true
}

// boundsKey is what lowerBounds depends on.
type boundsKey struct{ subjects, baselines, rank int }

// knownBounds caches lowerBounds.
var knownBounds = Memo[boundsKey, []float64]{Most: 32}

// lowerBounds are by how much one-sided intervals of samples without a difference reach below 0, sorted. Both samples have the
// variance 1/2, so that the difference of two values has that of 1.
func lowerBounds(of boundsKey) []float64 {
	const rounds = powerRounds / 4 // either end of each is one: the standard error of a power of 80 % is 0.6 points
	random := rand.New(rand.NewPCG(uint64(of.subjects), uint64(of.baselines)))
	sample := func(n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = random.NormFloat64() / math.Sqrt2
		}
		return out
	}
	bounds := make([]float64, 0, 2*rounds)
	for range rounds {
		shifts := differencesOf(sample(of.subjects), sample(of.baselines))
		bounds = append(bounds, -shifts[of.rank-1], shifts[len(shifts)-of.rank])
	}
	slices.Sort(bounds)
	return bounds
}

package stats

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// PilotBlocks is the least number of blocks before an experiment first looks at the width of its intervals. With
	// fewer, too many of those that look narrow are so by chance.
	PilotBlocks = 8
	// PrecisionErrorShare is the part of the error rate at which an experiment is analysed that ends once its
	// intervals are narrow enough. The end is more likely where the spread was underestimated, so that intervals of
	// the whole error rate would miss the true ratio in up to 7 % in place of 5 %; with this share they miss it in
	// less than 5 % (docs/evidence/statistics.md, "Stopped by precision").
	PrecisionErrorShare = 0.7
	// lookGrowth is the part of the blocks that are measured between two looks: a tenth.
	lookGrowth = 10
)

// Looks are the numbers of blocks after which an experiment looks at the width of its intervals: pilot, and then a
// tenth more each time, below most. The width says nothing about which side is larger: under a shift of all
// logarithms it is the same. So no look spends a part of the error rate, as one at a decision does (Interims).
func Looks(pilot, most int) (blocks []int) {
	for n := pilot; n > 0 && n < most; n += max(1, n/lookGrowth) {
		blocks = append(blocks, n)
	}
	return blocks
}

// WidestOf a family is the precision to which its least certain ratio is known at errorRate, which is divided evenly:
// 0.02 where the widest interval reaches from a ratio divided by 1.02 to that ratio times 1.02. Unknown counts those
// without an interval, or with fewer than MinBlocks values. The level of an interval here does not depend on any
// p-value, as that of Holm's procedure does, so that a rule that stops by it stays blind to differences.
func WidestOf(family []Comparison, errorRate float64) (precision float64, unknown int) {
	for _, c := range family {
		interval, ok := c.Interval(errorRate / float64(len(family)))
		if !ok || c.N < MinBlocks {
			unknown++
			continue
		}
		precision = math.Max(precision, math.Sqrt(interval.High/interval.Low)-1)
	}
	return precision, unknown
}

// ExpectedPrecision of a paired comparison of so many blocks, as of WidestOf: half the width of Student's interval, widened by the
// asymptotic relative efficiency of the signed-rank test for normal values, 3/π. Spread is the standard deviation of the
// log-ratios; errorRate that of this comparison. It is infinite for fewer than two blocks.
//
// Source: E. L. Lehmann, Nonparametrics, Holden-Day 1975, section 4.2. Against simulated medians:
// docs/evidence/statistics.md.
func ExpectedPrecision(blocks int, spread, errorRate float64) float64 {
	if blocks < 2 {
		return math.Inf(1)
	}
	t := distuv.StudentsT{Sigma: 1, Nu: float64(blocks - 1)}.Quantile(1 - errorRate/2)
	return math.Expm1(t * spread * math.Sqrt(math.Pi/3/float64(blocks)))
}

// BlocksForPrecision is the smallest number of blocks, at least MinBlocks, that are expected to reach the precision. The other
// parameters are those of ExpectedPrecision. ok is false where 10,000 are not enough.
func BlocksForPrecision(precision, spread, errorRate float64) (blocks int, ok bool) {
	i := sort.Search(mostBlocks-MinBlocks+1, func(i int) bool { return ExpectedPrecision(MinBlocks+i, spread, errorRate) <= precision })
	return MinBlocks + i, MinBlocks+i <= mostBlocks
}

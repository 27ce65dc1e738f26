package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
)

// MinBlocks is the least number of blocks for a verdict: the smallest p-value of five pairs is
// 0.0625.
const MinBlocks = 6

// ErrUnpaired is the error for pairs of samples of different sizes.
var ErrUnpaired = errors.New("pairs need two samples of one size")

// NotPositiveError is the error for a value that has no logarithm.
type NotPositiveError struct {
	// Index of the value in its sample, from 0.
	Index int
	// Value is 0 or negative.
	Value float64
}

// Error has the value and its position.
func (e *NotPositiveError) Error() string {
	return fmt.Sprintf("value %d of the sample is %v: a ratio needs positive values", e.Index, e.Value)
}

// Comparison is how many times as large the values of the subject are as those of the baseline.
// It is made by ComparePaired, CompareUnpaired or CompareRuns. The zero value has compared nothing: its tests
// find nothing, and it has no interval.
type Comparison struct {
	// N is the number of pairs; without pairs, the size of the smaller sample.
	N int
	// Paired says whether the values were compared pair by pair.
	Paired bool
	// Ratio is the Hodges-Lehmann estimate: 1.05 means that the subject's values are 5 % larger.
	Ratio float64
	// Spread is the standard deviation of the logarithms of the ratios of single pairs. Without
	// pairs it is that of the difference of one value of each sample. 0.027 is about 2.7 %.
	Spread float64

	// shifts are the sorted logarithms that the statistic counts: Walsh averages of the
	// logarithms of the ratios, or differences of all pairs.
	shifts              []float64
	subjects, baselines int
	// across is set instead of them by CompareRuns.
	across across
}

// empty reports whether nothing was compared.
func (c Comparison) empty() bool { return len(c.shifts) == 0 && c.across.freedom == 0 }

// ComparePaired compares values that were measured in pairs, one pair in each block: value i of
// the subject with value i of the baseline. What slows both values of a block cancels out.
//
// The estimate is the median of the Walsh averages of the log-ratios, the test is Wilcoxon's
// signed-rank test. It assumes that log-ratios are independent and symmetric about their centre.
// If subject and baseline do not differ, random order within the blocks ensures the symmetry.
//
// Ties and ratios of exactly 1 count against the difference: a Walsh average of 0 is on both
// sides. This is exact without ties, and conservative with them; and the p-value always agrees
// with the interval, which the permutation distribution of midranks does not ensure.
//
// It fails with ErrEmpty, ErrUnpaired, a NotFiniteError or a NotPositiveError.
//
// Source: Hollander, Wolfe, Chicken 2014, sections 3.1 to 3.3; for ties: G. E. Noether, Wilcoxon
// confidence intervals for location parameters in the discrete case, Journal of the American
// Statistical Association 62 (1967), 184-188.
func ComparePaired(subject, baseline []float64) (Comparison, error) {
	ratios, err := logRatios(subject, baseline)
	if err != nil {
		return Comparison{}, err
	}
	n := len(ratios)
	c := Comparison{N: n, Paired: true, Spread: math.Sqrt(variance(ratios)), shifts: walshAverages(ratios), subjects: n, baselines: n}
	return c.estimated(), nil
}

// CompareUnpaired compares two samples whose values do not belong together, such as those of two
// runs. It has less power than ComparePaired where something slows both sides for a while, and it
// is wrong where something slows one side only, as a drift does when one side is measured last.
//
// The estimate is the median of all differences of logarithms, the test is the Mann-Whitney test.
// It assumes that all values are independent, and that the logarithms of both samples differ in
// their location only. Ties count as in ComparePaired.
//
// It fails with ErrEmpty, a NotFiniteError or a NotPositiveError.
//
// Source: Hollander, Wolfe, Chicken 2014, sections 4.1 to 4.3.
func CompareUnpaired(subject, baseline []float64) (Comparison, error) {
	of, err := logarithms(subject)
	if err != nil {
		return Comparison{}, err
	}
	to, err := logarithms(baseline)
	if err != nil {
		return Comparison{}, err
	}
	c := Comparison{
		N: min(len(of), len(to)), Spread: math.Sqrt(variance(of) + variance(to)), shifts: differencesOf(of, to),
		subjects: len(of), baselines: len(to),
	}
	return c.estimated(), nil
}

func (c Comparison) estimated() Comparison {
	c.Ratio = math.Exp(summaryOf(c.shifts).Median)
	return c
}

// P is the exact two-sided p-value of no difference, not adjusted for other comparisons: the
// probability of this difference or a more extreme one if nothing differed. It is the smallest error
// rate whose interval excludes 1, and 1 where nothing was compared.
func (c Comparison) P() float64 { return min(1, 2*min(c.above(0), c.below(0))) }

// PAbove is the exact one-sided p-value of a ratio of at most bound: a small value shows that the
// ratio is above it. It is 1 where nothing was compared, and where bound is not positive.
func (c Comparison) PAbove(bound float64) float64 {
	if !(bound > 0) {
		return 1
	}
	return c.above(math.Log(bound))
}

// PBelow is the exact one-sided p-value of a ratio of at least bound: a small value shows that the
// ratio is below it. It is 1 where nothing was compared, and where bound is not positive.
func (c Comparison) PBelow(bound float64) float64 {
	if !(bound > 0) {
		return 1
	}
	return c.below(math.Log(bound))
}

// Interval of the ratio that excludes the true value with a probability of at most errorRate: the
// exact one of the test, from the k-th smallest shift to the k-th largest. Its Coverage is the
// attainable level, at least 1-errorRate. It excludes 1 if and only if P is at most errorRate.
//
// The end of an interval that is less than 1e-16 away from 1 is written as 1: decide by P.
//
// ok is false where even the range of all shifts is not wide enough: 5 pairs at 0.05, 10 pairs
// at 0.001; and where errorRate is not positive.
func (c Comparison) Interval(errorRate float64) (interval Interval, ok bool) {
	if !(errorRate > 0) || c.empty() {
		return interval, false
	}
	if c.across.freedom > 0 {
		return c.across.interval(min(1, errorRate)), true
	}
	k := sort.Search(len(c.shifts)/2, func(k int) bool { return !reaches(2*c.tail(k), errorRate) })
	if k == 0 {
		return interval, false
	}
	return Interval{
		Low: math.Exp(c.shifts[k-1]), High: math.Exp(c.shifts[len(c.shifts)-k]), Coverage: 1 - 2*c.tail(k-1),
	}, true
}

// Equivalence is the p-value of two one-sided tests: the larger of that for a ratio of at most
// 1/(1+margin), and that for a ratio of at least 1+margin. A small value shows that the ratio is
// between them. It is at most errorRate if and only if Interval(2*errorRate) is between them: each
// test alone has the error rate, and only one of the two can be wrong.
//
// It is 1 where margin is not positive, or nothing was compared.
//
// Source: D. J. Schuirmann, A comparison of the two one-sided tests procedure and the power
// approach for assessing the equivalence of average bioavailability, Journal of Pharmacokinetics
// and Biopharmaceutics 15 (1987), 657-680; with the signed-rank test: S. Wellek, Testing
// Statistical Hypotheses of Equivalence and Noninferiority, 2nd ed., CRC 2010, section 5.4.
func (c Comparison) Equivalence(margin float64) float64 {
	if !(margin > 0) {
		return 1
	}
	bound := math.Log1p(margin)
	return max(c.above(-bound), c.below(bound))
}

// above is the p-value of the one-sided test of a log-ratio of at most the bound: a small one shows that it is above. Shifts at
// the bound count against that. It is 1 where nothing was compared.
func (c Comparison) above(bound float64) float64 {
	switch {
	case c.empty():
		return 1
	case c.across.freedom > 0:
		return c.across.above(bound)
	}
	return c.tail(c.upTo(bound))
}

// below is that of a log-ratio of at least the bound.
func (c Comparison) below(bound float64) float64 {
	switch {
	case c.empty():
		return 1
	case c.across.freedom > 0:
		return c.across.below(bound)
	}
	return c.tail(len(c.shifts) - c.under(bound))
}

// tail is P(S ≤ t) under no difference, for S the number of shifts above 0.
func (c Comparison) tail(t int) float64 {
	if c.Paired {
		return signedRankTail(c.subjects, t)
	}
	return rankSumTail(sizes{c.subjects, c.baselines}, t)
}

// upTo is the number of shifts of at most v, under that of shifts below v.
func (c Comparison) upTo(v float64) int {
	return sort.Search(len(c.shifts), func(i int) bool { return c.shifts[i] > v })
}

func (c Comparison) under(v float64) int {
	i, _ := slices.BinarySearch(c.shifts, v)
	return i
}

// reaches reports whether p is at most the error rate. The rounding of two ways to compute one
// number decides nothing.
func reaches(p, errorRate float64) bool { return p <= errorRate*(1+1e-12) }

// logRatios of pairs of positive values.
func logRatios(subject, baseline []float64) ([]float64, error) {
	if len(subject) != len(baseline) {
		return nil, fmt.Errorf("%w: %d and %d values", ErrUnpaired, len(subject), len(baseline))
	}
	ratios, err := logarithms(subject)
	if err != nil {
		return nil, err
	}
	below, err := logarithms(baseline)
	for i := range below {
		ratios[i] -= below[i]
	}
	return ratios, err
}

// logarithms of a sample of positive values.
func logarithms(sample []float64) ([]float64, error) {
	if len(sample) == 0 {
		return nil, ErrEmpty
	}
	logs := make([]float64, len(sample))
	for i, v := range sample {
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			return nil, &NotFiniteError{Index: i, Value: v}
		case v <= 0:
			return nil, &NotPositiveError{Index: i, Value: v}
		}
		logs[i] = math.Log(v)
	}
	return logs, nil
}

// variance of a sample, without bias; 0 for one value.
func variance(sample []float64) float64 {
	if len(sample) < 2 {
		return 0
	}
	mean, squares := 0.0, 0.0
	for i, v := range sample {
		step := v - mean
		mean += step / float64(i+1)
		squares += step * (v - mean)
	}
	return squares / float64(len(sample)-1)
}

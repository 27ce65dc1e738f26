package stats

import "math"

// Confidence is the minimum probability that an interval contains the true value.
const Confidence = 0.95

// Interval is a range of values in the unit of the sample.
type Interval struct {
	// Low and High are the inclusive ends.
	Low, High float64
	// Coverage is the probability that intervals computed this way contain the true value: at
	// least Confidence, and more for small samples.
	Coverage float64
}

// Widened is the interval of the true ratio, where this is that of the ratio of values that a search found: each true value
// is up to step, a share, above the found one. Searches with the same bounds try the same rates, so that which side is
// larger is as certain as the values say: there the interval ends at 1.
func (i Interval) Widened(step float64) Interval {
	if step == 0 {
		return i
	}
	out := i
	if out.Low /= 1 + step; i.Low > 1 {
		out.Low = max(1, out.Low)
	}
	if out.High *= 1 + step; i.High < 1 {
		out.High = min(1, out.High)
	}
	return out
}

// MedianEstimate is a median with its precision.
type MedianEstimate struct {
	Summary
	// Interval of the median; nil where the sample is too small: the full range of five values covers only 93.75 %.
	Interval *Interval
}

// EstimateMedian returns the median and its distribution-free interval: from the k-th smallest
// to the k-th largest value, with the largest k for which
//
//	1 - 2·P(B < k) ≥ Confidence,  B ~ Binomial(n, 1/2).
//
// It assumes independent values of one distribution of any form. This suits throughputs and
// latencies, whose distributions are skewed and have several modes. With ties or a discrete
// distribution the coverage is higher.
//
// Source: J.-Y. Le Boudec, Performance Evaluation of Computer and Communication
// Systems, EPFL Press 2010, Theorem 2.1 and Table A.1; the same in W. J. Conover,
// Practical Nonparametric Statistics, 3rd ed., Wiley 1999, section 3.2.
//
// It fails with ErrEmpty or a NotFiniteError.
func EstimateMedian(sample []float64) (MedianEstimate, error) {
	sorted, err := sortedCopy(sample)
	if err != nil {
		return MedianEstimate{}, err
	}
	estimate := MedianEstimate{Summary: summaryOf(sorted)}
	n := len(sorted)
	if k, coverage := medianRank(n); k > 0 {
		estimate.Interval = &Interval{Low: sorted[k-1], High: sorted[n-k], Coverage: coverage}
	}
	return estimate, nil
}

// medianRank is the largest rank k, from 1, whose interval has Confidence, and
// its coverage; 0 when there is none.
func medianRank(n int) (int, float64) {
	rank, coverage := 0, 0.0
	below := 0.0 // P(B < k)
	for k := 1; 2*k <= n; k++ {
		below += halfBinomial(n, k-1)
		if 1-2*below < Confidence {
			break
		}
		rank, coverage = k, 1-2*below
	}
	return rank, coverage
}

// halfBinomial is P(B = k) for B ~ Binomial(n, 1/2), by logarithms: 2^-n itself
// is 0 from n = 1075 on.
func halfBinomial(n, k int) float64 {
	return math.Exp(logFactorial(n) - logFactorial(k) - logFactorial(n-k) - float64(n)*math.Ln2)
}

func logFactorial(n int) float64 {
	v, _ := math.Lgamma(float64(n) + 1)
	return v
}

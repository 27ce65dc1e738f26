package export

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// spread of the values of a series, as other programs state it. Their quartiles are interpolated.
type spread struct {
	n                                   int
	min, q1, median, q3, max, mean, dev float64
	// devKnown is false for one value, which has no deviation.
	devKnown bool
	// low and high are the Tukey fences: the values within 1.5 interquartile ranges of the quartiles.
	low, high float64
	// beyond are the values outside of the fences, and far those more than a deviation from the mean.
	below, above []float64
	far          int
}

// spreadOf values, of which there is at least one.
func spreadOf(values []float64) spread {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	s := spread{n: n, min: sorted[0], max: sorted[n-1], mean: stat.Mean(sorted, nil)}
	s.q1, s.median, s.q3 = quantile(sorted, 0.25), quantile(sorted, 0.5), quantile(sorted, 0.75)
	if n > 1 {
		s.dev, s.devKnown = stat.StdDev(sorted, nil), true
	}
	s.low, s.high = s.q1-1.5*(s.q3-s.q1), s.q3+1.5*(s.q3-s.q1)
	for _, v := range sorted {
		switch {
		case v < s.low:
			s.below = append(s.below, v)
		case v > s.high:
			s.above = append(s.above, v)
		}
		if s.devKnown && math.Abs(v-s.mean) > s.dev {
			s.far++
		}
	}
	return s
}

// quantile of sorted values, interpolated between the two around it (type 7 of Hyndman and Fan).
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	below := int(at)
	if below+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[below] + (at-float64(below))*(sorted[below+1]-sorted[below])
}

// inner are the smallest and the greatest value within the fences.
func (s spread) inner(values []float64) (low, high float64) {
	low, high = s.max, s.min
	for _, v := range values {
		if v >= s.low && v <= s.high {
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high
}

// outliers as pytest-benchmark writes them: beyond a deviation; beyond the fences.
func (s spread) outliers() string { return fmt.Sprintf("%d;%d", s.far, len(s.below)+len(s.above)) }

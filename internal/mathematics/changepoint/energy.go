package changepoint

import (
	"cmp"
	"math"
	"slices"
)

// split is a place in a series: the first index behind it, and how far apart its sides are.
type split struct {
	index int
	q     float64
}

// segment of a series, in an order of its values that may be permuted.
type segment struct {
	// values in ascending order, less their median, and the sum of the distances of each of them to all others.
	values, distances []float64
	// order has the index in values of each place of the segment.
	order []int
	// left are the values before a split, by their indices: a Fenwick tree of their numbers and sums.
	left []part
	// within are the factors of the sums of distances within both sides, by the number of values on the left; total is that of all pairs.
	within []factors
	total  float64
}

type factors struct{ left, right float64 }

type part struct{ count, sum float64 }

func newSegment(x []float64) *segment {
	n := len(x)
	s := &segment{values: make([]float64, n), distances: make([]float64, n), order: make([]int, n), left: make([]part, n+1)}
	at := make([]int, n)
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	all, below := 0.0, 0.0
	for rank, i := range at {
		s.order[i], s.values[rank] = rank, x[i]-x[at[n/2]] // near 0: sums of large values would lose the distances between them
		all += s.values[rank]
	}
	for rank, v := range s.values {
		s.distances[rank] = v*float64(rank) - below + (all - below) - v*float64(n-rank)
		s.total += s.distances[rank] / 2
		below += v
	}
	s.within = make([]factors, n+1)
	for at := 1; at < n; at++ {
		a, b := float64(at), float64(n-at)
		s.within[at] = factors{pairs(b, a, float64(n)), pairs(a, b, float64(n))}
	}
	return s
}

// pairs is the factor of the sum over all pairs of a side of so many values, where the other one has that many: its mean, in the scale
// of the distance. A side of one value has no pairs.
func pairs(other, side, all float64) float64 {
	if side == 1 {
		return 0
	}
	return 2 * other / (all * (side - 1))
}

// add a value to the left side.
func (s *segment) add(rank int) {
	for i := rank + 1; i < len(s.left); i += i & -i {
		s.left[i].count++
		s.left[i].sum += s.values[rank]
	}
}

// below are the values of the left side with a lower index.
func (s *segment) below(rank int) (p part) {
	for i := rank; i > 0; i -= i & -i {
		p.count += s.left[i].count
		p.sum += s.left[i].sum
	}
	return p
}

// best split of a segment, with at least least values on either side. Its q is the scaled energy
// distance of the two sides:
//
//	nm/(n+m) * (2 mean|x-y| - mean|x-x'| - mean|y-y'|)
//
// over the n values x before and the m values y behind the split. The means within a side are those
// over all pairs of different values. ok is false for a segment that is too short.
//
// It takes n log n steps, as the sum of the distances of a value to those of a side follows from their number and their sum,
// below it and above.
//
// Source: D. S. Matteson and N. A. James, A nonparametric approach for multiple change point analysis
// of multivariate data, Journal of the American Statistical Association 109 (2014), 334-345, equations
// 5 to 7, with the right end fixed as in D. Daly et al., The use of change point detection to identify
// software performance regressions in a continuous integration system, ICPE 2020.
func (s *segment) best(least int) (out split, ok bool) {
	n := len(s.values)
	if n < 2*least {
		return out, false
	}
	clear(s.left)
	// Sums of distances within the left side and within the right side; those between them are the others.
	left, right, sum := 0.0, s.total, 0.0
	for at := 1; at <= n-least; at++ { // a value goes from the right side to the left one
		rank := s.order[at-1]
		v, below, count := s.values[rank], s.below(rank), float64(at-1)
		toLeft := v*below.count - below.sum + (sum - below.sum) - v*(count-below.count)
		left, right = left+toLeft, right-(s.distances[rank]-toLeft)
		s.add(rank)
		sum += v
		if at < least {
			continue
		}
		f := s.within[at]
		if q := 2*(s.total-left-right)/float64(n) - f.left*left - f.right*right; !ok || q > out.q {
			out, ok = split{at, q}, true
		}
	}
	return out, ok
}

// steps that best takes for so many values, about.
func steps(values int) float64 { return float64(values) * math.Log2(float64(values)+2) }

package changepoint

import "math"

// split is a place in a series: the first index behind it, and how far apart its sides are.
type split struct {
	index int
	q     float64
}

// best split of a segment, with at least least values on either side. Its q is the scaled energy
// distance of the two sides:
//
//	nm/(n+m) * (2 mean|x-y| - mean|x-x'| - mean|y-y'|)
//
// over the n values x before and the m values y behind the split. The means within a side are those
// over all pairs of different values. ok is false for a segment that is too short.
//
// Source: D. S. Matteson and N. A. James, A nonparametric approach for multiple change point analysis
// of multivariate data, Journal of the American Statistical Association 109 (2014), 334-345, equations
// 5 to 7, with the right end fixed as in D. Daly et al., The use of change point detection to identify
// software performance regressions in a continuous integration system, ICPE 2020.
func best(x []float64, least int) (out split, ok bool) {
	n := len(x)
	if n < 2*least {
		return out, false
	}
	// Sums of distances: within the left side, within the right side, and between them.
	left, right, between := 0.0, 0.0, 0.0
	for i := range n {
		for j := i + 1; j < n; j++ {
			right += math.Abs(x[i] - x[j])
		}
	}
	for at := 1; at <= n-least; at++ { // x[at-1] goes from the right side to the left one
		toLeft, toRight := 0.0, 0.0
		for i, v := range x {
			if d := math.Abs(v - x[at-1]); i < at {
				toLeft += d
			} else {
				toRight += d
			}
		}
		left, right, between = left+toLeft, right-toRight, between-toLeft+toRight
		if at < least {
			continue
		}
		if q := scaled(at, n-at, sums{left, right, between}); !ok || q > out.q {
			out, ok = split{at, q}, true
		}
	}
	return out, ok
}

// sums of the distances of all pairs within the left side, within the right side, and between them.
type sums struct{ left, right, between float64 }

func scaled(n, m int, s sums) float64 {
	a, b := float64(n), float64(m)
	e := 2 * s.between / (a * b)
	if n > 1 {
		e -= s.left / (a * (a - 1) / 2)
	}
	if m > 1 {
		e -= s.right / (b * (b - 1) / 2)
	}
	return a * b / (a + b) * e
}

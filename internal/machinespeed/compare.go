package machinespeed

import (
	"math"
	"slices"
)

const (
	// Alpha is the error rate of one comparison of two runs: of machines that are alike, at
	// most so many are called different, also if several kernels are compared (see Compare).
	Alpha = 0.01
	// Least is the smallest relative change that is called one: less is of no matter for a
	// benchmark, however sure it is.
	Least = 0.03
	// most values of a sample that are compared: pairs are the product.
	most = 400
)

// Change is how much longer the kernels of one sample took than those of another.
type Change struct {
	// Ratio of the later times to the earlier ones: 1.05 is a machine that takes 5 % longer.
	Ratio float64
	// Low and High bound the ratio with the confidence that was asked for.
	Low, High float64
}

// Slower says whether the later machine is slower, beyond chance and by Least or more.
func (c Change) Slower() bool { return c.Low > 1 && c.Ratio >= 1+Least }

// Faster says whether the later machine is faster, beyond chance and by Least or more.
func (c Change) Faster() bool { return c.High < 1 && c.Ratio <= 1/(1+Least) }

// Compare gives the ratio of the later sample to the earlier one by Hodges and Lehmann, the
// median over all pairs, and its interval by the distribution of Mann and Whitney's U. Nothing
// is assumed about the form of the distribution, and single trials that were held up weigh
// little. It is Alpha over the number of comparisons that are made of one pair of runs, so
// that all of them together raise at most one false alarm in 100 runs.
//
// It assumes independent values. Disturbances that last for several trials make its interval
// too narrow: they are changes of the machine's speed, and are told as such.
//
// ok is false where there are too few values to say anything with this confidence (six and
// six are enough for one comparison), or one is not a positive number.
//
// Source: M. Hollander, D. A. Wolfe, E. Chicken, Nonparametric Statistical Methods, 3rd ed.,
// Wiley 2014, sections 4.2 and 4.3 (Moses' interval, large samples, with continuity correction).
func Compare(earlier, later []float64, comparisons int) (c Change, ok bool) {
	a, sound := logarithms(earlier)
	b, alsoSound := logarithms(later)
	n, m := float64(len(a)), float64(len(b))
	if !sound || !alsoSound || comparisons < 1 {
		return c, false
	}
	z := math.Sqrt2 * math.Erfinv(1-Alpha/float64(comparisons))
	k := int(math.Floor(n*m/2 + 0.5 - z*math.Sqrt(n*m*(n+m+1)/12)))
	if k < 1 {
		return c, false
	}
	pairs := make([]float64, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			pairs = append(pairs, y-x)
		}
	}
	slices.Sort(pairs)
	last := len(pairs) - 1
	return Change{
		Ratio: math.Exp((pairs[last/2] + pairs[len(pairs)/2]) / 2), Low: math.Exp(pairs[k-1]), High: math.Exp(pairs[len(pairs)-k]),
	}, true
}

// logarithms of at most so many values, evenly taken from the sample.
func logarithms(sample []float64) ([]float64, bool) {
	n := min(len(sample), most)
	out := make([]float64, n)
	for i := range out {
		v := sample[i*len(sample)/n]
		if !(v > 0) || math.IsInf(v, 1) {
			return nil, false
		}
		out[i] = math.Log(v)
	}
	return out, n > 0
}

package machinespeed

import (
	"math"
	"slices"
)

const (
	// Alpha is the false-positive rate of one comparison of two runs, over all compared
	// kernels together (see Compare).
	Alpha = 0.01
	// Least is the smallest relevant relative change. A smaller change is not reported, even
	// if it is significant.
	Least = 0.02
	// Fewest is the minimum size of a sample for a comparison.
	Fewest = 6
)

// Change is the ratio between the kernel times of two samples.
type Change struct {
	// Ratio of the later times to the earlier times: 1.05 means 5 % longer.
	Ratio float64
	// Low and High are the confidence interval of the ratio.
	Low, High float64
}

// Slower reports whether the later machine is significantly slower, by Least or more.
func (c Change) Slower() bool { return c.Low > 1 && c.Ratio >= 1+Least }

// Faster reports whether the later machine is significantly faster, by Least or more.
func (c Change) Faster() bool { return c.High < 1 && c.Ratio <= 1/(1+Least) }

// Compare returns the ratio of the later sample to the earlier sample: the ratio of the
// trimmed geometric means, and its interval by Yuen's test (Welch's test for trimmed means). A
// tenth of the values at either end counts only by its rank, so delayed trials have little
// weight. The other values count in full, because a quota delays only some trials, which a
// median would hide. The error rate is Alpha divided by the number of comparisons of one pair
// of runs: together they raise a false alarm in at most one of 100 pairs.
//
// It assumes independent values. Disturbances over several trials make the interval too
// narrow; they are reported as changes of the machine's speed.
//
// ok is false for fewer than Fewest values, and for a value that is not positive.
//
// Source: K. K. Yuen, The two-sample trimmed t for unequal population variances, Biometrika 61
// (1974), 165-170; R. R. Wilcox, Introduction to Robust Estimation and Hypothesis Testing,
// 3rd ed., Academic Press 2012, section 5.3.
func Compare(earlier, later []float64, comparisons int) (c Change, ok bool) {
	a, sound := trim(earlier)
	b, alsoSound := trim(later)
	if !sound || !alsoSound || comparisons < 1 {
		return c, false
	}
	difference := b.mean - a.mean
	half := 0.0
	if variance := a.variance + b.variance; variance > 0 {
		freedom := variance * variance / (a.variance*a.variance/(a.kept-1) + b.variance*b.variance/(b.kept-1))
		half = quantile(1-Alpha/float64(comparisons)/2, freedom) * math.Sqrt(variance)
	}
	return Change{Ratio: math.Exp(difference), Low: math.Exp(difference - half), High: math.Exp(difference + half)}, true
}

// trimmed is what Yuen's test needs of a sample of logarithms.
type trimmed struct{ mean, variance, kept float64 }

// trim gives the mean without a tenth at either end, and the variance of that mean by the
// winsorised sample.
func trim(sample []float64) (t trimmed, ok bool) {
	n := len(sample)
	if n < Fewest {
		return t, false
	}
	logs := make([]float64, n)
	for i, v := range sample {
		if !(v > 0) || math.IsInf(v, 1) {
			return t, false
		}
		logs[i] = math.Log(v)
	}
	slices.Sort(logs)
	cut := n / 10
	t.kept = float64(n - 2*cut)
	for _, v := range logs[cut : n-cut] {
		t.mean += v / t.kept
	}
	var sum, squares float64
	for _, v := range logs {
		v = min(max(v, logs[cut]), logs[n-1-cut]) - t.mean
		sum, squares = sum+v, squares+v*v
	}
	t.variance = max(0, squares-sum*sum/float64(n)) / (t.kept * (t.kept - 1))
	return t, true
}

// quantile of Student's t distribution for p above 1/2, by G. W. Hill, Algorithm 396,
// Communications of the ACM 13 (1970), 619-620: exact to six digits for five degrees of freedom
// and more, which is what Fewest leaves at least.
func quantile(p, freedom float64) float64 {
	x := math.Sqrt2 * math.Erfinv(2*p-1)
	two, n := 2*(1-p), freedom
	a := 1 / (n - 0.5)
	b := 48 / (a * a)
	c := ((20700*a/b-98)*a-16)*a + 96.36
	d := ((94.5/(b+c)-3)/b + 1) * math.Sqrt(a*math.Pi/2) * n
	y := math.Pow(d*two, 2/n)
	if y > 0.05+a {
		y = x * x
		if n < 5 {
			c += 0.3 * (n - 4.5) * (x + 0.6)
		}
		c += (((0.05*d*x-5)*x-7)*x-2)*x + b
		y = (((((0.4*y+6.3)*y+36)*y+94.5)/c-y-3)/b + 1) * x
		y = math.Expm1(a * y * y)
	} else {
		y = ((1/(((n+6)/(n*y)-0.089*d-0.822)*(n+2)*3)+0.5/(n+4))*y-1)*(n+1)/(n+2) + 1/y
	}
	return math.Sqrt(n * y)
}

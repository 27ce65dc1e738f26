package stats

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// ErrOneRun is the error for runs that are fewer than two.
var ErrOneRun = errors.New("the difference between runs needs two runs or more")

// identical is the spread of logarithms below which only the rounding of the machine tells them apart.
const identical = 1e-13

// across is an estimate from several runs, as logarithms, with Student's t distribution.
type across struct{ estimate, standardError, freedom float64 }

// CompareRuns combines the comparisons that several runs of one experiment made, each with servers
// of its own. Runs differ from one another by more than the noise within them says, and the
// interval includes that: it is the one of Student's t distribution for the mean of the runs'
// logarithms of ratios. It assumes that these are normal, and of about equal precision. With few
// runs it is wide: two runs have an interval of 13 standard errors to either side at 95 %.
//
// Runs that have one ratio to the last digit tell nothing of how runs differ: their values are rounded,
// or they are one run twice. Then the signs of the ratios alone decide, each run being one pair of
// ComparePaired: two runs have a p-value of 0.5, six have 0.03.
//
// Of the result, N is the number of values in all runs, Ratio the geometric mean of the runs'
// ratios, and Spread the standard deviation of their logarithms.
//
// It fails with ErrOneRun, or ErrEmpty where a run has compared nothing.
//
// Source: T. Kalibera and R. Jones, Rigorous benchmarking in reasonable time, ISMM 2013 (the means
// of the highest level); J. Hartung and G. Knapp, On tests of the overall treatment effect in
// meta-analysis with normally distributed responses, Statistics in Medicine 20 (2001), 1771-1782.
func CompareRuns(runs []Comparison) (Comparison, error) {
	if len(runs) < 2 {
		return Comparison{}, ErrOneRun
	}
	combined := Comparison{Paired: true}
	logs := make([]float64, len(runs))
	for i, r := range runs {
		if r.empty() {
			return Comparison{}, ErrEmpty
		}
		logs[i] = math.Log(r.Ratio)
		combined.N += r.N
		combined.Paired = combined.Paired && r.Paired
	}
	n := float64(len(runs))
	if combined.Spread = math.Sqrt(variance(logs)); combined.Spread <= identical {
		combined.Spread, combined.Ratio = 0, math.Exp(logs[0])
		combined.Paired, combined.shifts, combined.subjects, combined.baselines = true, walshAverages(logs), len(logs), len(logs)
		return combined, nil
	}
	combined.across = across{estimate: meanOf(logs), standardError: combined.Spread / math.Sqrt(n), freedom: n - 1}
	combined.Ratio = math.Exp(combined.across.estimate)
	return combined, nil
}

func (a across) distribution() distuv.StudentsT {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: a.freedom}
}

// above is the p-value of an estimate that is not above the bound.
func (a across) above(bound float64) float64 {
	return a.distribution().CDF((bound - a.estimate) / a.standardError)
}

// below is that of an estimate that is not below the bound.
func (a across) below(bound float64) float64 {
	return across{-a.estimate, a.standardError, a.freedom}.above(-bound)
}

func (a across) interval(errorRate float64) Interval {
	half := a.standardError * a.distribution().Quantile(1-errorRate/2)
	return Interval{Low: math.Exp(a.estimate - half), High: math.Exp(a.estimate + half), Coverage: 1 - errorRate}
}

// Moderate the spreads of comparisons over runs that were made under like circumstances, such as several ratios of one experiment that was
// run three times. Each spread is of few runs, and so is drawn to that of all of them: its variance becomes the mean of its own, weighted
// with its freedom, and of a common one, weighted with the freedom that the variances themselves suggest, by how much more they differ than
// by chance. What differs in truth keeps most of its own spread. The results have the freedom of both, so their intervals are narrower.
//
// The common one has a freedom of at most most: what is known of it, where the comparisons share values and are not independent. With fewer
// than two comparisons, or without any freedom, they stay as they are, and so do those of runs that are exactly alike.
//
// It assumes that variances are distributed about the common one as a scaled inverse chi-squared.
//
// Source: G. K. Smyth, Linear models and empirical Bayes methods for assessing differential expression in microarray experiments,
// Statistical Applications in Genetics and Molecular Biology 3 (2004), article 3, sections 3 and 6.2.
func Moderate(all []Comparison, most float64) []Comparison {
	out := slices.Clone(all)
	var logs []float64
	chance := 0.0
	for _, c := range all {
		if half := c.across.freedom / 2; half > 0 {
			logs = append(logs, 2*math.Log(c.Spread)-mathext.Digamma(half)+math.Log(half))
			chance += trigamma(half)
		}
	}
	if len(logs) < 2 || !(most > 0) {
		return out
	}
	common, variation := math.Exp(meanOf(logs)), variance(logs)-chance/float64(len(logs))
	freedom := most
	if variation > 0 {
		half := inverseTrigamma(variation)
		common *= math.Exp(mathext.Digamma(half) - math.Log(half))
		freedom = min(most, 2*half)
	}
	for i := range out {
		c := &out[i]
		own := c.across.freedom
		if own == 0 {
			continue
		}
		runs := c.runs()
		c.Spread = math.Sqrt((freedom*common + own*c.Spread*c.Spread) / (freedom + own))
		c.across.freedom, c.across.standardError = freedom+own, c.Spread/math.Sqrt(runs)
	}
	return out
}

// runs that were combined.
func (c Comparison) runs() float64 {
	ratio := c.Spread / c.across.standardError
	return math.Round(ratio * ratio)
}

// trigamma is the derivative of the digamma function, for a positive x.
func trigamma(x float64) float64 { return mathext.Zeta(2, x) }

// inverseTrigamma of a positive y, between 1e-6 and 1e6: trigamma falls, so the interval is halved.
func inverseTrigamma(y float64) float64 {
	low, high := 1e-6, 1e6
	for high/low > 1+1e-12 {
		if middle := math.Sqrt(low * high); trigamma(middle) > y {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// mostRuns is where RunsNeeded ends.
const mostRuns = 1000

// RunsNeeded is about how many runs a one-sided test at errorRate needs to show, with the given power, that a log-ratio is beyond a bound
// that it is distance away from, if spread stays as large as it is in this comparison of runs, and each run brings as much freedom as those
// that there are: the smallest n of at least 2 with distance >= (t(1-errorRate)+t(power))*spread/sqrt(n). ok is false where 1,000 are not
// enough, where distance is not positive, and for a comparison that is not of runs.
func (c Comparison) RunsNeeded(distance, errorRate, power float64) (runs int, ok bool) {
	if !(distance > 0) || !(errorRate > 0) || c.across.freedom == 0 {
		return 0, false
	}
	each := c.across.freedom / (c.runs() - 1)
	for n := 2; n <= mostRuns; n++ {
		t := across{freedom: each * float64(n-1)}.distribution()
		if distance >= (t.Quantile(1-errorRate)+t.Quantile(power))*c.Spread/math.Sqrt(float64(n)) {
			return n, true
		}
	}
	return 0, false
}

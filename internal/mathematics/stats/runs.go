package stats

import (
	"errors"
	"math"

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

// mostRuns is where RunsNeeded ends.
const mostRuns = 1000

// RunsNeeded is the smallest number of runs, at least 2, whose one-sided test by CompareRuns shows at errorRate that a log-ratio is beyond a
// bound that it is distance away from, if it stays where it is and spread (Comparison.Spread) stays as large: the n with
// distance >= t(n-1)*spread/sqrt(n). ok is false where 1,000 are not enough, and where distance or spread is not positive.
func RunsNeeded(distance, spread, errorRate float64) (runs int, ok bool) {
	if !(distance > 0) || !(spread > 0) || !(errorRate > 0) {
		return 0, false
	}
	for n := 2; n <= mostRuns; n++ {
		a := across{estimate: distance, standardError: spread / math.Sqrt(float64(n)), freedom: float64(n - 1)}
		if reaches(a.above(0), errorRate) {
			return n, true
		}
	}
	return 0, false
}

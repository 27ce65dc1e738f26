package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// LeastRuns that predict another one: two have one difference, which says next to nothing about how large
// others are.
const LeastRuns = 3

// ErrEqualRuns is the error for runs whose values are the same to the last digit: how runs differ cannot be seen in them.
var ErrEqualRuns = errors.New("all runs have one value, in which it cannot be seen how runs differ")

// FewRunsError is the error for fewer than LeastRuns runs.
type FewRunsError struct {
	// Runs that there are.
	Runs int
}

// Error says how many are needed.
func (e *FewRunsError) Error() string {
	return fmt.Sprintf("another run is predicted from at least %d, and there are %d", LeastRuns, e.Runs)
}

// Prediction is what one more run gives, if it differs from the earlier ones as those differ from one another.
type Prediction struct {
	// Runs that predict.
	Runs int

	// of is the distribution of the logarithm of one more value: its standardError is s*sqrt(1+1/n).
	of across
	// step is the resolution of the values.
	step float64
}

// PredictRun predicts the value of one more run from those of earlier ones, one value each. Their logarithms are taken as
// drawn from one normal distribution, so that one more value lies within mean +- t(n-1)*s*sqrt(1+1/n).
//
// Tools round, and give percentiles in steps. Step is the smallest difference of two logarithms (Resolution), 0 where values
// have all their digits: its variance step^2/12 is added to s^2, and half a step to the interval, as the next value is rounded,
// too. Without it, a sound run that is one step away lies outside far too often.
//
// It fails with a FewRunsError, a NotFiniteError, a NotPositiveError or ErrEqualRuns.
//
// Source: G. J. Hahn and W. Q. Meeker, Statistical Intervals, Wiley 1991, section 4.7 (one future observation); for the step: Guide
// to the Expression of Uncertainty in Measurement, JCGM 100:2008, F.2.2.1.
func PredictRun(values []float64, step float64) (Prediction, error) {
	n := len(values)
	if n < LeastRuns {
		return Prediction{}, &FewRunsError{n}
	}
	logs, err := logarithms(values)
	if err != nil {
		return Prediction{}, err
	}
	if slices.Max(logs)-slices.Min(logs) <= rounded {
		return Prediction{}, ErrEqualRuns
	}
	spread := math.Hypot(math.Sqrt(variance(logs)), step/math.Sqrt(12))
	return Prediction{n, across{meanOf(logs), spread * math.Sqrt(1+1/float64(n)), float64(n - 1)}, step}, nil
}

// rounded is the difference of two logarithms that is one of rounding alone.
const rounded = 1e-12

// Interval that holds the value of one more run with a probability of 1-errorRate.
func (p Prediction) Interval(errorRate float64) Interval {
	out := p.of.interval(errorRate)
	out.Low, out.High = out.Low*math.Exp(-p.step/2), out.High*math.Exp(p.step/2)
	return out
}

// Reach is how many standard deviations of runs the interval reaches to either side: 5 with three runs at 0.05, 2.1 with
// very many.
func (p Prediction) Reach(errorRate float64) float64 {
	return p.of.distribution().Quantile(1-errorRate/2) * math.Sqrt(1+1/float64(p.Runs))
}

// Above is the probability that one more run has the value or a larger one; 1 for a value that is not positive.
func (p Prediction) Above(value float64) float64 {
	if !(value > 0) {
		return 1
	}
	return p.of.below(math.Log(value) - p.step/2)
}

// Below is the probability that one more run has the value or a smaller one; 0 for a value that is not positive.
func (p Prediction) Below(value float64) float64 {
	if !(value > 0) {
		return 0
	}
	return p.of.above(math.Log(value) + p.step/2)
}

// Detectable is the smallest change (0.03 for 3 %) of the level of the runs that one more run shows with the given power, by
// Above or Below at errorRate. It takes the spread of the runs for the true one.
//
// Source: the noncentral t distribution, as the normal one averaged over that of the standard deviation: N. L. Johnson, S. Kotz,
// N. Balakrishnan, Continuous Univariate Distributions, vol. 2, 2nd ed., Wiley 1995, chapter 31.
func (p Prediction) Detectable(errorRate, power float64) float64 {
	shift := knownShifts.Of(shiftKey{p.of.freedom, errorRate, power}, foundShift)
	return math.Expm1(shift*p.of.standardError + p.step/2)
}

// shiftKey is what foundShift depends on.
type shiftKey struct{ freedom, errorRate, power float64 }

// knownShifts caches foundShift: all measurements of a gate have the same.
var knownShifts = Memo[shiftKey, float64]{Most: 64}

// foundShift in standard errors is what a one-sided t test finds with the power.
func foundShift(of shiftKey) float64 {
	const parts = 400
	critical := across{freedom: of.freedom}.distribution().Quantile(1 - of.errorRate)
	spreads := make([]float64, parts)
	for i := range spreads {
		spreads[i] = math.Sqrt(distuv.ChiSquared{K: of.freedom}.Quantile((float64(i)+0.5)/parts) / of.freedom)
	}
	found := func(shift float64) (share float64) {
		for _, s := range spreads {
			share += normalTail(shift-critical*s) / parts
		}
		return share
	}
	low, high := 0.0, 1.0
	for found(high) < of.power {
		high *= 2
	}
	for high-low > 1e-6*high {
		if middle := (low + high) / 2; found(middle) < of.power {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// Resolution of values that a tool has rounded or counted in buckets: the smallest difference of two of their logarithms. Of
// values that are not in steps it is nearly nothing, and of a few values at most too large, which makes an interval wider. It
// is 0 where all are the same; values that are not positive are left out.
func Resolution(values []float64) float64 {
	logs := make([]float64, 0, len(values))
	for _, v := range values {
		if v > 0 {
			logs = append(logs, math.Log(v))
		}
	}
	slices.Sort(logs)
	least := 0.0
	for i := 1; i < len(logs); i++ {
		if gap := logs[i] - logs[i-1]; gap > rounded && (least == 0 || gap < least) {
			least = gap
		}
	}
	return least
}

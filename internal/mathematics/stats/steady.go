package stats

import (
	"errors"
	"math"
)

// ErrStopped is the error for a series in which nothing was done.
var ErrStopped = errors.New("the mean of the series is not positive")

// SteadyState is whether a time series had settled.
type SteadyState string

// States.
const (
	// Steady: from Trend.From on, the series changed by less than the tolerance.
	Steady SteadyState = "Steady"
	// NotSteady: it changed by more, gradually or in a step.
	NotSteady SteadyState = "NotSteady"
	// TooShort: it is too short, for its noise, to know.
	TooShort SteadyState = "TooShort"
)

const (
	// MinIntervals is the shortest series that can be Steady.
	MinIntervals = 30
	// batchCount is into how many means a series is divided.
	batchCount = 40
	// stepBound is the 99.9 % quantile of the largest absolute value of a Brownian bridge. With the
	// 99 % quantile (1.628), 7 % of windows of 60 s whose noise is correlated by 0.8 had a step.
	stepBound = 1.949
	// trendBound is the half width of the 90 % interval in standard errors. 1.645 would be right for
	// a known noise; of series of 60 values, 2 leaves 5 % outside (docs/evidence/statistics.md).
	trendBound = 2.0
)

// Trend describes a time series.
type Trend struct {
	// State of the series.
	State SteadyState
	// From is the index of the first value of the window that State is about. What comes before
	// is warm-up.
	From int
	// Whole is the mean of all values, Window that from From on.
	Whole, Window float64
	// Change over the window, relative to Window: 0.05 for 5 % up, as a straight line. Low and High
	// are its 90 % interval. All are 0 for a series that is too short for a line, or that stopped.
	Change, Low, High float64
	// Step is the relative change at the index StepAt of the series; both are 0 where no step was
	// found.
	Step   float64
	StepAt int
}

// FindTrend decides whether a series of throughputs, one for each second or another constant
// interval, was steady: whether its change over the window is within ±tolerance (0.05 for 5 %).
//
//  1. The series is divided into about 40 means.
//  2. The start is left out, at most half, so that the standard error of the mean of the rest is
//     the smallest (MSER).
//  3. A step of more than tolerance in the rest, significant at 0.1 % (cumulative sums), is
//     NotSteady.
//  4. The 90 % interval of a straight line's change over the window decides: within ±tolerance is
//     Steady, outside NotSteady, and else the series is TooShort. Steady is thus shown by two
//     one-sided tests at 5 %, and never only for lack of evidence.
//
// Noise may be correlated over a few batches: its long-run variance is that of an autoregressive
// process of order 1. Longer cycles, such as checkpoints that come a few times in a series, count
// as noise, and make it TooShort.
//
// It fails with ErrEmpty, a NotFiniteError, or ErrStopped for a series without positive mean.
//
// Source: K. P. White, An effective truncation heuristic for bias reduction in simulation output,
// Simulation 69 (1997), 323-334 (MSER); R. L. Brown, J. Durbin, J. M. Evans, Journal of the Royal
// Statistical Society B 37 (1975), 149-192 (cumulative sums); E. Barrett et al., Virtual machine
// warmup blows hot and cold, OOPSLA 2017 (what steady means).
func FindTrend(series []float64, tolerance float64) (Trend, error) {
	if _, err := sortedCopy(series); err != nil {
		return Trend{}, err
	}
	t := Trend{State: TooShort, Whole: meanOf(series), Window: meanOf(series)}
	if t.Whole <= 0 {
		return t, ErrStopped
	}
	if len(series) < MinIntervals {
		return t, nil
	}
	width := max(1, len(series)/batchCount)
	rest := len(series) % width // fills no batch
	batches := batchMeans(series, width)
	from := mser(batches)
	if from > 0 {
		t.From = rest + from*width
	}
	if t.Window = meanOf(series[t.From:]); t.Window <= 0 { // it stopped
		t.State = NotSteady
		return t, nil
	}
	window := batches[from:]
	if at, jump := step(window); at > 0 && math.Abs(jump) > tolerance*t.Window {
		t.Step, t.StepAt = jump/t.Window, rest+(from+at)*width
	}
	change, half := lineChange(window)
	t.Change, t.Low, t.High = change/t.Window, (change-half)/t.Window, (change+half)/t.Window
	switch {
	case t.StepAt > 0, t.Low > tolerance, t.High < -tolerance:
		t.State = NotSteady
	case t.Low > -tolerance && t.High < tolerance:
		t.State = Steady
	}
	return t, nil
}

// batchMeans of a series, without the values at its start that fill no batch.
func batchMeans(series []float64, width int) []float64 {
	var means []float64
	for i := len(series) % width; i < len(series); i += width {
		means = append(means, meanOf(series[i:i+width]))
	}
	return means
}

// mser is the number of batches to leave out at the start, at most half.
func mser(batches []float64) int {
	best, least := 0, math.Inf(1)
	for from := 0; from <= len(batches)/2; from++ {
		rest := batches[from:]
		n := float64(len(rest))
		if error2 := variance(rest) * (n - 1) / (n * n); error2 < least {
			best, least = from, error2
		}
	}
	return best
}

// step finds where the mean of the batches changes: the index of the first batch after the change,
// and by how much. at is 0 where no change is significant.
func step(batches []float64) (at int, jump float64) {
	n, mean := len(batches), meanOf(batches)
	sum, largest, best := 0.0, 0.0, 1
	for i, v := range batches[:n-1] {
		sum += v - mean
		if math.Abs(sum) > largest {
			largest, best = math.Abs(sum), i+1
		}
	}
	before, after := meanOf(batches[:best]), meanOf(batches[best:])
	rest := make([]float64, n)
	for i, v := range batches {
		rest[i] = v - before
		if i >= best {
			rest[i] = v - after
		}
	}
	if largest <= stepBound*math.Sqrt(float64(n)*longRunVariance(rest, 2)) {
		return 0, 0
	}
	return best, after - before
}

// lineChange is the change of the least-squares line over the batches, and half of the width of
// its 90 % interval.
func lineChange(batches []float64) (change, half float64) {
	n := float64(len(batches))
	mean, slope := meanOf(batches), 0.0
	squares := n * (n*n - 1) / 12
	for i, v := range batches {
		slope += (float64(i) - (n-1)/2) * (v - mean) / squares
	}
	rest := make([]float64, len(batches))
	for i, v := range batches {
		rest[i] = v - mean - slope*(float64(i)-(n-1)/2)
	}
	return slope * n, trendBound * n * math.Sqrt(longRunVariance(rest, 2)/squares)
}

// longRunVariance of residuals of a model with so many parameters: n times the variance of their
// mean, for an autoregressive process of order 1. The correlation of residuals is too low on
// average, and is corrected.
//
// Source: F. H. C. Marriott and J. A. Pope, Bias in the estimation of autocorrelations, Biometrika
// 41 (1954), 390-402.
func longRunVariance(residuals []float64, parameters int) float64 {
	n := float64(len(residuals))
	var squares, products float64
	for i, v := range residuals {
		squares += v * v
		if i > 0 {
			products += v * residuals[i-1]
		}
	}
	if squares == 0 {
		return 0
	}
	k := float64(parameters)
	correlation := products / squares
	correlation = min(0.9, max(0, correlation+(k+(k+2)*correlation)/n))
	return squares / (n - k) * (1 + correlation) / (1 - correlation)
}

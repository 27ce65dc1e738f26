package validity

import (
	"fmt"
	"math"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/trial/merge"
)

const (
	// CheckNotSteady is the check of a throughput that changed during the window.
	CheckNotSteady = "not-steady"
	// steadyTolerance is the tolerated relative change of the throughput over the window.
	steadyTolerance = 0.05
	// maxGaps is the maximum number of intervals for each point: more, and most of the series is
	// not known.
	maxGaps = 2
)

// Steadiness is whether the throughput of a trial was constant, by its time series: Steady,
// NotSteady or TooShort. It is empty without a series for all operations, or where nothing was
// done. The finding of a trial that is NotSteady says how the throughput changed.
//
// The result is that of all clients together (merge.Results). Only the points between from and
// to count, in seconds since the start of the first client: the time in which all clients
// measured.
//
// A window whose second part is steady is NotSteady if its start moved the mean by more than the
// tolerance, because the value of the trial is the mean of the whole window.
func Steadiness(r contract.Result, from, to float64) (stats.SteadyState, []Finding) {
	series, length := seriesOf(pointsOf(r, contract.NameThroughput), from, to)
	trend, err := stats.FindTrend(series, steadyTolerance)
	if err != nil {
		return "", nil // without a series, or nothing was done: the check nothing-done says so
	}
	warm := trend.Whole/trend.Window - 1 // infinite where the server stopped
	state := trend.State
	if state == stats.Steady && math.Abs(warm) > steadyTolerance {
		state = stats.NotSteady
	}
	if state != stats.NotSteady {
		return state, nil
	}
	return state, []Finding{{CheckNotSteady, Warning, fmt.Sprintf("%s: the value is a mean over this change; "+
		"raise design.warmup, or design.duration, or look at the time series of the result", change(trend, warm, length))}}
}

// change of a throughput that was not steady, in words.
func change(t stats.Trend, warm, length float64) string {
	start := float64(t.From) * length
	switch {
	case t.Window <= 0:
		return fmt.Sprintf("the throughput fell to 0 within the window, after %.0f s", start)
	case t.StepAt > 0:
		return fmt.Sprintf("the throughput changed by %+.0f %% in a step, after %.0f s of the window", 100*t.Step, float64(t.StepAt)*length)
	case t.State == stats.NotSteady:
		return fmt.Sprintf("the throughput changed by %+.0f %% (90 %% interval %+.0f to %+.0f %%), from %.0f s of the window to its end",
			100*t.Change, 100*t.Low, 100*t.High, start)
	}
	return fmt.Sprintf("the throughput was steady after %.0f s of the window only: the mean of the whole window differs by %+.0f %% from that of the rest",
		start, 100*warm)
}

// seriesOf points that end after from and not after to: one value for each interval, and the length
// of an interval in seconds. A point after a gap counts for the gap too, because tools compute its
// rate since the point before. The rest of an interval at the end is left out. There is no series
// where times are not in order, or most points are missing.
func seriesOf(points []contract.Interval, from, to float64) (series []float64, length float64) {
	length = merge.UsualGap(points)
	if !(length > 0) {
		return nil, 0
	}
	before := 0.0
	for _, p := range points {
		steps := math.Round((p.AtSeconds - before) / length)
		inside := p.AtSeconds-length/2 >= from && p.AtSeconds-length/2 <= to
		if before = p.AtSeconds; steps == 0 || !inside {
			continue
		}
		if !(steps > 0 && float64(len(series))+steps <= maxGaps*float64(len(points))) {
			return nil, 0
		}
		for range int(steps) {
			series = append(series, *p.Value)
		}
	}
	return series, length
}

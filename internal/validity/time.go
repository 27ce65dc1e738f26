package validity

import (
	"fmt"
	"math"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

// A window may be a little short by rounding, and a little longer by the last operations.
const (
	durationLow        = 0.99
	durationHigh       = 1.05
	durationHighAtBest = 2.0 // s, for short windows
)

// duration: rates are those of the time that was really measured, so a window of another
// length is as good. A server that stalls at its end stretches it, and must not lose just
// that trial.
func duration(r contract.Result, f runner.Facts) string {
	seconds, ok := value(r, contract.NameTotalTime, nil)
	if !ok || f.DurationSeconds == 0 {
		return ""
	}
	asked := float64(f.DurationSeconds)
	if high := max(asked*durationHigh, asked+durationHighAtBest); seconds < asked*durationLow || seconds > high {
		return fmt.Sprintf("the measured window was %.4f s, but %d s were asked for: rates are those of the %.4f s", seconds, f.DurationSeconds, seconds)
	}
	return ""
}

// intervals counts the points of the time series: one more or less is normal, as
// the last interval ends when the window does. A client that had to wait for its CPU skips
// some: the totals hold all the same.
func intervals(r contract.Result, f runner.Facts) string {
	seconds, timed := value(r, contract.NameTotalTime, nil)
	m, ok := r.Find(contract.NameThroughput, nil)
	if !ok || !timed || f.ReportIntervalSeconds == 0 {
		return ""
	}
	want := math.Floor(seconds / float64(f.ReportIntervalSeconds))
	if got := float64(len(m.Intervals)); math.Abs(got-want) > max(1, want/100) {
		return fmt.Sprintf("the time series has %.0f intervals of %d s, but %.4f s have %.0f", got, f.ReportIntervalSeconds, seconds, want)
	}
	return ""
}

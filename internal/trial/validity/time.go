package validity

import (
	"fmt"
	"math"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// A window may be slightly shorter because of rounding, and slightly longer because of the
// last operations.
const (
	durationLow        = 0.99
	durationHigh       = 1.05
	durationHighAtBest = 2.0 // s, for short windows
)

// duration: rates are computed for the actual window, so another length is valid. A server
// that stalls at the end stretches the window, and must not lose just that trial.
func duration(r contract.Result, e runner.Expectations) string {
	seconds, ok := value(r, contract.NameTotalTime, nil)
	if !ok || e.DurationSeconds == 0 {
		return ""
	}
	asked := float64(e.DurationSeconds)
	if high := max(asked*durationHigh, asked+durationHighAtBest); seconds < asked*durationLow || seconds > high {
		return fmt.Sprintf("the measured window was %.4f s, but %d s were requested: rates are those of the %.4f s", seconds, e.DurationSeconds, seconds)
	}
	return ""
}

// intervals counts the points of the time series. One more or less is normal, because the last
// interval ends with the window. A throttled client skips some intervals; the totals are not
// affected.
func intervals(r contract.Result, e runner.Expectations) string {
	seconds, timed := value(r, contract.NameTotalTime, nil)
	m, ok := r.Find(contract.NameThroughput, nil)
	if !ok || !timed || e.ReportIntervalSeconds == 0 {
		return ""
	}
	want := math.Floor(seconds / float64(e.ReportIntervalSeconds))
	if got := float64(len(m.Intervals)); math.Abs(got-want) > max(1, want/100) {
		return fmt.Sprintf("the time series has %.0f intervals of %d s, but %.4f s have %.0f", got, e.ReportIntervalSeconds, seconds, want)
	}
	return ""
}

package runreport

import (
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
)

const (
	// Window is how long after the end of a run its report is begun. Only a manager that was away, or that stored no
	// reports, meets a run later.
	Window = time.Hour
	// MaxAttempts at a page.
	MaxAttempts = 5
	// DefaultPause is the time from the first attempt at a page to the next one. Each later pause is growth times as
	// long: the fifth attempt is 42 minutes after the first.
	DefaultPause = 30 * time.Second
	growth       = 4
)

// step is what to do about the report of a run now.
type step string

const (
	// stepIgnore: the run has not ended, or ended too long ago.
	stepIgnore step = "ignore"
	// stepTables stores the ConfigMap.
	stepTables step = "tables"
	// stepWait leaves the page alone until its next attempt.
	stepWait step = "wait"
	// stepPage attempts the page.
	stepPage step = "page"
	// stepGiveUp ends the report without its page: the last attempt left no word.
	stepGiveUp step = "give up"
	// stepDone: nothing is left to do, unless the ConfigMap is gone.
	stepDone step = "done"
)

// decide about the report of a run. The time is how long to wait.
func decide(run *v1alpha1.BenchmarkRun, now time.Time, pause time.Duration) (step, time.Duration) {
	report, end := run.Status.Report, run.Status.CompletionTime
	switch {
	case !run.Finished() || end == nil || !run.DeletionTimestamp.IsZero():
		return stepIgnore, 0
	case report == nil && now.Sub(end.Time) >= Window:
		return stepIgnore, 0
	case report == nil:
		return stepTables, 0
	case !pending(report):
		return stepDone, 0
	}
	if left := next(report, pause, now).Sub(now); left > 0 {
		return stepWait, left
	}
	if report.Attempts >= MaxAttempts {
		return stepGiveUp, 0
	}
	return stepPage, 0
}

// pending says that a page is owed.
func pending(report *v1alpha1.ReportStatus) bool {
	return report.Reason == v1alpha1.ReasonProgressing || report.Reason == v1alpha1.ReasonRetrying
}

// next attempt at the page, not earlier. A last attempt that is yet to come was written by a clock that was ahead: it is
// not waited for.
func next(report *v1alpha1.ReportStatus, pause time.Duration, now time.Time) time.Time {
	if report.LastAttemptTime == nil || report.LastAttemptTime.After(now) {
		return time.Time{}
	}
	for range min(report.Attempts, MaxAttempts) - 1 {
		pause *= growth
	}
	return report.LastAttemptTime.Add(pause)
}

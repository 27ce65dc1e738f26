package runreport

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

func TestDecide(t *testing.T) {
	now := time.Unix(1e9, 0)
	ended := func(ago time.Duration, report *v1alpha1.ReportStatus) *v1alpha1.BenchmarkRun {
		run := &v1alpha1.BenchmarkRun{}
		run.Status.CompletionTime = &metav1.Time{Time: now.Add(-ago)}
		run.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue}}
		run.Status.Report = report
		return run
	}
	tried := func(reason string, attempts int32, ago time.Duration) *v1alpha1.ReportStatus {
		return &v1alpha1.ReportStatus{Reason: reason, Attempts: attempts, LastAttemptTime: &metav1.Time{Time: now.Add(-ago)}}
	}
	deleted := ended(time.Second, nil)
	deleted.DeletionTimestamp = &metav1.Time{Time: now}
	for name, tt := range map[string]struct {
		run  *v1alpha1.BenchmarkRun
		want step
		wait time.Duration
	}{
		"a run that goes on":                          {&v1alpha1.BenchmarkRun{}, stepIgnore, 0},
		"one that has just ended":                     {ended(time.Second, nil), stepTables, 0},
		"one that is deleted":                         {deleted, stepIgnore, 0},
		"one of before an upgrade":                    {ended(Window, nil), stepIgnore, 0},
		"a report that is stored":                     {ended(time.Second, tried(v1alpha1.ReasonSucceeded, 1, time.Hour)), stepDone, 0},
		"one that is too large":                       {ended(time.Second, tried(v1alpha1.ReasonReportTooLarge, 1, time.Hour)), stepDone, 0},
		"one that was given up":                       {ended(time.Second, tried(v1alpha1.ReasonReportNotStored, 5, time.Hour)), stepDone, 0},
		"an attempt that goes on, or died":            {ended(time.Minute, tried(v1alpha1.ReasonProgressing, 1, 10*time.Second)), stepWait, 20 * time.Second},
		"an attempt that died":                        {ended(time.Minute, tried(v1alpha1.ReasonProgressing, 1, 30*time.Second)), stepPage, 0},
		"an attempt that failed, a moment ago":        {ended(time.Minute, tried(v1alpha1.ReasonRetrying, 2, time.Minute)), stepWait, time.Minute},
		"an attempt that failed":                      {ended(time.Minute, tried(v1alpha1.ReasonRetrying, 2, 2*time.Minute)), stepPage, 0},
		"the last attempt goes on":                    {ended(time.Hour, tried(v1alpha1.ReasonProgressing, MaxAttempts, time.Hour)), stepWait, 68 * time.Minute},
		"the last attempt ended with its manager":     {ended(3*time.Hour, tried(v1alpha1.ReasonProgressing, MaxAttempts, 3*time.Hour)), stepGiveUp, 0},
		"more attempts than there are, by anybody":    {ended(3*time.Hour, tried(v1alpha1.ReasonRetrying, 1<<30, 3*time.Hour)), stepGiveUp, 0},
		"no attempt, by anybody":                      {ended(time.Minute, tried(v1alpha1.ReasonRetrying, 0, time.Minute)), stepPage, 0},
		"an attempt of a clock that was ahead":        {ended(time.Minute, tried(v1alpha1.ReasonRetrying, 2, -365*24*time.Hour)), stepPage, 0},
		"a status that another one wrote, for a page": {ended(time.Minute, &v1alpha1.ReportStatus{Reason: v1alpha1.ReasonProgressing}), stepPage, 0},
	} {
		if got, wait := decide(tt.run, now, DefaultPause); got != tt.want || wait != tt.wait {
			t.Errorf("%s: %s after %s, want %s after %s", name, got, wait, tt.want, tt.wait)
		}
	}
}

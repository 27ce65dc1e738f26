package benchmarkschedule

import (
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

const year = 365 * 24 * time.Hour

// A clock that was ahead once by a year takes no run from the schedule when it is right again, and no time has two runs.
func TestAClockThatWasAhead(t *testing.T) {
	t.Parallel()
	s := newStage(t, `schedule: "@hourly", successfulRunsHistoryLimit: 0`)
	s.pass()
	future := int(year / time.Hour)
	s.atHour(future).pass()
	want(t, "runs in the future", s.runs(), []string{s.name(future)})
	s.finish(s.name(future), true, 1)
	s.pass()
	want(t, "runs that are left", s.runs(), []string(nil))
	s.told()

	o := s.at(0).pass()
	want(t, "events", s.told(), []string{"ClockWasAhead"})
	want(t, "condition", condition(o, "OnSchedule"), "Unknown NotReached")
	want(t, "last time", o.Status.LastScheduleTime, (*metav1.Time)(nil))
	after, _ := s.hour(1)
	want(t, "next time", o.Status.NextScheduleTime.Unix(), s.began.Add(after).Unix())
	o = s.atHour(1).pass()
	want(t, "runs", s.runs(), []string{s.name(1)})
	want(t, "condition", condition(o, "OnSchedule"), "True OnSchedule")
	s.finish(s.name(1), true, 1)
	o = s.atHour(2).pass()
	want(t, "last run", o.Status.LastRun.Name, s.name(1))
	var order []string
	for _, run := range s.history().Runs {
		order = append(order, run.Name)
	}
	want(t, "history", order, []string{s.name(future), s.name(1)})

	s.atHour(future).pass()
	if slices.Contains(s.told(), "RunStarted") && slices.Contains(s.runs(), s.name(future)) {
		t.Error("a time has two runs")
	}
}

// Which clock is wrong is told by the API server's: a manager whose clock is behind changes nothing. Where both were ahead, as on
// one node, the next stamp tells.
func TestWhichClockIsWrong(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 10, 30, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		now, accounted, stamped time.Time
		want                    time.Time
		soon                    bool
	}{
		"all is well":                       {now, now.Add(-30 * time.Minute), now.Add(-20 * time.Minute), now.Add(-30 * time.Minute), false},
		"a little ahead":                    {now, now.Add(4 * time.Minute), now, now.Add(4 * time.Minute), false},
		"ahead, and the API server was not": {now, now.Add(year), now.Add(-time.Hour), now, false},
		"behind":                            {now.Add(-year), now, now.Add(time.Minute), now, true},
		"both were ahead":                   {now, now.Add(year), now.Add(year), now.Add(year), true},
	} {
		t.Run(name, func(t *testing.T) {
			s := &v1alpha1.BenchmarkSchedule{Spec: v1alpha1.BenchmarkScheduleSpec{Schedule: "@hourly"}}
			s.ManagedFields = []metav1.ManagedFieldsEntry{{Subresource: "status", Time: &metav1.Time{Time: tt.stamped}}, {Time: &metav1.Time{Time: now}}}
			s.Status.AccountedTime = &metav1.Time{Time: tt.accounted}
			w := World{Schedule: s, Now: tt.now}
			d := decide(w)
			st := settle(w, d, done{}, judgement{})
			want(t, "accounted", st.AccountedTime.UTC(), tt.want)
			want(t, "looks again soon", patience(w, d, done{}) <= time.Minute, tt.soon)
		})
	}
}

package benchmarkschedule

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// slower ends a run that its gate calls slower.
func slower(s *stage, name string) {
	s.t.Helper()
	s.finish(name, true, 70, 70)
	run := s.run(name)
	run.Status.Gate = &v1alpha1.GateStatus{Entries: []v1alpha1.GateEntry{{
		Outcome: v1alpha1.OutcomeSlower, Measurement: v1alpha1.MeasurementKey{Target: "db", Name: "throughput", Unit: "tx/s"}, Text: "slower",
	}}}
	apimeta.SetStatusCondition(&run.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionPassed, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonSlower, Message: "slower"})
	s.must(server.API.Status().Update(s.t.Context(), run))
}

// after the first hour by so many minutes, which is before the second one.
func after(s *stage, minutes time.Duration) {
	first, _ := s.hour(1)
	s.at(first + minutes*time.Minute)
}

// extra runs that exist, by name.
func extra(s *stage) []string {
	return slices.DeleteFunc(s.runs(), func(name string) bool { return !strings.Contains(name, "-again-") })
}

const extraRun = `schedule: "@hourly", alarm: {confirm: %d, confirmBy: ExtraRun}`

// A run that is slower is confirmed by one that starts at once, and the history says what that was for.
func TestConfirmedAtOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t, fmt.Sprintf(extraRun, 1))
	s.atHour(1).pass()
	slower(s, s.name(1))
	o := s.pass()
	again := extra(s)
	want(t, "extra runs", len(again), 1)
	want(t, "regressed", condition(o, "Regressed"), "False Unconfirmed")
	want(t, "confirmation", *o.Status.Confirmation, v1alpha1.Confirmation{
		Of: s.name(1), OfUID: string(s.run(s.name(1)).UID), Run: again[0], Time: s.run(again[0]).CreationTimestamp,
	})
	want(t, "trigger", s.run(again[0]).Annotations[v1alpha1.AnnotationTrigger], "Confirm")
	after(s, 10)
	slower(s, again[0])
	o = s.pass()
	want(t, "regressed", condition(o, "Regressed"), "True Regressed")
	want(t, "since", o.Status.Regressions[0].Since+" "+o.Status.Regressions[0].Last, s.name(1)+" "+again[0])
	want(t, "runs", s.runs(), append([]string{s.name(1)}, again...))
	var triggers []string
	for _, run := range s.history().Runs {
		triggers = append(triggers, run.Trigger)
	}
	want(t, "history", triggers, []string{"Schedule", "Confirm"})
}

// Extra runs are bounded, and start nothing that the schedule would not start.
func TestExtraRunsAreBounded(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		confirm int
		fields  string
		play    func(s *stage)
		// extra runs in the end, and the condition Regressed.
		extra     int
		regressed string
	}{
		"it was chance":  {1, "", func(s *stage) { s.finish(extra(s)[0], true, 100, 100) }, 1, "False Succeeded"},
		"one that fails": {1, "", func(s *stage) { s.finish(extra(s)[0], false, 100) }, 1, "False Unconfirmed"},
		"one that is deleted is not started again": {1, "", func(s *stage) { s.must(server.API.Delete(s.t.Context(), s.run(extra(s)[0]))) }, 0, "False Unconfirmed"},
		"two are asked for": {2, "", func(s *stage) {
			slower(s, extra(s)[0])
			s.pass()
			later := extra(s)
			want(s.t, "extra runs", len(later), 2)
			for _, name := range later {
				if !s.run(name).Finished() {
					after(s, 20)
					slower(s, name)
				}
			}
		}, 2, "True Regressed"},
		"two are asked for, and the first is not decided": {2, "", func(s *stage) { s.finish(extra(s)[0], false, 1) }, 2, "False Unconfirmed"},
		"two are asked for, and neither is decided": {2, "", func(s *stage) {
			s.finish(extra(s)[0], false, 1)
			s.pass()
			for _, name := range extra(s) {
				if !s.run(name).Finished() {
					s.finish(name, false, 1)
				}
			}
		}, 2, "False Unconfirmed"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, fmt.Sprintf(extraRun, tt.confirm)+tt.fields)
			s.atHour(1).pass()
			slower(s, s.name(1))
			s.pass()
			after(s, 10)
			tt.play(s)
			o := s.pass()
			want(t, "extra runs", len(extra(s)), tt.extra)
			want(t, "regressed", condition(o, "Regressed"), tt.regressed)
		})
	}
}

// Another run confirms as well: while one is active or to start, there is no extra one; nor does one start
// while the schedule is suspended, or where nobody asked for it.
func TestNoExtraRun(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fields string
		before func(s *stage)
		runs   int
	}{
		"confirmed by the next run": {`schedule: "@hourly", alarm: {confirm: 1}`, func(*stage) {}, 1},
		"confirmed already":         {fmt.Sprintf(extraRun, 0), func(*stage) {}, 1},
		"suspended":                 {fmt.Sprintf(extraRun, 1), func(s *stage) { s.change(func(o *v1alpha1.BenchmarkSchedule) { o.Spec.Suspend = true }) }, 1},
		"another one is active": {fmt.Sprintf(extraRun, 1) + ", concurrencyPolicy: Allow", func(s *stage) {
			s.change(func(o *v1alpha1.BenchmarkSchedule) { o.Annotations = map[string]string{v1alpha1.AnnotationRunNow: "a"} })
			s.pass()
		}, 2},
		"another one waits": {fmt.Sprintf(extraRun, 1), func(s *stage) {
			s.change(func(o *v1alpha1.BenchmarkSchedule) { o.Annotations = map[string]string{v1alpha1.AnnotationRunNow: "a"} })
		}, 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, tt.fields)
			s.atHour(1).pass()
			tt.before(s)
			slower(s, s.name(1))
			s.pass()
			want(t, "extra runs", len(extra(s)), 0)
			want(t, "runs", len(s.runs()), tt.runs)
		})
	}
}

// The manager dies after each of its writes: a slower run is confirmed by one run all the same.
func TestDeathWhileConfirming(t *testing.T) {
	t.Parallel()
	for dies := range 8 {
		t.Run(fmt.Sprintf("after %d writes", dies), func(t *testing.T) {
			t.Parallel()
			s := newStage(t, fmt.Sprintf(extraRun, 1))
			s.atHour(1).pass()
			slower(s, s.name(1))
			s.api.dies = dies
			survive := func() {
				for range 30 {
					if result, err := s.reconcile(); err == nil && result.RequeueAfter > time.Second {
						return
					} else if err != nil && s.api.dies == 0 {
						s.api.dies = -1
						s.restart()
						s.api.blind = true // the cache of the next manager is empty at first
						after(s, 5)
					}
				}
				t.Fatal("it does not come to rest")
			}
			survive()
			s.api.blind = false
			survive()
			again := extra(s)
			want(t, "extra runs", len(again), 1)
			after(s, 10)
			slower(s, again[0])
			survive()
			s.api.dies, s.api.blind = -1, false
			o := s.pass()
			want(t, "extra runs", extra(s), again)
			want(t, "regressed", condition(o, "Regressed"), "True Regressed")
		})
	}
}

package benchmarkschedule

import (
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// The manager dies after each of its writes, another one takes over, and whatever it saw and wrote,
// each time has one run, each run one entry, and no time is lost. The cache of the new one may not
// know the last runs.
func TestDeathAtEveryWrite(t *testing.T) {
	t.Parallel()
	const writes = 23 // of the whole story
	for dies := range writes + 1 {
		t.Run(fmt.Sprintf("after %d writes", dies), func(t *testing.T) {
			t.Parallel()
			s := newStage(t, `schedule: "@hourly", onChange: true, successfulRunsHistoryLimit: 1`)
			s.api.dies = dies
			survive := func() {
				for range 30 {
					if result, err := s.reconcile(); err == nil && result.RequeueAfter > time.Second {
						return
					} else if err != nil && s.api.dies == 0 {
						s.api.dies = -1
						s.restart()
					}
				}
				t.Fatal("it does not come to rest")
			}
			t.Cleanup(func() {
				if died := s.api.dies < 0; died != (dies < writes) {
					t.Errorf("it died: %v, of %d writes", died, writes)
				}
			})
			survive()
			first := s.runs()
			if len(first) != 1 || !strings.HasPrefix(first[0], "nightly-change-") {
				t.Fatalf("runs %v, want one for the new schedule", first)
			}
			s.finish(first[0], true, 1, 2)
			survive()
			for n := 1; n <= 3; n++ {
				s.atHour(n)
				survive()
				s.finish(s.name(n), true, float64(n), float64(n))
				survive()
			}
			o := s.pass()
			var names []string
			for _, run := range s.history().Runs {
				names = append(names, run.Name)
			}
			want(t, "history", names, []string{first[0], s.name(1), s.name(2), s.name(3)})
			want(t, "runs that are kept", s.runs(), []string{s.name(3)})
			want(t, "missed", o.Status.Missed, (*v1alpha1.MissedTimes)(nil))
		})
	}
}

// A manager that dies after it has started a run, and comes back after the next time, reports nothing as missed: the run is
// there, or in the history. What was missed beside it is reported as before.
func TestAReturnAfterTheNextTime(t *testing.T) {
	t.Parallel()
	for name, ended := range map[string]bool{"the run goes on": false, "the run has ended, and was deleted": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, `schedule: "@hourly", concurrencyPolicy: Allow, successfulRunsHistoryLimit: 0`)
			s.pass()
			s.atHour(1)
			s.api.dies = 1
			if _, err := s.reconcile(); err == nil {
				t.Fatal("the manager did not die")
			}
			s.restart()
			s.api.dies = -1
			kept := []string{s.name(1), s.name(2)}
			if ended {
				s.finish(s.name(1), true, 1)
				s.api.dies = 3 // what the history will be, the history, and the deletion
				if _, err := s.reconcile(); err == nil {
					t.Fatal("the manager did not die")
				}
				s.restart()
				s.api.dies, kept = -1, kept[1:]
			}
			o := s.atHour(2).pass()
			want(t, "runs", s.runs(), kept)
			want(t, "missed", o.Status.Missed, (*v1alpha1.MissedTimes)(nil))
			want(t, "on schedule", condition(o, "OnSchedule"), "True OnSchedule")

			s.atHour(3)
			s.api.dies = 1
			if _, err := s.reconcile(); err == nil {
				t.Fatal("the manager did not die")
			}
			s.restart()
			s.api.dies = -1
			o = s.atHour(5).pass() // 3 has a run, and 4 has none
			want(t, "runs", s.runs(), append(kept, s.name(3), s.name(5)))
			after, _ := s.hour(4)
			want(t, "missed", []any{o.Status.Missed.Count, o.Status.Missed.LastTime.UTC()}, []any{int64(1), s.began.Add(after).UTC()})
			s.atHour(6)
			s.pass()
			s.atHour(8)
			s.api.dies = 1
			_, _ = s.reconcile() // it starts 8, and 7 is missed
			s.restart()
			s.api.dies = -1
			o = s.atHour(9).pass()
			want(t, "missed", []any{o.Status.Missed.Count, o.Status.Missed.LastTime.UTC()}, []any{int64(2), s.began.Add(after + 3*time.Hour).UTC()})
		})
	}
}

// A cache that does not know the run yet starts nothing a second time, and lets nothing overlap.
func TestABlindCache(t *testing.T) {
	t.Parallel()
	s := newStage(t, `schedule: "@hourly"`)
	s.atHour(1).pass()
	s.api.blind = true
	o := s.atHour(2).pass()
	want(t, "runs", s.runs(), []string{s.name(1)})
	want(t, "on schedule", condition(o, "OnSchedule"), "False RunActive")
}

// A status that the API server rejects is an event; what another attempt may mend is none.
func TestARejectedStatus(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		err  error
		told []string
	}{
		"invalid":         {apierrors.NewInvalid(schema.GroupKind{}, "nightly", nil), []string{"StatusRejected"}},
		"no right":        {apierrors.NewForbidden(schema.GroupResource{}, "nightly", nil), []string{"StatusRejected"}},
		"a conflict":      {apierrors.NewConflict(schema.GroupResource{}, "nightly", nil), nil},
		"the API is away": {apierrors.NewServiceUnavailable("away"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, `schedule: "@hourly"`)
			s.api.rejects = tt.err
			if _, err := s.reconcile(); err == nil {
				t.Error("the pass did not fail")
			}
			want(t, "events", s.told(), tt.told)
		})
	}
}

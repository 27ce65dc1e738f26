package benchmarkschedule

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/budget"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/verdict/history"
)

// Records that are not those that the run wrote give the history no values: it says what happened to them, and so does
// the schedule. The next run heals it.
func TestARunThatWasTamperedWith(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(s *stage, records *corev1.ConfigMap)
		reason string
	}{
		"a better value": {reason: v1alpha1.ReasonTampered, change: func(s *stage, cm *corev1.ConfigMap) {
			better := journal.BeginChain("x").Add(contract.Record{
				Target: "db", State: contract.Succeeded, Final: true, Valid: new(true),
				Values: []contract.RecordedValue{{Name: "throughput", Unit: "tx/s", Value: 9999, Direction: contract.HigherIsBetter}},
			})
			var err error
			cm.BinaryData[contract.KeyRecords], err = better.Encode()
			s.must(err)
			s.must(server.API.Update(s.t.Context(), cm))
		}},
		"no records": {reason: v1alpha1.ReasonJournalLost, change: func(s *stage, cm *corev1.ConfigMap) { s.must(server.API.Delete(s.t.Context(), cm)) }},
		"rubbish": {reason: v1alpha1.ReasonTampered, change: func(s *stage, cm *corev1.ConfigMap) {
			cm.BinaryData[contract.KeyRecords] = []byte("rubbish")
			s.must(server.API.Update(s.t.Context(), cm))
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, `schedule: "@hourly"`)
			s.atHour(1).pass()
			s.finish(s.name(1), true, 100)
			cm := &corev1.ConfigMap{}
			s.must(server.API.Get(t.Context(), client.ObjectKey{Namespace: s.namespace, Name: contract.RecordsName(s.name(1), 0)}, cm))
			tt.change(s, cm)
			o := s.pass()
			past := s.history().Runs[0]
			want(t, "the entry", []any{past.Outcome, past.Valid, past.Reason, len(past.Series), len(past.Environment), past.Headline},
				[]any{"Invalid", string(metav1.ConditionFalse), tt.reason, 0, 0, ""})
			if !strings.Contains(past.Message, cm.Name) {
				t.Errorf("the message is %q", past.Message)
			}
			want(t, "the last run", []any{o.Status.LastRun.Outcome, o.Status.LastRun.Reason}, []any{v1alpha1.OutcomeInvalid, tt.reason})
			want(t, "ready", condition(o, "Ready"), "False LastRunFailed")

			s.atHour(2).pass()
			s.finish(s.name(2), true, 101)
			o = s.pass()
			want(t, "the next run", []any{len(s.history().Runs[1].Series), condition(o, "Ready")}, []any{1, "True Succeeded"})
		})
	}
}

// encoded history.
func encoded(t *testing.T, h contract.History) []byte {
	t.Helper()
	data, _, err := history.Encode(h)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// writeHistory over that of the schedule, as anybody may who may write ConfigMaps.
func (s *stage) writeHistory(data []byte) {
	s.t.Helper()
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: s.namespace, Name: s.historyName(), OwnerReferences: []metav1.OwnerReference{ownedBy(s.get())},
	}}
	err := server.API.Get(s.t.Context(), client.ObjectKeyFromObject(cm), cm)
	if cm.BinaryData = map[string][]byte{contract.KeyHistory: data}; apierrors.IsNotFound(err) {
		s.must(server.API.Create(s.t.Context(), cm))
		return
	}
	s.must(err)
	s.must(server.API.Update(s.t.Context(), cm))
}

// A history that the manager did not write is not believed, whatever it says and whoever it belongs to: it hides no run, invents
// no regression and deletes nothing. Without it a new one begins.
func TestAHistoryThatSomebodyWrote(t *testing.T) {
	t.Parallel()
	far := time.Date(9998, 1, 1, 0, 0, 0, 0, time.UTC)
	tests := map[string]struct {
		before bool // before the schedule has a history of its own
		write  func(s *stage)
	}{
		"all runs were dropped, before the first one": {before: true, write: func(s *stage) {
			s.writeHistory(encoded(s.t, contract.History{ScheduleUID: string(s.get().UID), DroppedUntil: &far}))
		}},
		"all runs were dropped": {write: func(s *stage) {
			h := s.history()
			h.DroppedUntil = &far
			s.writeHistory(encoded(s.t, h))
		}},
		"another schedule's": {write: func(s *stage) {
			h := s.history()
			h.ScheduleUID = "x"
			s.writeHistory(encoded(s.t, h))
		}},
		"a better value": {write: func(s *stage) {
			h := s.history()
			h.Runs[0].Series[0].Values[0] = new(9999.0)
			s.writeHistory(encoded(s.t, h))
		}},
		"rubbish": {write: func(s *stage) { s.writeHistory([]byte("rubbish")) }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, `schedule: "@hourly", successfulRunsHistoryLimit: 0, alarm: {}`)
			hour := 1
			if !tt.before {
				s.atHour(hour).pass()
				s.finish(s.name(hour), true, 100)
				s.pass()
				hour++
			}
			tt.write(s)
			s.atHour(hour).pass()
			s.finish(s.name(hour), true, 101)
			o := s.pass()
			want(t, "runs", s.runs(), []string{s.name(hour)})
			want(t, "conditions", []string{condition(o, "Ready"), condition(o, "Regressed")}, []string{"False Tampered", "Unknown Tampered"})

			s.must(server.API.Delete(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: s.historyName()}}))
			o = s.pass()
			want(t, "a new history", []any{len(s.history().Runs), s.runs(), condition(o, "Ready")}, []any{1, []string(nil), "True Succeeded"})
		})
	}
}

// An earlier state of the history hides what came after it.
func TestAHistoryThatSomebodyTookBack(t *testing.T) {
	t.Parallel()
	s := newStage(t, `schedule: "@hourly", successfulRunsHistoryLimit: 0`)
	var first []byte
	for n := range 2 {
		s.atHour(n + 1).pass()
		s.finish(s.name(n+1), true, 100)
		s.pass()
		if n == 0 {
			cm := &corev1.ConfigMap{}
			s.must(server.API.Get(t.Context(), client.ObjectKey{Namespace: s.namespace, Name: s.historyName()}, cm))
			first = cm.BinaryData[contract.KeyHistory]
		}
	}
	s.writeHistory(first)
	want(t, "ready", condition(s.pass(), "Ready"), "False Tampered")
}

// A history that somebody deleted is counted as lost, and a new one begins.
func TestAHistoryThatSomebodyDeleted(t *testing.T) {
	t.Parallel()
	s := newStage(t, `schedule: "@hourly", successfulRunsHistoryLimit: 0, alarm: {}`)
	for n := range 2 {
		s.atHour(n + 1).pass()
		s.finish(s.name(n+1), true, 100)
		s.pass()
	}
	s.told()
	s.must(server.API.Delete(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: s.historyName()}}))
	o := s.pass()
	want(t, "lost", []any{o.Status.History.LostRunCount, o.Status.History.RunCount, condition(o, "Regressed"), s.told()},
		[]any{int32(2), int32(0), "Unknown NotReached", []string{"HistoryLost"}})
	s.atHour(3).pass()
	s.finish(s.name(3), true, 100)
	o = s.pass()
	want(t, "a new one", []any{o.Status.History.LostRunCount, o.Status.History.RunCount}, []any{int32(2), int32(1)})
}

// Two managers that overlap write one history after the other: what the first of them was about to write is believed when it
// comes late.
func TestAHistoryOfTwoManagers(t *testing.T) {
	t.Parallel()
	s := newStage(t, `schedule: "@hourly"`)
	s.atHour(1).pass()
	s.finish(s.name(1), true, 100)
	s.api.dies = 1 // it has only said what it is about to write
	if _, err := s.reconcile(); err == nil {
		t.Fatal("the manager did not die")
	}
	foretold := s.get().Status.History.NextSHA256
	want(t, "foretold", len(foretold), 1)
	h := contract.History{ScheduleUID: string(s.get().UID)}
	past, err := s.r.past(t.Context(), s.namespace, describe(s.run(s.name(1))))
	s.must(err)
	s.restart()
	s.api.dies = -1
	s.writeHistory(encoded(t, history.Add(h, past[0])))
	o := s.pass()
	want(t, "afterwards", []any{condition(o, "Ready"), o.Status.History.SHA256, len(o.Status.History.NextSHA256)}, []any{"True Succeeded", foretold[0], 0})
}

// A run that somebody made to look like one of the schedule is none: it is not in the history, and no limit deletes it.
func TestARunThatSomebodyMade(t *testing.T) {
	t.Parallel()
	s := newStage(t, `schedule: "@hourly", successfulRunsHistoryLimit: 0`)
	forged := newRun(s.get(), start{name: "fast", trigger: v1alpha1.TriggerSchedule, time: s.began})
	s.must(server.API.Create(t.Context(), forged))
	s.finish("fast", true, 9999)
	s.atHour(1).pass()
	s.finish(s.name(1), true, 100)
	o := s.pass()
	want(t, "runs", s.runs(), []string{"fast"})
	want(t, "history", []any{len(s.history().Runs), s.history().Runs[0].Name, o.Status.LastRun.Name}, []any{1, s.name(1), s.name(1)})
}

// A history that somebody made immutable is made anew, and goes on.
func TestAHistoryThatSomebodyFroze(t *testing.T) {
	t.Parallel()
	s := newStage(t, `schedule: "@hourly", successfulRunsHistoryLimit: 0`)
	for n := range 2 {
		s.atHour(n + 1).pass()
		s.finish(s.name(n+1), true, 100)
		o := s.pass()
		want(t, "history", []any{len(s.history().Runs), condition(o, "Ready")}, []any{n + 1, "True Succeeded"})
		cm := &corev1.ConfigMap{}
		s.must(server.API.Get(t.Context(), client.ObjectKey{Namespace: s.namespace, Name: s.historyName()}, cm))
		cm.Immutable = new(true)
		s.must(server.API.Update(t.Context(), cm))
	}
}

// A history that the API server does not take stops no run, deletes none, and is told.
func TestAHistoryThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	s := newStage(t, `schedule: "@hourly", successfulRunsHistoryLimit: 0`)
	s.atHour(1).pass()
	s.finish(s.name(1), true, 100)
	s.api.refuses = contract.KeyHistory
	_, err := s.reconcile()
	s.must(err)
	o := s.get()
	want(t, "while it is refused", []any{s.runs(), condition(o, "Ready")}, []any{[]string{s.name(1)}, "False HistoryUnreadable"})
	s.api.refuses = ""
	o = s.pass()
	want(t, "afterwards", []any{s.runs(), len(s.history().Runs), condition(o, "Ready")}, []any{[]string(nil), 1, "True Succeeded"})
}

// A run that somebody deletes before it has ended is counted and told.
func TestARunThatSomebodyDeleted(t *testing.T) {
	t.Parallel()
	s := newStage(t, `schedule: "@hourly"`)
	s.atHour(1).pass()
	s.told()
	s.must(server.API.Delete(t.Context(), s.run(s.name(1))))
	o := s.pass()
	want(t, "told", []any{s.told(), o.Status.History.DeletedRunCount, len(o.Status.Active)}, []any{[]string{"RunDeleted"}, int32(1), 0})
	s.atHour(2).pass()
	s.finish(s.name(2), true, 100)
	o = s.pass()
	want(t, "afterwards", []any{o.Status.History.RunCount, o.Status.History.DeletedRunCount}, []any{int32(1), int32(1)})
}

// A schedule that is changed while a pass waits for its turn to read the history is read again: nothing starts that was suspended meanwhile.
func TestAScheduleThatIsChangedWhileAPassWaits(t *testing.T) {
	t.Parallel()
	s := newStage(t, `schedule: "@hourly"`)
	s.atHour(1).pass()
	s.finish(s.name(1), true, 100)
	s.pass()
	s.atHour(2)
	s.api.lists.Store(0)
	leave, err := s.r.glancing.enter(nil, "another")
	s.must(err)
	ended := make(chan error)
	go func() {
		_, err := s.reconcile()
		ended <- err
	}()
	for s.api.lists.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	s.change(func(o *v1alpha1.BenchmarkSchedule) { o.Spec.Suspend = true })
	leave()
	s.must(<-ended)
	want(t, "runs", s.runs(), []string{s.name(1)})
}

// A schedule with a small history starts its run while the history of another one is read, which may be large.
func TestASmallHistoryWaitsForNoOther(t *testing.T) {
	t.Parallel()
	s := newStage(t, `schedule: "@hourly"`)
	s.atHour(1).pass()
	s.finish(s.name(1), true, 100)
	o := s.pass()
	cm := &corev1.ConfigMap{}
	s.must(server.API.Get(t.Context(), client.ObjectKey{Namespace: s.namespace, Name: s.historyName()}, cm))
	want(t, "size", o.Status.History.SizeBytes, budget.OfConfigMap(cm))
	leave, err := s.r.reading.enter(nil, "another")
	s.must(err)
	s.atHour(2).pass()
	leave()
	want(t, "runs", s.runs(), []string{s.name(1), s.name(2)})
}

func TestIsSmall(t *testing.T) {
	at := func(hour int) time.Time { return time.Unix(int64(hour)*3600, 0) }
	for name, tt := range map[string]struct {
		size  int64
		last  bool
		ended []int
		want  bool
	}{
		"a small one":                     {size: smallHistory, last: true, ended: []int{1, 2}, want: true},
		"a larger one":                    {size: smallHistory + 1, last: true},
		"of a size that nobody wrote":     {last: true},
		"a run that is not in it":         {size: 100, last: true, ended: []int{1, 3}},
		"none of whose runs is known yet": {size: 100, ended: []int{1}},
	} {
		w := World{Schedule: &v1alpha1.BenchmarkSchedule{}}
		w.Schedule.Status.History = &v1alpha1.HistoryStatus{SizeBytes: tt.size}
		if tt.last {
			w.Schedule.Status.LastRun = &v1alpha1.EndedRun{CompletionTime: metav1.Time{Time: at(2)}}
		}
		for _, hour := range tt.ended {
			w.Runs = append(w.Runs, Run{Ended: true, Completed: at(hour)})
		}
		if got := isSmall(w); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if isSmall(World{Schedule: &v1alpha1.BenchmarkSchedule{}}) {
		t.Error("a schedule without a history has a small one")
	}
}

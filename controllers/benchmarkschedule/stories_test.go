package benchmarkschedule

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/config"
)

// hour of the schedule after the creation, and the name of its run.
func (s *stage) hour(n int) (time.Duration, string) {
	t := s.began.UTC().Truncate(time.Hour).Add(time.Duration(n) * time.Hour)
	return t.Sub(s.began), "nightly-" + t.Format("20060102-1504")
}

// name of the run of an hour.
func (s *stage) name(n int) string {
	_, name := s.hour(n)
	return name
}

func (s *stage) atHour(n int) *stage {
	after, _ := s.hour(n)
	return s.at(after)
}

func want(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// A schedule starts a run at its time, and writes nothing before and after. The history has what the
// run measured, and the status its outcome.
func TestARunAtItsTime(t *testing.T) {
	t.Parallel()
	s := newStage(t, `schedule: "@hourly"`)
	o := s.pass()
	want(t, "runs before the time", s.runs(), []string(nil))
	want(t, "conditions", []string{condition(o, "Ready"), condition(o, "Stalled"), condition(o, "Reconciling"), condition(o, "OnSchedule")},
		[]string{"True Succeeded", "False Succeeded", "False Succeeded", "Unknown NotReached"})
	after, _ := s.hour(1)
	want(t, "next", o.Status.NextScheduleTime.UTC(), s.began.Add(after).UTC())

	o = s.atHour(1).pass()
	want(t, "runs", s.runs(), []string{s.name(1)})
	run := s.run(s.name(1))
	if !metav1.IsControlledBy(run, o) || run.Labels[v1alpha1.LabelSchedule] != "nightly" || run.Annotations[v1alpha1.AnnotationTrigger] != "Schedule" {
		t.Errorf("the run is %+v", run.ObjectMeta)
	}
	want(t, "last", o.Status.LastScheduleTime.UTC(), s.began.Add(after).UTC())
	want(t, "active", []string{o.Status.Active[0].Name}, s.runs())
	want(t, "on schedule", condition(o, "OnSchedule"), "True OnSchedule")

	s.at(after+10*time.Minute).finish(run.Name, true, 100, 110)
	o = s.pass()
	want(t, "active", o.Status.Active, []v1alpha1.ActiveRun(nil))
	want(t, "outcome", o.Status.LastRun.Outcome, "Measured")
	want(t, "headline", o.Status.LastRun.Headline, "db [100 110]")
	h := s.history()
	if len(h.Runs) != 1 || len(h.Runs[0].Series) != 1 || *h.Runs[0].Series[0].Values[1] != 110 {
		t.Errorf("the history is %+v", h)
	}
	want(t, "events", s.told(), []string{"RunStarted", "RunSucceeded"})
}

func TestConcurrency(t *testing.T) {
	t.Parallel()
	t.Run("Forbid waits, and starts the last time late", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, `schedule: "@hourly"`)
		s.atHour(1).pass()
		o := s.atHour(2).pass()
		want(t, "while it is active", []string{condition(o, "OnSchedule"), fmt.Sprint(s.runs())}, []string{"False RunActive", fmt.Sprint([]string{s.name(1)})})
		o = s.atHour(3).pass()
		want(t, "another time has come", o.Status.Missed.Count, int64(1))
		s.finish(s.name(1), true, 1)
		o = s.pass()
		want(t, "afterwards", s.runs(), []string{s.name(1), s.name(3)})
		want(t, "on schedule", condition(o, "OnSchedule"), "True OnSchedule")
		want(t, "events", s.told(), []string{"RunActive", "RunStarted", "RunStarted", "RunSucceeded", "ScheduleMissed"})
	})
	t.Run("Allow", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, `schedule: "@hourly", concurrencyPolicy: Allow`)
		s.atHour(1).pass()
		o := s.atHour(2).pass()
		want(t, "runs", s.runs(), []string{s.name(1), s.name(2)})
		want(t, "active", len(o.Status.Active), 2)
	})
	t.Run("Replace, and the new run is refused", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, `schedule: "@hourly", concurrencyPolicy: Replace`)
		s.atHour(1).pass()
		for what, refuse := range map[string]func() (mend func()){
			"its name is taken": func() func() {
				squatter := newRun(s.get(), start{name: s.name(2)})
				squatter.OwnerReferences = nil
				s.must(server.API.Create(t.Context(), squatter))
				return func() { s.must(server.API.Delete(t.Context(), squatter)) }
			},
			"its labels are bad": func() func() {
				s.change(func(o *v1alpha1.BenchmarkSchedule) {
					o.Spec.RunTemplate.Metadata.Labels = map[string]string{"a b": "c"}
				})
				return func() {
					s.change(func(o *v1alpha1.BenchmarkSchedule) { o.Spec.RunTemplate.Metadata.Labels = nil })
				}
			},
		} {
			mend := refuse()
			o := s.atHour(2).pass()
			if !slices.Contains(s.runs(), s.name(1)) || s.run(s.name(1)).DeletionTimestamp != nil || condition(o, "Stalled")[:4] != "True" {
				t.Errorf("%s: runs %v, %s", what, s.runs(), condition(o, "Stalled"))
			}
			mend()
		}
		s.pass()
		want(t, "mended", s.runs(), []string{s.name(2)})
	})
	t.Run("Replace, by a manager that dies between both", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, `schedule: "@hourly", concurrencyPolicy: Replace`)
		s.atHour(1).pass()
		s.atHour(2).api.dies = 1
		if _, err := s.reconcile(); err == nil {
			t.Fatal("the manager did not die")
		}
		want(t, "runs", s.runs(), []string{s.name(1), s.name(2)})
		s.restart()
		s.api.dies = -1
		s.pass()
		want(t, "runs", s.runs(), []string{s.name(2)})
	})
	t.Run("Replace", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, `schedule: "@hourly", concurrencyPolicy: Replace`)
		s.atHour(1).pass()
		o := s.atHour(2).pass()
		want(t, "runs", s.runs(), []string{s.name(2)})
		want(t, "active", o.Status.Active[0].Name, s.name(2))
		if !slices.Contains(s.told(), "RunReplaced") {
			t.Error("nobody was told")
		}
	})
}

// A manager that was not there for long starts the last time, and reports the others.
func TestMissedTimes(t *testing.T) {
	t.Parallel()
	s := newStage(t, `schedule: "@hourly", startingDeadlineSeconds: 600`)
	s.pass()
	after, _ := s.hour(5)
	o := s.at(after + 5*time.Minute).pass()
	want(t, "runs", s.runs(), []string{s.name(5)})
	want(t, "missed", []any{o.Status.Missed.Count, condition(o, "OnSchedule")}, []any{int64(4), "False ScheduleMissed"})
	s.finish(s.name(5), true, 1)
	after, _ = s.hour(6)
	o = s.at(after + 11*time.Minute).pass()
	want(t, "runs after the deadline", s.runs(), []string{s.name(5)})
	want(t, "missed", []any{o.Status.Missed.Count, condition(o, "OnSchedule")}, []any{int64(5), "False ScheduleMissed"})
	o = s.atHour(7).pass()
	want(t, "in time again", condition(o, "OnSchedule"), "True OnSchedule")
	want(t, "events", s.told(), []string{"RunStarted", "RunStarted", "RunSucceeded", "ScheduleMissed", "ScheduleMissed"})
}

// Times that pass while the schedule is suspended do not count, and neither do those before a change
// of the schedule.
func TestSuspendedAndChanged(t *testing.T) {
	t.Parallel()
	s := newStage(t, `schedule: "@hourly", suspend: true`)
	o := s.atHour(3).pass()
	want(t, "suspended", []string{condition(o, "Suspended"), fmt.Sprint(o.Status.NextScheduleTime)}, []string{"True Suspended", "<nil>"})
	s.change(func(o *v1alpha1.BenchmarkSchedule) { o.ManagedFields = nil; o.Spec.Suspend = false })
	s.began = s.began.Add(-4 * time.Hour) // it was created long ago, and resumed just now
	s.at(4 * time.Hour)
	s.pass()
	want(t, "runs of the past", s.runs(), []string(nil))
	s.change(func(o *v1alpha1.BenchmarkSchedule) { o.Spec.Schedule = "* * * * *" })
	o = s.pass()
	want(t, "runs before the change", []any{s.runs(), o.Status.Missed}, []any{[]string(nil), (*v1alpha1.MissedTimes)(nil)})
	s.at(4*time.Hour + time.Minute).pass()
	want(t, "runs", len(s.runs()), 1)
}

// A changed template, or what it names, starts a run; and what does not change what is measured
// starts none.
func TestChanges(t *testing.T) {
	t.Parallel()
	s := newStage(t, `onChange: true, successfulRunsHistoryLimit: 100`)
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "cnf"}, Data: map[string]string{"a": "1"}}
	s.must(server.API.Create(t.Context(), settings))
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "login"}, StringData: map[string]string{"password": "1"}}
	s.must(server.API.Create(t.Context(), secret))
	first := s.get().Spec.RunTemplate.Spec
	steps := []struct {
		what   string
		change func()
		starts bool
	}{
		{"a new schedule", func() {}, true},
		{"nothing", func() {}, false},
		{"the template", func() {
			s.change(func(o *v1alpha1.BenchmarkSchedule) {
				o.Spec.RunTemplate.Spec.Targets[0].MySQL.ConfigFrom = []corev1.LocalObjectReference{{Name: "cnf"}}
			})
		}, true},
		{"the priority", func() {
			s.change(func(o *v1alpha1.BenchmarkSchedule) { o.Spec.RunTemplate.Spec.Priority = 7 })
		}, false},
		{"the content of a ConfigMap", func() { settings.Data["a"] = "2"; s.must(server.API.Update(t.Context(), settings)) }, true},
		{"its labels", func() {
			settings.Labels = map[string]string{"a": "b"}
			s.must(server.API.Update(t.Context(), settings))
		}, false},
		{"the content of before", func() { settings.Data["a"] = "1"; s.must(server.API.Update(t.Context(), settings)) }, true},
		{"a shape", func() { s.shape("2") }, true},
		{"a ConfigMap that is gone", func() { s.must(server.API.Delete(t.Context(), settings)) }, false},
		{"the same one again", func() { settings.ResourceVersion = ""; s.must(server.API.Create(t.Context(), settings)) }, false},
		{"a target with a Secret", func() {
			s.change(func(o *v1alpha1.BenchmarkSchedule) {
				o.Spec.RunTemplate.Spec.Targets = []v1alpha1.Target{{Name: "x", External: &v1alpha1.ExternalTarget{
					Host: "h", Port: 3306, Database: "d", Credentials: corev1.LocalObjectReference{Name: "login"}}}}
			})
		}, true},
		{"the Secret", func() {
			secret.StringData = map[string]string{"password": "2"}
			s.must(server.API.Update(t.Context(), secret))
		}, true},
		{"the target of before", func() {
			s.change(func(o *v1alpha1.BenchmarkSchedule) { o.Spec.RunTemplate.Spec = *first.DeepCopy() })
		}, true},
		{"the image of the tool", func() {
			s.r.Config.Runners["sysbench"] = config.Image{Image: "sysbench:2"}
		}, true},
		{"the version of the catalogue", func() {
			s.r.Config.Engines["MariaDB"]["10.11"] = config.Image{Image: "mariadb:10.11.2"}
		}, true},
		{"a suspended schedule", func() {
			s.change(func(o *v1alpha1.BenchmarkSchedule) { o.Spec.Suspend = true; o.Spec.RunTemplate.Spec.Design.Blocks = 3 })
		}, false},
		{"it is resumed", func() { s.change(func(o *v1alpha1.BenchmarkSchedule) { o.Spec.Suspend = false }) }, true},
	}
	var known []string
	for i, step := range steps {
		s.at(time.Duration(i) * time.Minute)
		step.change()
		o := s.pass()
		runs := s.runs()
		started := slices.DeleteFunc(slices.Clone(runs), func(n string) bool { return slices.Contains(known, n) })
		if (len(started) == 1) != step.starts || len(started) > 1 {
			t.Fatalf("%s: %v started, want one: %v; conditions %+v", step.what, started, step.starts, o.Status.Conditions)
		}
		if known = runs; step.starts {
			want(t, step.what, condition(o, "Reconciling"), "True Progressing")
			if text := fmt.Sprintf("%+v", o.Status); strings.Contains(text, "password") {
				t.Errorf("the status has what a Secret holds: %s", text)
			}
			s.finish(started[0], true, 1)
			want(t, step.what+", measured", condition(s.pass(), "Reconciling"), "False Succeeded")
		}
	}
}

// What the template names and does not exist is waited for.
func TestMissingReference(t *testing.T) {
	t.Parallel()
	s := newStage(t, `onChange: true`)
	s.change(func(o *v1alpha1.BenchmarkSchedule) {
		o.Spec.RunTemplate.Spec.Targets[0].MySQL.ConfigFrom = []corev1.LocalObjectReference{{Name: "later"}}
	})
	o := s.pass()
	want(t, "ready", condition(o, "Ready"), "False ConfigMapNotFound")
	want(t, "runs", s.runs(), []string(nil))
	s.must(server.API.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "later"}}))
	s.pass()
	want(t, "runs", len(s.runs()), 1)
}

// The annotation starts one run for each value, also while the schedule is suspended.
func TestRunNow(t *testing.T) {
	t.Parallel()
	s := newStage(t, `suspend: true`)
	for i, value := range []string{"a", "a", strings.Repeat("b", 5000)} {
		s.change(func(o *v1alpha1.BenchmarkSchedule) {
			o.Annotations = map[string]string{v1alpha1.AnnotationRunNow: value}
		})
		s.pass()
		runs := s.runs()
		want(t, "runs of "+value[:1], len(runs), max(i, 1))
		for _, name := range runs {
			if run := s.run(name); !run.Finished() {
				s.finish(name, true, 1)
			}
		}
		s.pass()
	}
}

// Runs beyond the limits are deleted when the history has them, and not before. A failed run makes the
// schedule unhealthy, and the next one that succeeds heals it.
func TestHistoryLimits(t *testing.T) {
	t.Parallel()
	s := newStage(t, `schedule: "@hourly", successfulRunsHistoryLimit: 1, failedRunsHistoryLimit: 1`)
	for n, ok := range []bool{true, false, true, false} {
		s.atHour(n + 1).pass()
		s.finish(s.name(n+1), ok, float64(n))
		o := s.pass()
		want(t, "ready", condition(o, "Ready"), map[bool]string{true: "True Succeeded", false: "False LastRunFailed"}[ok])
		want(t, "stalled", condition(o, "Stalled"), map[bool]string{true: "False Succeeded", false: "True LastRunFailed"}[ok])
	}
	want(t, "runs", s.runs(), []string{s.name(3), s.name(4)})
	want(t, "history", len(s.history().Runs), 4)
	o := s.get()
	want(t, "last success", o.Status.LastSuccessfulTime.UTC(), s.history().Runs[2].CompletionTime)

	// A history that cannot be read keeps the runs.
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: o.Status.History.ConfigMap}}
	s.must(server.API.Get(t.Context(), client.ObjectKeyFromObject(cm), cm))
	cm.BinaryData["history.json.gz"] = []byte("rubbish")
	s.must(server.API.Update(t.Context(), cm))
	s.atHour(5).pass()
	s.finish(s.name(5), true, 1)
	o = s.pass()
	want(t, "ready", condition(o, "Ready"), "False Tampered")
	want(t, "runs", s.runs(), []string{s.name(3), s.name(4), s.name(5)})
	s.must(server.API.Delete(t.Context(), cm))
	s.pass()
	want(t, "the new history", len(s.history().Runs), 3)
	want(t, "runs", s.runs(), []string{s.name(4), s.name(5)})
}

// What cannot be started is reported, and tried again.
func TestRefusedRuns(t *testing.T) {
	t.Parallel()
	t.Run("a run of the name exists", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, `schedule: "@hourly"`)
		foreign := newRun(s.get(), start{name: s.name(1)})
		foreign.OwnerReferences = nil
		s.must(server.API.Create(t.Context(), foreign))
		o := s.atHour(1).pass()
		want(t, "conditions", []string{condition(o, "Stalled"), condition(o, "OnSchedule")}, []string{"True ChildConflict", "False ChildConflict"})
		s.must(server.API.Delete(t.Context(), foreign))
		o = s.pass()
		want(t, "conditions", []string{condition(o, "Ready"), condition(o, "OnSchedule")}, []string{"True Succeeded", "True OnSchedule"})
	})
	t.Run("the API server refuses it", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, `schedule: "@hourly", startingDeadlineSeconds: 60`)
		s.change(func(o *v1alpha1.BenchmarkSchedule) {
			o.Spec.RunTemplate.Metadata.Labels = map[string]string{"a b": "c"}
		})
		o := s.atHour(1).pass()
		want(t, "conditions", []string{condition(o, "Stalled"), condition(o, "OnSchedule")}, []string{"True RunRejected", "False RunRejected"})
		after, _ := s.hour(1)
		o = s.at(after + 2*time.Minute).pass()
		want(t, "after the deadline", condition(o, "OnSchedule"), "False ScheduleMissed")
		if c := apimeta.FindStatusCondition(o.Status.Conditions, "OnSchedule"); !strings.Contains(c.Message, "rejected") {
			t.Errorf("why: %s", c.Message)
		}
	})
	t.Run("the schedule cannot be read", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, `schedule: "whenever", timeZone: Mars/Olympus`)
		o := s.pass()
		want(t, "conditions", []string{condition(o, "Stalled"), condition(o, "OnSchedule")}, []string{"True InvalidSpec", "Unknown InvalidSpec"})
		s.change(func(o *v1alpha1.BenchmarkSchedule) { o.Spec.Schedule, o.Spec.TimeZone = "@hourly", "Europe/Berlin" })
		want(t, "mended", condition(s.pass(), "Ready"), "True Succeeded")
	})
}

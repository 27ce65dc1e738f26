package holds

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/config"
)

var now = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func duration(d time.Duration) metav1.Duration { return metav1.Duration{Duration: d} }

func TestUntil(t *testing.T) {
	hour := config.Hold{Suspended: duration(time.Hour)}
	tests := map[string]struct {
		hold   config.Hold
		labels map[string]string
		before time.Duration
		want   time.Duration
	}{
		"the first time":                     {hold: hour, want: time.Hour},
		"what was suspended before counts":   {hold: hour, before: 50 * time.Minute, want: 10 * time.Minute},
		"nothing is left":                    {hold: hour, before: 2 * time.Hour},
		"an operator that allows no holding": {},
		"a run of a queue of Kueue":          {hold: hour, labels: map[string]string{v1alpha1.LabelQueueName: "team-a"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			run := &v1alpha1.BenchmarkRun{}
			if tt.before > 0 {
				run.Status.SuspendedDuration = new(duration(tt.before))
			}
			run.Labels = tt.labels
			if got := Until(run, tt.hold, now).Sub(now); got != tt.want {
				t.Errorf("held for %s, want %s", got, tt.want)
			}
		})
	}
}

// What was announced holds, also when the configuration has changed since.
func TestRetained(t *testing.T) {
	day := config.Hold{Retained: duration(24 * time.Hour)}
	run := &v1alpha1.BenchmarkRun{}
	run.Status.CompletionTime = &metav1.Time{Time: now}
	if got := Retained(run, day); !got.Equal(now.Add(24 * time.Hour)) {
		t.Errorf("a run that was not to be retained when it ended: %s", got)
	}
	run.Status.Placement = &v1alpha1.Placement{HeldUntil: &metav1.Time{Time: now.Add(time.Hour)}}
	if got := Retained(run, day); !got.Equal(now.Add(time.Hour)) {
		t.Errorf("a run that announced an hour: %s", got)
	}
}

func TestRelease(t *testing.T) {
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "run", UID: "u"}}
	run.Status.Placement = &v1alpha1.Placement{ReleaseTime: &metav1.Time{Time: now}}
	owned := func(name string, deleted bool) metav1.ObjectMeta {
		m := metav1.ObjectMeta{Name: name, OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(run, v1alpha1.GroupVersion.WithKind("BenchmarkRun"))}}
		if deleted {
			m.DeletionTimestamp = &metav1.Time{Time: now}
		}
		return m
	}
	set := func(deleted bool) []appsv1.StatefulSet {
		return []appsv1.StatefulSet{{ObjectMeta: owned("run-db", deleted)}}
	}
	job := []batchv1.Job{{ObjectMeta: owned("run-trial-00000", false)}}
	tests := map[string]struct {
		sets []appsv1.StatefulSet
		jobs []batchv1.Job
		pods int
		at   time.Duration
		want string
	}{
		"all that has pods is deleted":              {set(false), job, 2, time.Minute, "wait [run-trial-00000 run-db]"},
		"what is being deleted is not again":        {set(true), nil, 1, time.Minute, "wait []"},
		"a pod is left":                             {nil, nil, 1, time.Minute, "wait []"},
		"nothing is left, but the cache may be old": {nil, nil, 0, time.Second, "wait []"},
		"nothing is left":                           {nil, nil, 0, 10 * time.Second, "done []"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			children := decision.NewChildren(run, tt.sets, tt.jobs, make([]corev1.Pod, tt.pods))
			state, actions := Release(run, children, now.Add(tt.at))
			var deleted []string
			for _, a := range actions {
				deleted = append(deleted, a.(decision.Delete).Object.GetName())
			}
			got := fmt.Sprint("wait ", deleted)
			if _, is := state.(decision.Done); is {
				got = fmt.Sprint("done ", deleted)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What is measured after a suspension is said by what became of the data: a run that loads it does so again.
func TestFinding(t *testing.T) {
	loads := []v1alpha1.Target{{Name: "db", MySQL: &v1alpha1.MySQLTarget{}}, {Name: "quoted", Published: &v1alpha1.PublishedTarget{}}}
	kept := []v1alpha1.Target{
		{Name: "db", MySQL: &v1alpha1.MySQLTarget{Storage: v1alpha1.Storage{FromRun: &v1alpha1.RetainedVolume{Name: "first"}}}},
		{Name: "cloud", External: &v1alpha1.ExternalTarget{Data: v1alpha1.DataExisting}},
	}
	copied := []v1alpha1.Target{{Name: "db", MySQL: &v1alpha1.MySQLTarget{Storage: v1alpha1.Storage{FromSnapshot: &v1alpha1.SourceSnapshot{Name: "tables"}}}}}
	tests := map[string]struct {
		targets  []v1alpha1.Target
		done     int32
		severity string
		says     string
	}{
		"nothing was measured": {loads, 0, v1alpha1.SeverityNote, "before anything was measured"},
		"data is loaded again": {loads, 2, v1alpha1.SeverityWarning, "after 2 of 9 trials: the later ones are measured on data that was loaded again, perhaps on other nodes (the records name them)"},
		"its volume is a copy": {copied, 2, v1alpha1.SeverityWarning, "the later ones are measured on volumes that were made of their VolumeSnapshots anew, without what the trials before had written, perhaps on other nodes (the records name them)"},
		"one of them is":       {slices.Concat(loads, copied), 2, v1alpha1.SeverityWarning, "on data that was loaded again, and on volumes that were made of their VolumeSnapshots anew, without what the trials before had written, perhaps on other nodes (the records name them)"},
		"data was there":       {kept, 2, v1alpha1.SeverityWarning, "after 2 of 9 trials: the later ones are measured after the pods of the run were started again, perhaps on other nodes (the records name them)"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			run := &v1alpha1.BenchmarkRun{}
			run.Spec.Targets = tt.targets
			run.Status.Progress.Done, run.Status.Progress.Planned = tt.done, 9
			if f := Finding(run); f.Severity != tt.severity || !strings.HasSuffix(f.Message, tt.says) {
				t.Errorf("%s: %s", f.Severity, f.Message)
			}
		})
	}
}

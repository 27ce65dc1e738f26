package e2e

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/verdict/history"
	"github.com/assay-bench/assay/test/helpers/cluster"
	"github.com/assay-bench/assay/test/helpers/pages"
)

// A schedule starts a run on demand, the run is measured to its end, and the history has its values. The commands of the
// guide work as they are written.
func TestSchedule(t *testing.T) {
	t.Parallel()
	ns := cluster.Namespace(t)
	var run map[string]any
	if err := yaml.Unmarshal([]byte(cluster.Beside(cluster.RunYAML("x", "", "  design: {blocks: 2, warmup: 0s, duration: 2s}\n"))), &run); err != nil {
		t.Fatal(err)
	}
	o := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "assay.dev/v1alpha1", "kind": "BenchmarkSchedule",
		"spec": map[string]any{"schedule": "@yearly", "timeZone": "Europe/Berlin", "runTemplate": map[string]any{"spec": run["spec"]}},
	}}
	o.SetNamespace(ns)
	o.SetName("story")
	o.SetAnnotations(map[string]string{v1alpha1.AnnotationRunNow: "1"})
	if err := cluster.API.Create(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	s := awaitSchedule(t, o, time.Minute, "started a run", func(s v1alpha1.BenchmarkScheduleStatus) bool { return s.RunNow == "1" && len(s.Active) == 1 })
	started := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: s.Active[0].Name}}
	if !strings.HasPrefix(started.Name, "story-now-") {
		t.Errorf("the run is called %s", started.Name)
	}
	ended := cluster.AwaitRun(t, started, 5*time.Minute)
	cluster.Complete(t, ended)
	s = awaitSchedule(t, o, time.Minute, "seen the end of its run", func(s v1alpha1.BenchmarkScheduleStatus) bool { return s.LastRun != nil })
	if s.LastRun.Outcome != ended.Status.Outcome || s.NextScheduleTime == nil || len(s.Active) > 0 {
		t.Errorf("the schedule says %+v", s)
	}
	shell := newShell(t, ns)
	for _, path := range []string{"docs/guide/schedule.md", "docs/runbooks/AssayScheduleMissed.md", "docs/runbooks/AssayScheduleRegressed.md"} {
		page := pages.Open(t, "../..", path, shell.Shell).Replace("nightly", "story").Replace("NAMESPACE", ns).Replace("SCHEDULE", "story")
		for page.Left() > 0 {
			page.Next()
		}
	}
	cm := &corev1.ConfigMap{}
	if err := cluster.API.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: s.History.ConfigMap}, cm); err != nil {
		t.Fatal(err)
	}
	h, err := history.Decode(cm.BinaryData[contract.KeyHistory])
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Runs) != 1 || h.Runs[0].Name != ended.Name {
		t.Fatalf("the history is %+v", h)
	}
	if ended.Status.Outcome == v1alpha1.OutcomeInvalid || ended.HasFailed() {
		return // cluster.Complete has said that the machine was busy: then no value counts
	}
	if len(h.Runs[0].Series) == 0 || len(h.Runs[0].Series[0].Values) != 2 || h.Runs[0].Environment[0].Facts == "" {
		t.Errorf("the history is %+v", h)
	}
}

// awaitSchedule waits for something of the status of the schedule.
func awaitSchedule(t *testing.T, of client.Object, limit time.Duration, what string, holds func(v1alpha1.BenchmarkScheduleStatus) bool) v1alpha1.BenchmarkScheduleStatus {
	t.Helper()
	s := &v1alpha1.BenchmarkSchedule{}
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(time.Second) {
		if err := cluster.API.Get(t.Context(), client.ObjectKeyFromObject(of), s); err != nil {
			t.Fatal(err)
		}
		if holds(s.Status) {
			return s.Status
		}
	}
	t.Fatalf("the schedule has not %s within %s: %+v", what, limit, s.Status)
	return s.Status
}

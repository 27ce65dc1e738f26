package schedule

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/kube"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/verdict/history"
	"github.com/assay-bench/assay/test/helpers/screen"
)

func clusterWith(t *testing.T, objects ...client.Object) kube.Cluster {
	t.Helper()
	scheme := runtime.NewScheme()
	add := runtime.NewSchemeBuilder(v1alpha1.AddToScheme, corev1.AddToScheme)
	if err := add.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return kube.Cluster{API: fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build(), Namespace: "ns"}
}

// nightly is a schedule with one run that has ended, whose name somebody else gave.
func nightly() *v1alpha1.BenchmarkSchedule {
	ended := metav1.NewTime(time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC))
	of := &v1alpha1.BenchmarkSchedule{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "nightly", UID: "1"}}
	of.Spec.Schedule, of.Spec.TimeZone = "30 2 * * *\n30 14 * * *\n", "Europe/Berlin"
	of.Status = v1alpha1.BenchmarkScheduleStatus{
		Active: []v1alpha1.ActiveRun{{Name: "nightly-2"}}, Missed: &v1alpha1.MissedTimes{Count: 2}, History: &v1alpha1.HistoryStatus{RunCount: 1},
		LastRun:     &v1alpha1.EndedRun{Name: "nightly-1", UID: "2", Trigger: v1alpha1.TriggerSchedule, Outcome: v1alpha1.OutcomeFailed, Message: "evil\x1b[2J", CompletionTime: ended},
		Regressions: []v1alpha1.ScheduleRegression{{Text: "throughput of db is 0.8 times as high"}},
		Conditions:  []metav1.Condition{{Type: "Ready", Status: metav1.ConditionFalse, Reason: "LastRunFailed", Message: "nightly-1 has failed"}},
	}
	return of
}

// kept is the history of the schedule.
func kept(t *testing.T, owner *v1alpha1.BenchmarkSchedule) *corev1.ConfigMap {
	t.Helper()
	passed, value := false, 812.5
	gz, _, err := history.Encode(contract.History{ScheduleUID: "1", DroppedRuns: 3, Runs: []contract.PastRun{
		{Name: "nightly-0", UID: "9", Outcome: "Succeeded", CompletionTime: time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC), Headline: "db 812 tx/s", Trigger: "Manual"},
		{Name: "nightly-1", UID: "2", Outcome: "Failed", CompletionTime: time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC), Message: "evil\x1b[2J", Passed: &passed, Trigger: "Schedule", Series: []contract.PastSeries{
			{Target: "db", Name: "throughput", Unit: "operations/s", Values: []*float64{&value, nil}},
		}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	owner.Status.History.SHA256 = contract.Digest(gz)
	isController := true
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: contract.HistoryName(owner.Name, string(owner.UID)), OwnerReferences: []metav1.OwnerReference{
		{APIVersion: "assay.dev/v1alpha1", Kind: "BenchmarkSchedule", Name: owner.Name, UID: owner.UID, Controller: &isController},
	}}, BinaryData: map[string][]byte{contract.KeyHistory: gz}}
}

// said by a command.
func said(t *testing.T, to kube.Cluster, make func(connect) *cobra.Command, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := saidTo(t, &out, to, make, args...)
	return out.String(), err
}

func saidTo(t *testing.T, out io.Writer, to kube.Cluster, make func(connect) *cobra.Command, args ...string) error {
	t.Helper()
	cmd := make(func() (kube.Cluster, error) { return to, nil })
	cmd.SetOut(out)
	cmd.SetErr(out)
	cmd.SetArgs(append([]string{}, args...))
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	return cmd.ExecuteContext(t.Context())
}

// A message is read on every terminal, and never cut as a cell of a table.
func TestScheduleFitsTheTerminal(t *testing.T) {
	of := nightly()
	of.Status.LastRun.Message = "the gate has failed: throughput of db is 0.8 times as high as that of the baseline release, which is less than the tolerance of 5 % allows"
	of.Status.Conditions[0].Message = "the last run has failed, and the one before it, too: " + of.Status.LastRun.Message
	of.Status.Regressions[0].Text = of.Status.LastRun.Message
	past := kept(t, of)
	for what, one := range map[string]func(io.Writer) error{
		"get":     func(out io.Writer) error { return saidTo(t, out, clusterWith(t, of), newGet, "nightly") },
		"none":    func(out io.Writer) error { return saidTo(t, out, clusterWith(t), newGet) },
		"history": func(out io.Writer) error { return saidTo(t, out, clusterWith(t, of, past), newHistory, "nightly") },
	} {
		screen.Wrapped(t, func(out io.Writer) {
			if err := one(out); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		})
	}
}

func TestGet(t *testing.T) {
	suspended := &v1alpha1.BenchmarkSchedule{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "off"}, Spec: v1alpha1.BenchmarkScheduleSpec{Suspend: true}}
	to := clusterWith(t, nightly(), suspended)
	list, err := said(t, to, newGet)
	if err != nil || !strings.Contains(list, "nightly  30 2 * * * 30 14 * * * Europe/Berlin") || !strings.Contains(list, "off") || !strings.Contains(list, "suspended") || !strings.Contains(list, "Unknown") {
		t.Errorf("%v\n%s", err, list)
	}
	one, err := said(t, to, newGet, "nightly")
	for _, want := range []string{"False: LastRunFailed: nightly-1 has failed", "30 2 * * *; 30 14 * * *, Europe/Berlin", "nightly-2", "nightly-1: Failed ", "2 times", "throughput of db is 0.8", "kubectl assay schedule history nightly -n ns"} {
		if err != nil || !strings.Contains(one, want) {
			t.Errorf("%v: no %q in\n%s", err, want, one)
		}
	}
	if strings.Contains(list+one, "\x1b") {
		t.Errorf("an escape of somebody else: %q", list+one)
	}
	if _, err := said(t, to, newGet, "nope"); err == nil || !strings.Contains(err.Error(), "there is no BenchmarkSchedule nope in namespace ns: kubectl assay schedule get lists") {
		t.Error(err)
	}
	if none, err := said(t, clusterWith(t), newGet); err != nil || !strings.Contains(none, "docs/guide/schedule.md") {
		t.Errorf("%v: %s", err, none)
	}
}

func TestHistory(t *testing.T) {
	of := nightly()
	deleted := of.DeepCopy()
	deleted.Status.History = &v1alpha1.HistoryStatus{LostRunCount: 3, RunCount: 2, SHA256: "of what was there"}
	foreign := kept(t, of)
	foreign.OwnerReferences = nil
	broken := kept(t, of)
	broken.BinaryData[contract.KeyHistory] = []byte("x")
	for name, tt := range map[string]struct {
		objects []client.Object
		want    []string
		fails   string
	}{
		"of two runs":           {[]client.Object{of, kept(t, of)}, []string{"nightly-1  2026-11-22 03:00 UTC  Failed     failed  Schedule", "nightly-0  2026-11-21 03:00 UTC  Succeeded  -       Manual\n  db 812 tx/s\n", "The oldest 3 were dropped"}, ""},
		"of none":               {[]client.Object{nightly()}, []string{"There is no history yet"}, ""},
		"that somebody deleted": {[]client.Object{deleted}, []string{"somebody deleted what was known of 5 runs"}, ""},
		"of another object":     {[]client.Object{of, foreign}, []string{"belongs to another object"}, ""},
		"that cannot be read":   {[]client.Object{of, broken}, nil, ": it is not what Assay wrote"},
		"of no schedule at all": {nil, nil, "there is no BenchmarkSchedule nightly"},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := said(t, clusterWith(t, tt.objects...), newHistory, "nightly")
			if (err == nil) != (tt.fails == "") || err != nil && !strings.Contains(err.Error(), tt.fails) || strings.Contains(text, "\x1b") {
				t.Fatalf("%v\n%s", err, text)
			}
			for _, want := range tt.want {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in\n%s", want, text)
				}
			}
		})
	}
	foreign.Name = "kept"
	if text, err := said(t, clusterWith(t, foreign), newHistory, "--configmap", "kept"); err != nil || !strings.Contains(text, "nothing says whether it is what Assay wrote") || !strings.Contains(text, "nightly-1  2026-11-22") {
		t.Errorf("a history that was retained: %v\n%s", err, text)
	}
	text, err := said(t, clusterWith(t, of, kept(t, of)), newHistory, "nightly", "-o", "json")
	var doc output.History
	if err != nil || json.Unmarshal([]byte(text), &doc) != nil || len(doc.Runs) != 2 || *doc.Runs[1].Series[0].Values[0] != 812.5 || doc.Runs[1].Series[0].Values[1] != nil {
		t.Errorf("%v\n%s", err, text)
	}
}

// A run is asked for by the annotation, and its name is the one that the manager gives it.
func TestRunNow(t *testing.T) {
	for name, tt := range map[string]struct {
		manager bool
		timeout string
		active  bool
		fails   string
	}{
		"the manager starts it":        {true, "1m", true, ""},
		"nobody waits for the manager": {false, "0s", true, ""},
		"an active run is in front":    {false, "1ms", true, "was not started within 1ms: it waits for nightly-2. kubectl assay watch nightly-now-"},
		"there is no manager":          {false, "1ms", false, "no manager has taken it up"},
	} {
		t.Run(name, func(t *testing.T) {
			of := nightly()
			if !tt.active {
				of.Status.Active = nil
			}
			to := clusterWith(t, of)
			looked := 0
			to.API = interceptor.NewClient(to.API.(client.WithWatch), interceptor.Funcs{Get: func(ctx context.Context, api client.WithWatch, key client.ObjectKey, into client.Object, options ...client.GetOption) error {
				err := api.Get(ctx, key, into, options...)
				if looked++; looked > 1 && tt.manager {
					into.(*v1alpha1.BenchmarkSchedule).Status.RunNow = into.GetAnnotations()[v1alpha1.AnnotationRunNow]
				}
				return err
			}})
			text, err := said(t, to, newRunNow, "nightly", "--timeout", tt.timeout)
			asked := &v1alpha1.BenchmarkSchedule{}
			if err := to.API.Get(t.Context(), client.ObjectKey{Namespace: "ns", Name: "nightly"}, asked); err != nil {
				t.Fatal(err)
			}
			value := asked.Annotations[v1alpha1.AnnotationRunNow]
			want := "benchmarkrun.assay.dev/nightly-" + contract.RunNowID("1", value) + "\n"
			if tt.fails != "" {
				want = ""
			}
			if _, bad := time.Parse(time.RFC3339Nano, value); bad != nil || text != want || (err == nil) != (tt.fails == "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("%v: %q, want %q; the annotation is %q", err, text, want, value)
			}
		})
	}
}

package contracts

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/show/notify"
)

const notificationSchema = "notification.v1.schema.json"

// aRun that has ended, with everything that a notification is made of. Its texts are as long as
// hostile ones.
func aRun() *v1alpha1.BenchmarkRun {
	long := strings.Repeat("\x01", 8192)
	at := metav1.NewTime(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	comparison := v1alpha1.ComparisonEntry{
		Family: v1alpha1.FamilyPrimary, Text: long, Verdict: v1alpha1.VerdictSlower, Factor: long, Value: long, Baseline: long, Target: long, Name: long,
		Unlike: slices.Repeat([]v1alpha1.UnlikeFactor{{Factor: long, Value: long, Baseline: long}}, 5),
		Ratio:  "0.9", IntervalLow: "0.8", IntervalHigh: "0.95", AdjustedP: "0.002",
	}
	exploratory := comparison
	exploratory.Family, exploratory.Text = v1alpha1.FamilyExploratory, "not declared"
	return &v1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "nightly-1", UID: "0b3f6c5e-8f39-4a34-9a43-a7e4f2f1b7de"},
		Status: v1alpha1.BenchmarkRunStatus{
			Phase: v1alpha1.PhaseComplete, SpecHash: strings.Repeat("0a", 32), Verdict: long, Headline: long,
			Comparisons: slices.Concat([]v1alpha1.ComparisonEntry{exploratory}, slices.Repeat([]v1alpha1.ComparisonEntry{comparison}, 64)),
			Progress:    v1alpha1.Progress{Planned: 12, Totals: v1alpha1.Totals{Succeeded: 11, Failed: 1, Invalid: 2, Disturbed: 3}},
			StartTime:   &at, CompletionTime: &at,
			Conditions: []metav1.Condition{
				{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonSucceeded, Message: long, LastTransitionTime: at},
				{Type: v1alpha1.ConditionValid, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonSucceeded},
				{Type: "Passed", Status: metav1.ConditionFalse, Reason: "Slower", Message: long, LastTransitionTime: at},
			},
		},
	}
}

// What the manager sends is in the schema, whatever tenants write, and small.
func TestNotificationIsInItsSchema(t *testing.T) {
	refused := aRun()
	refused.Status = v1alpha1.BenchmarkRunStatus{Phase: v1alpha1.PhaseFailed, Conditions: []metav1.Condition{
		{Type: v1alpha1.ConditionFailed, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonSpecTooLarge, Message: "too large"},
	}}
	for name, run := range map[string]*v1alpha1.BenchmarkRun{"a run with it all": aRun(), "a run that was refused": refused} {
		t.Run(name, func(t *testing.T) {
			for _, e := range notify.Events(run) {
				body, err := notify.CloudEvent(run, e, "https://cluster-1.example.com")
				if err != nil {
					t.Fatal(err)
				}
				if len(body) > 128<<10 {
					t.Errorf("%s has %d bytes", e.Type, len(body))
				}
				var read event.Event
				if err := json.Unmarshal(body, &read); err != nil {
					t.Fatal(err)
				}
				if err := validate(t, notificationSchema, read.Data()); err != nil {
					t.Errorf("%s: %#v", e.Type, err)
				}
				if read.DataSchema() != notify.Schema {
					t.Errorf("the schema is %s", read.DataSchema())
				}
			}
		})
	}
	if n := len(notify.Events(aRun())); n != 2 {
		t.Errorf("%d events, want 2", n)
	}
}

func TestNotificationSchemaRejects(t *testing.T) {
	run := aRun()
	run.Status.Verdict = "innodb 0.9x"
	good := string(marshal(t, notify.Data(run)))
	for name, change := range map[string]struct{ old, new string }{
		"another version":           {contract.NotificationVersion, "assay.dev/notification/v2"},
		"an unknown field":          {`"verdict":"innodb`, `"password":"x","verdict":"innodb`},
		"a phase before the end":    {`"Complete"`, `"Measuring"`},
		"a verdict that is none":    {`"Slower"`, `"Slow"`},
		"a time in no format":       {"2026-11-20T12:00:00Z", "yesterday"},
		"a run without a UID":       {`"uid":"0b3f6c5e-8f39-4a34-9a43-a7e4f2f1b7de"`, `"uid":""`},
		"a gate that is a boolean":  {`"passed":"False"`, `"passed":false`},
		"a negative number":         {`"invalid":2`, `"invalid":-2`},
		"a hash that is none":       {`"specHash":"0a`, `"specHash":"0x`},
		"a validity that is no one": {`"valid":"True"`, `"valid":"Yes"`},
	} {
		t.Run(name, func(t *testing.T) {
			wrong := strings.Replace(good, change.old, change.new, 1)
			if wrong == good {
				t.Fatalf("the document has no %q: %.300s", change.old, good)
			}
			if err := validate(t, notificationSchema, []byte(wrong)); err == nil {
				t.Error("accepted")
			}
		})
	}
}

package notify

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

const (
	// typePrefix is the name of the domain backwards, as CloudEvents advises.
	typePrefix = "dev.assay."
	// Schema is the address of the JSON Schema of the data.
	Schema = "https://assay.dev/schemas/notification.v1.schema.json"
	// ContentType of a CloudEvent in structured mode.
	ContentType = event.ApplicationCloudEventsJSON + "; charset=UTF-8"
)

// ID of an event of a run: the same one for every attempt and every receiver. It has no dot, which
// a signed id may not have.
func ID(run *v1alpha1.BenchmarkRun, kind v1alpha1.NotificationType) string {
	return string(run.UID) + "-" + strings.ReplaceAll(string(kind), ".", "-")
}

// CloudEvent is an event of a run in JSON. The source is the prefix, and the path of the run on the
// API server.
func CloudEvent(run *v1alpha1.BenchmarkRun, e Event, prefix string) ([]byte, error) {
	out := event.New(event.CloudEventsVersionV1)
	out.SetID(ID(run, e.Type))
	out.SetType(typePrefix + string(e.Type))
	out.SetSource(fmt.Sprintf("%s/apis/%s/namespaces/%s/benchmarkruns/%s", prefix, v1alpha1.GroupVersion, run.Namespace, run.Name))
	out.SetSubject(run.Namespace + "/" + run.Name)
	out.SetTime(e.Time.UTC())
	out.SetDataSchema(Schema)
	if err := out.SetData(event.ApplicationJSON, Data(run)); err != nil {
		return nil, fmt.Errorf("writing the data of a notification: %w", err)
	}
	if err := out.Validate(); err != nil {
		return nil, fmt.Errorf("the notification is no CloudEvent: %w", err)
	}
	return json.Marshal(out)
}

// Data of the events of a run. Its texts and lists are bounded: tenants write some of them.
func Data(run *v1alpha1.BenchmarkRun) contract.Notification {
	st := &run.Status
	text := func(s string) string { return contract.Cut(s, contract.MaxNotificationText) }
	end := endOf(run)
	n := contract.Notification{
		Version: contract.NotificationVersion,
		Run: contract.NotificationRun{
			Namespace: run.Namespace, Name: run.Name, UID: string(run.UID), SpecHash: st.SpecHash,
		},
		Phase: string(st.Phase), Reason: end.Reason, Message: text(end.Message), Valid: string(metav1.ConditionUnknown),
		Verdict: text(st.Verdict), Headline: text(st.Headline), Comparisons: comparisons(st.Comparisons),
		Trials: contract.NotificationTrials{
			Planned: st.Progress.Planned, Succeeded: st.Progress.Succeeded, Failed: st.Progress.Failed,
			Invalid: st.Progress.Invalid, Disturbed: st.Progress.Disturbed,
		},
		StartTime: utc(st.StartTime), CompletionTime: utc(st.CompletionTime),
	}
	if c := apimeta.FindStatusCondition(st.Conditions, v1alpha1.ConditionValid); c != nil {
		n.Valid = string(c.Status)
	}
	if c := apimeta.FindStatusCondition(st.Conditions, v1alpha1.ConditionPassed); c != nil {
		n.Gate = &contract.NotificationGate{Passed: string(c.Status), Reason: c.Reason, Message: text(c.Message)}
	}
	return n
}

// endOf a run is the condition that ended it; it is empty for one that goes on.
func endOf(run *v1alpha1.BenchmarkRun) metav1.Condition {
	for _, kind := range []string{v1alpha1.ConditionFailed, v1alpha1.ConditionComplete} {
		if c := apimeta.FindStatusCondition(run.Status.Conditions, kind); c != nil && c.Status == metav1.ConditionTrue {
			return *c
		}
	}
	return metav1.Condition{}
}

// comparisons of the primary family, the first few.
func comparisons(all []v1alpha1.ComparisonEntry) []contract.NotificationComparison {
	var out []contract.NotificationComparison
	name := func(s string) string { return contract.Cut(s, contract.MaxNotificationName) }
	for _, c := range all {
		if c.Family != v1alpha1.FamilyPrimary || len(out) == contract.MaxNotificationComparisons {
			continue
		}
		var unlike []contract.NotificationUnlike
		for _, u := range c.Unlike {
			unlike = append(unlike, contract.NotificationUnlike{Factor: name(u.Factor), Value: name(u.Value), Baseline: name(u.Baseline)})
		}
		out = append(out, contract.NotificationComparison{
			Text: contract.Cut(c.Text, contract.MaxNotificationText), Verdict: string(c.Verdict),
			Factor: name(c.Factor), Value: name(c.Value), Baseline: name(c.Baseline), Unlike: unlike, Target: name(c.Target), Name: name(c.Name),
			Ratio: c.Ratio, IntervalLow: c.IntervalLow, IntervalHigh: c.IntervalHigh, AdjustedP: c.AdjustedP,
		})
	}
	return out
}

// utc is a time of the status; nil for none.
func utc(t *metav1.Time) *time.Time {
	if t == nil {
		return nil
	}
	return new(t.UTC())
}

package notify

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// runWith has the conditions, each as Type=Status.
func runWith(conditions ...string) *v1alpha1.BenchmarkRun {
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "nightly", UID: "u-1"}}
	for i, c := range conditions {
		name, status, _ := strings.Cut(c, "=")
		run.Status.Conditions = append(run.Status.Conditions, metav1.Condition{
			Type: name, Status: metav1.ConditionStatus(status), Reason: "Because", Message: name + " is " + status,
			LastTransitionTime: metav1.NewTime(noon.Add(time.Duration(i) * time.Second)),
		})
	}
	return run
}

func TestPending(t *testing.T) {
	told := func(run *v1alpha1.BenchmarkRun, receiver string, kind v1alpha1.NotificationType) *v1alpha1.BenchmarkRun {
		run.Status.Notifications = append(run.Status.Notifications, v1alpha1.NotificationStatus{Receiver: receiver, Type: kind, Outcome: v1alpha1.NotificationDelivered})
		return run
	}
	all := config.Receiver{Name: "ci"}
	tests := map[string]struct {
		run      *v1alpha1.BenchmarkRun
		receiver config.Receiver
		want     []v1alpha1.NotificationType
	}{
		"a run that goes on":                      {runWith("Complete=Unknown", "Passed=False"), all, nil},
		"a complete run":                          {runWith("Complete=True", "Failed=False"), all, []v1alpha1.NotificationType{v1alpha1.NotifyRunCompleted}},
		"a failed run":                            {runWith("Complete=False", "Failed=True"), all, []v1alpha1.NotificationType{v1alpha1.NotifyRunFailed}},
		"a gate that passed":                      {runWith("Complete=True", "Passed=True"), all, []v1alpha1.NotificationType{v1alpha1.NotifyRunCompleted, v1alpha1.NotifyGatePassed}},
		"a gate that failed":                      {runWith("Complete=True", "Passed=False"), all, []v1alpha1.NotificationType{v1alpha1.NotifyRunCompleted, v1alpha1.NotifyGateFailed}},
		"a gate that could not decide":            {runWith("Complete=True", "Passed=Unknown"), all, []v1alpha1.NotificationType{v1alpha1.NotifyRunCompleted, v1alpha1.NotifyGateUndecided}},
		"one that was told of the run":            {told(runWith("Complete=True", "Passed=False"), "ci", v1alpha1.NotifyRunCompleted), all, []v1alpha1.NotificationType{v1alpha1.NotifyGateFailed}},
		"another one was told":                    {told(runWith("Complete=True"), "chat", v1alpha1.NotifyRunCompleted), all, []v1alpha1.NotificationType{v1alpha1.NotifyRunCompleted}},
		"a receiver of gates":                     {runWith("Complete=True", "Passed=False"), config.Receiver{Name: "ci", Types: []string{"gate.failed"}}, []v1alpha1.NotificationType{v1alpha1.NotifyGateFailed}},
		"a receiver of its namespace":             {runWith("Complete=True"), config.Receiver{Name: "ci", Namespaces: []string{"team-*"}}, []v1alpha1.NotificationType{v1alpha1.NotifyRunCompleted}},
		"a receiver of another namespace":         {runWith("Complete=True"), config.Receiver{Name: "ci", Namespaces: []string{"perf", "team"}}, nil},
		"both at once: failed, and not complete":  {runWith("Failed=True", "Passed=False"), all, []v1alpha1.NotificationType{v1alpha1.NotifyRunFailed, v1alpha1.NotifyGateFailed}},
		"a condition that a tenant cannot forget": {runWith(), all, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got []v1alpha1.NotificationType
			for _, e := range Pending(tt.run, tt.receiver) {
				got = append(got, e.Type)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// A gate that decides nothing is Unknown from the first status on: what happened is the end of the run.
// Otherwise a run that takes longer than events are tried would be told to nobody.
func TestTheTimeOfAnEvent(t *testing.T) {
	run := runWith("Passed=Unknown", "Complete=True")
	end := metav1.NewTime(noon.Add(48 * time.Hour))
	run.Status.CompletionTime = &end
	run.Status.Conditions[1].LastTransitionTime = metav1.NewTime(end.Add(time.Second))
	want := []Event{{v1alpha1.NotifyRunCompleted, end.Add(time.Second)}, {v1alpha1.NotifyGateUndecided, end.Time}}
	if diff := cmp.Diff(want, Events(run)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// The types of the configuration are those of the API.
func TestTypesOfTheConfiguration(t *testing.T) {
	for _, kind := range slices.Concat([]v1alpha1.NotificationType{"run.begun"}, v1alpha1.NotificationTypes()) {
		text := "agent: {image: a}\nnotifications: {receivers: [{name: ci, url: 'https://ci', unsigned: true, types: [" + string(kind) + "]}]}\n"
		if _, err := config.Parse([]byte(text)); (err != nil) != (kind == "run.begun") {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if most := 16 * len(v1alpha1.NotificationTypes()); most != v1alpha1.MaxNotifications {
		t.Errorf("16 receivers have up to %d notifications, and the status remembers %d", most, v1alpha1.MaxNotifications)
	}
}

// The list of a status keeps its bound: the oldest ones go.
func TestRecordIsBounded(t *testing.T) {
	var list []v1alpha1.NotificationStatus
	for i := range v1alpha1.MaxNotifications + 3 {
		list = Record(list, v1alpha1.NotificationStatus{
			Receiver: strings.Repeat("r", i+1), Type: v1alpha1.NotifyRunFailed, Time: metav1.NewTime(noon.Add(time.Duration(i) * time.Minute)),
		})
	}
	if len(list) != v1alpha1.MaxNotifications || len(list[0].Receiver) != 4 {
		t.Errorf("%d entries, the first one of %q", len(list), list[0].Receiver)
	}
}

// The SDK of CloudEvents reads what is sent.
func TestCloudEvent(t *testing.T) {
	run := runWith("Complete=True", "Valid=True", "Passed=False")
	run.Status.Phase, run.Status.Verdict = v1alpha1.PhaseComplete, "mariadb 1.52x mysql"
	run.Status.Comparisons = []v1alpha1.ComparisonEntry{{
		Family: v1alpha1.FamilyPrimary, Text: "FASTER 52x", Verdict: v1alpha1.VerdictFaster, Factor: "driver", Value: "mariadb", Baseline: "mysql", Name: "throughput",
		Unlike: []v1alpha1.UnlikeFactor{{Factor: "scheme", Value: "Batch", Baseline: "SingleRow"}},
	}}
	events := Events(run)
	body, err := CloudEvent(run, events[1], "https://cluster-1.example.com")
	if err != nil {
		t.Fatal(err)
	}
	var got event.Event
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatal(err)
	}
	attributes := []string{got.SpecVersion(), got.ID(), got.Type(), got.Source(), got.Subject(), got.Time().Format(time.RFC3339), got.DataContentType(), got.DataSchema()}
	want := []string{
		"1.0", "u-1-gate-failed", "dev.assay.gate.failed", "https://cluster-1.example.com/apis/assay.dev/v1alpha1/namespaces/team-a/benchmarkruns/nightly",
		"team-a/nightly", "2026-11-20T12:00:02Z", "application/json", "https://assay.dev/schemas/notification.v1.schema.json",
	}
	if diff := cmp.Diff(want, attributes); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var data contract.Notification
	if err := got.DataAs(&data); err != nil {
		t.Fatal(err)
	}
	wantData := contract.Notification{
		Version: contract.NotificationVersion, Run: contract.NotificationRun{Namespace: "team-a", Name: "nightly", UID: "u-1"},
		Phase: "Complete", Reason: "Because", Message: "Complete is True", Valid: "True", Verdict: "mariadb 1.52x mysql",
		Gate: &contract.NotificationGate{Passed: "False", Reason: "Because", Message: "Passed is False"},
		Comparisons: []contract.NotificationComparison{{
			Text: "FASTER 52x", Verdict: "Faster", Factor: "driver", Value: "mariadb", Baseline: "mysql", Name: "throughput",
			Unlike: []contract.NotificationUnlike{{Factor: "scheme", Value: "Batch", Baseline: "SingleRow"}},
		}},
	}
	if diff := cmp.Diff(wantData, data); diff != "" {
		t.Errorf("data (-want +got):\n%s", diff)
	}
}

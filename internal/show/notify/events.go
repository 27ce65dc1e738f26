package notify

import (
	"slices"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/config"
)

// Event is something that happened to a run.
type Event struct {
	// Type of the event.
	Type v1alpha1.NotificationType
	// Time when it happened: that of the condition, and not before the end of the run.
	Time time.Time
}

// milestones are the conditions that make an event when they have the status, once the run has ended.
var milestones = []struct {
	condition string
	status    metav1.ConditionStatus
	kind      v1alpha1.NotificationType
}{
	{v1alpha1.ConditionComplete, metav1.ConditionTrue, v1alpha1.NotifyRunCompleted},
	{v1alpha1.ConditionFailed, metav1.ConditionTrue, v1alpha1.NotifyRunFailed},
	{v1alpha1.ConditionPassed, metav1.ConditionTrue, v1alpha1.NotifyGatePassed},
	{v1alpha1.ConditionPassed, metav1.ConditionFalse, v1alpha1.NotifyGateFailed},
	{v1alpha1.ConditionPassed, metav1.ConditionUnknown, v1alpha1.NotifyGateUndecided},
}

// Events of a run that has ended; of any other there are none.
func Events(run *v1alpha1.BenchmarkRun) []Event {
	if !run.Finished() {
		return nil
	}
	var out []Event
	for _, m := range milestones {
		if c := apimeta.FindStatusCondition(run.Status.Conditions, m.condition); c != nil && c.Status == m.status {
			at := c.LastTransitionTime.Time
			// A gate that decides nothing is Unknown since the run was created.
			if end := run.Status.CompletionTime; end != nil && end.After(at) {
				at = end.Time
			}
			out = append(out, Event{Type: m.kind, Time: at})
		}
	}
	return out
}

// Pending are the events that a receiver wants and that its notifications in the status lack.
func Pending(run *v1alpha1.BenchmarkRun, receiver config.Receiver) []Event {
	return slices.DeleteFunc(Events(run), func(e Event) bool {
		return !receiver.Wants(run.Namespace, string(e.Type)) || IsRecorded(run, receiver.Name, e.Type)
	})
}

// IsRecorded says whether the status has the end of a notification.
func IsRecorded(run *v1alpha1.BenchmarkRun, receiver string, kind v1alpha1.NotificationType) bool {
	return slices.ContainsFunc(run.Status.Notifications, func(n v1alpha1.NotificationStatus) bool {
		return n.Receiver == receiver && n.Type == kind
	})
}

// Record adds the end of a notification to the list of a status. The oldest ones go when it is full.
func Record(list []v1alpha1.NotificationStatus, one v1alpha1.NotificationStatus) []v1alpha1.NotificationStatus {
	list = append(slices.Clone(list), one)
	for len(list) > v1alpha1.MaxNotifications {
		oldest := slices.MinFunc(list, func(a, b v1alpha1.NotificationStatus) int { return a.Time.Compare(b.Time.Time) })
		list = slices.Delete(list, slices.Index(list, oldest), slices.Index(list, oldest)+1)
	}
	return list
}

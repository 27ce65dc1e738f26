package provision

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// event of a component, some minutes after noon.
func event(by, reason, message string, minutes int) corev1.Event {
	return corev1.Event{
		Source: corev1.EventSource{Component: by}, Reason: reason, Message: message,
		LastTimestamp: metav1.Time{Time: noon.Add(time.Duration(minutes) * time.Minute)},
	}
}

// The reasons and messages are those that Cluster Autoscaler (processors/status/eventing_scale_up_processor.go) and Karpenter
// (pkg/controllers/provisioning/scheduling/events) write.
func TestWords(t *testing.T) {
	scheduler := event("default-scheduler", "FailedScheduling", "0/3 nodes are available", 9)
	karpenter := corev1.Event{
		ReportingController: "karpenter", Reason: "FailedScheduling", Message: "Failed to schedule pod, incompatible with nodepool \"bench\"",
		EventTime: metav1.MicroTime{Time: noon.Add(time.Minute)},
	}
	tests := map[string]struct {
		events []corev1.Event
		want   string
	}{
		"nothing was said":    {},
		"by the cluster only": {events: []corev1.Event{scheduler, event("job-controller", "Created", "x", 1), event("kubelet", "Pulled", "x", 1)}},
		"Cluster Autoscaler": {
			events: []corev1.Event{event("cluster-autoscaler", "NotTriggerScaleUp", "pod didn't trigger scale-up: 1 max node group size reached", 3), event("cluster-autoscaler", "TriggeredScaleUp", "x", 1), scheduler},
			want:   "cluster-autoscaler says NotTriggerScaleUp: pod didn't trigger scale-up: 1 max node group size reached",
		},
		"Karpenter": {events: []corev1.Event{karpenter}, want: "karpenter says FailedScheduling: Failed to schedule pod, incompatible with nodepool \"bench\""},
		"Cluster Autoscaler, of a pod whose nodes were requested": {events: []corev1.Event{
			event("cluster-autoscaler", "", "Unschedulable pod didn't trigger scale-up, because it's consuming ProvisioningRequest ns/run-place", 3), scheduler,
		}},
		"without a reason": {events: []corev1.Event{event("a", "", "m", 1)}, want: "a says m"},
		"too much":         {events: []corev1.Event{event("a", "B", strings.Repeat("ä", 1000), 1)}, want: "a says B: " + strings.Repeat("ä", 500) + "..."},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Words(tt.events); got != tt.want {
				t.Errorf("Words = %q, want %q", got, tt.want)
			}
		})
	}
}

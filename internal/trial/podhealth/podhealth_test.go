package podhealth

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/config"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// pod that was created at start and scheduled at once.
func pod(change ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p", CreationTimestamp: metav1.Time{Time: start}},
		Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Time{Time: start},
		}}},
	}
	for _, f := range change {
		f(p)
	}
	return p
}

func container(s corev1.ContainerStatus) func(*corev1.Pod) {
	s.Name = "main"
	return func(p *corev1.Pod) { p.Status.ContainerStatuses = []corev1.ContainerStatus{s} }
}

func waitingFor(reason string) func(*corev1.Pod) {
	return container(corev1.ContainerStatus{Image: "img:1", State: corev1.ContainerState{
		Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: "told"},
	}})
}

func terminated(t corev1.ContainerStateTerminated, restarts int32) func(*corev1.Pod) {
	return container(corev1.ContainerStatus{
		RestartCount: restarts, LastTerminationState: corev1.ContainerState{Terminated: &t},
		State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}},
	})
}

func unschedulable(p *corev1.Pod) {
	p.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: "0/3 nodes",
	}}
}

var running = container(corev1.ContainerStatus{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}})

type want struct {
	state   State
	reason  string
	message string
}

func (w want) check(t *testing.T, got Verdict) {
	t.Helper()
	if got.State != w.state || got.Reason != w.reason || !strings.Contains(got.Message, w.message) {
		t.Errorf("got %+v, want %+v", got, w)
	}
}

func TestTarget(t *testing.T) {
	told := func(reason string) corev1.ContainerStateTerminated {
		return corev1.ContainerStateTerminated{ExitCode: 1, Message: `{"reason":"` + reason + `","message":"unknown variable x"}`}
	}
	tests := map[string]struct {
		pod   *corev1.Pod
		after time.Duration
		want  want
	}{
		"a ready server is ready":                     {pod(container(corev1.ContainerStatus{Ready: true})), time.Hour, want{Ready, "", ""}},
		"a ready server that restarted once is ready": {pod(container(corev1.ContainerStatus{Ready: true, RestartCount: 1, LastTerminationState: corev1.ContainerState{Terminated: new(told("ServerCrashed"))}})), 0, want{Ready, "", ""}},
		"a server that starts is waited for":          {pod(running), time.Minute, want{Running, v1alpha1.ReasonProgressing, "starting"}},
		"a server that never answers fails":           {pod(running), 21 * time.Minute, want{Failed, v1alpha1.ReasonDeadlineExceeded, "no login"}},
		"a volume that does not fit fails":            {pod(terminated(told("RetainedVolumeUnfit"), 0)), 0, want{Failed, "RetainedVolumeUnfit", "unknown variable x"}},
		"a setting that the server refuses fails":     {pod(terminated(told("ServerRefusedSetting"), 0)), 0, want{Failed, "ServerRefusedSetting", "unknown variable x"}},
		"one crash before the first login is borne":   {pod(terminated(told("ServerCrashed"), 1)), 0, want{Waiting, v1alpha1.ReasonProgressing, "starting"}},
		"three crashes are not":                       {pod(terminated(told("ServerCrashed"), 3)), 0, want{Failed, "ServerCrashed", "unknown variable x"}},
		"a server that outgrows its shape fails":      {pod(terminated(corev1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled"}, 1)), 0, want{Failed, v1alpha1.ReasonTargetOOMKilled, "larger shape"}},
		"an end without words is told by its code":    {pod(terminated(corev1.ContainerStateTerminated{ExitCode: 42}, 3)), 0, want{Failed, v1alpha1.ReasonTargetCrashed, "code 42"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.want.check(t, Target(tt.pod, "main", config.Default().Timeouts, start.Add(tt.after)))
		})
	}
}

func TestMissing(t *testing.T) {
	l := config.Default().Timeouts
	want{Waiting, v1alpha1.ReasonProgressing, "created"}.check(t, Missing(start, l, start.Add(time.Second)))
	want{Failed, v1alpha1.ReasonPodRejected, "no pod"}.check(t, Missing(start, l, start.Add(2*time.Minute)))
}

package podhealth

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/internal/ground/config"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestTargetAgain(t *testing.T) {
	at := func(minutes int) metav1.Time {
		return metav1.Time{Time: start.Add(time.Duration(minutes) * time.Minute)}
	}
	// The pod is made in minute 0, has its init containers done in minute 1, and is not
	// ready since the minute given.
	unready := func(minute int) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Status.Conditions = append(p.Status.Conditions,
				corev1.PodCondition{Type: corev1.PodInitialized, Status: corev1.ConditionTrue, LastTransitionTime: at(1)},
				corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionFalse, LastTransitionTime: at(minute)})
		}
	}
	// runs since a minute, after an end that came after a run of one minute.
	runs := func(since int, restarts int32, last *corev1.ContainerStateTerminated) func(*corev1.Pod) {
		return container(corev1.ContainerStatus{
			RestartCount: restarts, LastTerminationState: corev1.ContainerState{Terminated: last},
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: at(since)}},
		})
	}
	ended := func(minute int, t corev1.ContainerStateTerminated) *corev1.ContainerStateTerminated {
		t.StartedAt, t.FinishedAt = at(minute-1), at(minute)
		return &t
	}
	rejected := corev1.ContainerStateTerminated{ExitCode: 1, Message: string(contract.TargetTermination{
		Reason: contract.ReasonServerRefusedSetting, Message: "unknown variable x",
	}.Encode())}
	ready := container(corev1.ContainerStatus{Ready: true, RestartCount: 9, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: at(2)}}})
	up, down, late := node(corev1.ConditionTrue), node(corev1.ConditionUnknown), node(corev1.ConditionUnknown)
	late.Status.Conditions[1].LastTransitionTime = at(5000)
	deleted := func(p *corev1.Pod) { p.DeletionTimestamp = new(at(5000)) }
	tests := map[string]struct {
		seen  Seen
		after int
		want  want
	}{
		"a ready server is ready, however often it restarted":  {unlooked(ready), 9999, want{Ready, "", ""}},
		"a ready server whose pod is deleted is not":           {unlooked(ready, deleted), 5001, want{Waiting, v1alpha1.ReasonProgressing, "being deleted"}},
		"a container that is ready in a pod that is not":       {unlooked(ready, unready(5)), 6, want{Running, v1alpha1.ReasonProgressing, ""}},
		"a ready server on a node that is silent for a while":  {looked(down, ready), 1, want{Waiting, v1alpha1.ReasonNodeLost, "not ready"}},
		"a pod whose deletion hangs":                           {unlooked(ready, deleted), 5021, want{Failed, v1alpha1.ReasonDeadlineExceeded, ""}},
		"a node that fell silent after days":                   {looked(late, ready), 5001, want{Waiting, v1alpha1.ReasonNodeLost, "not ready"}},
		"a server that crashed days later recovers":            {unlooked(unready(5000), runs(5000, 1, ended(5000, crash))), 5010, want{Running, v1alpha1.ReasonProgressing, "starting again"}},
		"a recovery has its time from the restart on":          {unlooked(unready(5000), runs(5005, 1, ended(5000, crash))), 5022, want{Running, v1alpha1.ReasonProgressing, ""}},
		"a recovery that takes too long":                       {unlooked(unready(5000), runs(5001, 1, ended(5000, crash))), 5022, want{Failed, v1alpha1.ReasonDeadlineExceeded, "no login"}},
		"a server that hangs without a restart":                {unlooked(unready(100), runs(2, 0, nil)), 121, want{Failed, v1alpha1.ReasonDeadlineExceeded, "no login"}},
		"a server that hangs is borne for a while":             {unlooked(unready(100), runs(2, 0, nil)), 119, want{Running, v1alpha1.ReasonProgressing, ""}},
		"a second crash after many good days is borne":         {unlooked(unready(5000), runs(5003, 9, ended(5002, crash))), 5004, want{Running, v1alpha1.ReasonProgressing, ""}},
		"a crash loop ends with its cause":                     {unlooked(unready(5000), runs(5020, 9, ended(5020, crash))), 5021, want{Failed, "ServerCrashed", "signal 11"}},
		"a new pod that crashes three times":                   {unlooked(unready(0), runs(5, 3, ended(5, crash))), 5, want{Failed, "ServerCrashed", "signal 11"}},
		"a new pod that crashed once":                          {unlooked(unready(0), runs(5, 1, ended(5, crash))), 5, want{Running, v1alpha1.ReasonProgressing, ""}},
		"a restart that cannot help fails at once":             {unlooked(unready(5000), runs(5003, 2, ended(5002, rejected))), 5003, want{Failed, "ServerRefusedSetting", "unknown variable"}},
		"a restart that runs out of memory":                    {unlooked(unready(5000), runs(5003, 2, ended(5002, oom))), 5003, want{Failed, v1alpha1.ReasonTargetOOMKilled, "larger shape"}},
		"out of memory under load is borne: it may come back":  {unlooked(unready(5000), runs(5000, 1, ended(5000, oom))), 5001, want{Running, v1alpha1.ReasonProgressing, ""}},
		"a pod that was made again has no node yet":            {unlooked(unschedulable), 1, want{Waiting, v1alpha1.ReasonUnschedulable, "0/3"}},
		"a pod that finds no node":                             {unlooked(unschedulable), 6, want{Failed, v1alpha1.ReasonUnschedulable, "0/3"}},
		"a pod that is evicted is waited for, with its reason": {unlooked(unready(5), phase(corev1.PodFailed, "Evicted")), 6, want{Waiting, v1alpha1.ReasonPodEvicted, "told"}},
		"a pod that stays evicted":                             {unlooked(unready(5), phase(corev1.PodFailed, "Evicted")), 26, want{Failed, v1alpha1.ReasonDeadlineExceeded, ""}},
		"a node that is gone":                                  {looked(nil, unready(5)), 6, want{Failed, v1alpha1.ReasonNodeLost, "is gone"}},
		"a node that is not ready any more":                    {looked(down, unready(5), runs(2, 0, nil)), 6, want{Failed, v1alpha1.ReasonNodeLost, "not ready"}},
		"a node that is up":                                    {looked(up, unready(5), runs(2, 0, nil)), 6, want{Running, v1alpha1.ReasonProgressing, ""}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.want.check(t, TargetAgain(tt.seen, "main", config.Default().Timeouts, at(tt.after).Time))
		})
	}
}

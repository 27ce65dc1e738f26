package podhealth

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// uid names the pod.
func uid(u types.UID) func(*corev1.Pod) { return func(p *corev1.Pod) { p.UID = u } }

// restarted is a container that runs again; its last end is t.
func restarted(count int32, t corev1.ContainerStateTerminated) func(*corev1.Pod) {
	return container(corev1.ContainerStatus{
		Ready: true, RestartCount: count, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
		LastTerminationState: corev1.ContainerState{Terminated: &t},
	})
}

var (
	oom   = corev1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled"}
	crash = corev1.ContainerStateTerminated{
		ExitCode: 1, Reason: "Error",
		Message: string(contract.TargetTermination{Reason: contract.ReasonServerCrashed, Message: "signal 11: see the log"}.Encode()),
	}
	deleting = func(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{Time: start} }
)

func TestCause(t *testing.T) {
	lost := string(contract.ReasonConnectionLost)
	up, down := node(corev1.ConditionTrue), node(corev1.ConditionFalse)
	began := Began{PodUID: "u", Restarts: 2}
	same := uid("u")
	tests := map[string]struct {
		reason string
		began  Began
		target Seen
		want   want
	}{
		"a server that is as it was":             {lost, began, looked(up, same, restarted(2, oom)), want{"", lost, "broken pipe"}},
		"out of memory since":                    {lost, began, unlooked(same, restarted(3, oom)), want{"", v1alpha1.ReasonTargetOOMKilled, "larger shape; the client reported: broken pipe"}},
		"out of memory and not restarted yet":    {lost, began, unlooked(same, exited(oom)), want{"", v1alpha1.ReasonTargetOOMKilled, "larger shape"}},
		"crashed since, in the agent's words":    {lost, began, unlooked(same, restarted(3, crash)), want{"", v1alpha1.ReasonTargetCrashed, "with code 1 (Error): ServerCrashed: signal 11: see the log; the client reported: broken pipe"}},
		"killed by a signal":                     {lost, began, unlooked(same, restarted(3, corev1.ContainerStateTerminated{ExitCode: 139, Reason: "Error"})), want{"", v1alpha1.ReasonTargetCrashed, "code 139 (signal 11)"}},
		"an exit code above every signal":        {lost, began, unlooked(same, restarted(3, corev1.ContainerStateTerminated{ExitCode: 255, Reason: "Error"})), want{"", v1alpha1.ReasonTargetCrashed, "code 255 (Error)"}},
		"killed by a signal that is told":        {lost, began, unlooked(same, restarted(3, corev1.ContainerStateTerminated{Signal: 9})), want{"", v1alpha1.ReasonTargetCrashed, "by signal 9"}},
		"restarted without a trace":              {lost, began, unlooked(same, container(corev1.ContainerStatus{RestartCount: 3})), want{"", v1alpha1.ReasonTargetCrashed, "did not see"}},
		"a reason of its own stays":              {string(contract.ReasonCredentialsRejected), began, unlooked(same, restarted(3, oom)), want{"", string(contract.ReasonCredentialsRejected), "broken pipe"}},
		"a tool that failed with the server":     {string(contract.ReasonToolFailed), began, unlooked(same, restarted(3, crash)), want{"", v1alpha1.ReasonTargetCrashed, "ServerCrashed"}},
		"a tool that failed alone":               {string(contract.ReasonToolFailed), began, looked(up, same, restarted(2, crash)), want{"", string(contract.ReasonToolFailed), "broken pipe"}},
		"a setting that a start undid":           {string(contract.ReasonSettingNotInForce), began, unlooked(same, restarted(3, oom)), want{"", v1alpha1.ReasonTargetOOMKilled, "larger shape"}},
		"a setting that the server changed":      {string(contract.ReasonSettingNotInForce), began, looked(up, same, restarted(2, oom)), want{"", string(contract.ReasonSettingNotInForce), "broken pipe"}},
		"a server that could not be reached":     {string(contract.ReasonTargetUnreachable), began, unlooked(same, exited(crash)), want{"", v1alpha1.ReasonTargetCrashed, "ServerCrashed"}},
		"another pod in its place":               {lost, began, unlooked(uid("v"), restarted(0, oom)), want{"", v1alpha1.ReasonTargetPodDeleted, "another took its place"}},
		"no pod":                                 {lost, began, Seen{}, want{"", v1alpha1.ReasonTargetPodDeleted, "was deleted"}},
		"no pod and no node":                     {lost, began, Seen{NodeKnown: true}, want{"", v1alpha1.ReasonNodeLost, "is gone"}},
		"evicted":                                {lost, began, unlooked(same, deleting, disruptedBy("EvictionByEvictionAPI")), want{"", v1alpha1.ReasonPodEvicted, "drain"}},
		"evicted, and ended by that":             {lost, began, unlooked(same, exited(corev1.ContainerStateTerminated{ExitCode: 143}), disruptedBy("PreemptionByScheduler")), want{"", v1alpha1.ReasonPodEvicted, "priority"}},
		"being deleted":                          {lost, began, unlooked(same, deleting), want{"", v1alpha1.ReasonTargetPodDeleted, "is being deleted"}},
		"a node that is not ready":               {lost, began, looked(down, same, restarted(2, oom)), want{"", v1alpha1.ReasonNodeLost, "not ready"}},
		"a node that is gone":                    {lost, began, looked(nil, same, restarted(2, oom)), want{"", v1alpha1.ReasonNodeLost, "is gone"}},
		"a crash is a fact even on a node lost":  {lost, began, looked(nil, same, restarted(3, oom)), want{"", v1alpha1.ReasonTargetOOMKilled, ""}},
		"an end that a lost node did not see":    {lost, began, looked(nil, same, exited(corev1.ContainerStateTerminated{ExitCode: 137, Reason: "ContainerStatusUnknown"})), want{"", v1alpha1.ReasonNodeLost, "is gone"}},
		"a beginning that is not known":          {lost, Began{}, unlooked(same, restarted(3, oom)), want{"", lost, "broken pipe"}},
		"an end after a beginning not known":     {lost, Began{}, unlooked(same, exited(oom)), want{"", v1alpha1.ReasonTargetOOMKilled, ""}},
		"another container's end does not count": {lost, began, unlooked(same, restarted(3, oom), func(p *corev1.Pod) { p.Status.ContainerStatuses[0].Name = "other" }), want{"", lost, "broken pipe"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			reason, message := Cause(tt.reason, "broken pipe", tt.began, tt.target, "main")
			if reason != tt.want.reason || !strings.Contains(message, tt.want.message) {
				t.Errorf("got %s: %s\nwant %+v", reason, message, tt.want)
			}
		})
	}
}

func TestRestarted(t *testing.T) {
	began := Began{PodUID: "u", Restarts: 2}
	tests := map[string]struct {
		began  Began
		target Seen
		want   bool
	}{
		"a server that is as it was":    {began, unlooked(uid("u"), restarted(2, oom)), false},
		"one more restart":              {began, unlooked(uid("u"), restarted(3, oom)), true},
		"a container that just ended":   {began, unlooked(uid("u"), exited(crash)), true},
		"another pod":                   {began, unlooked(uid("v"), restarted(2, oom)), true},
		"no pod":                        {began, Seen{}, true},
		"a beginning that is not known": {Began{}, unlooked(uid("u"), restarted(3, oom)), false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Restarted(tt.began, tt.target.Pod, "main"); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestBeganTravelsAsText(t *testing.T) {
	for _, seen := range []Seen{{}, unlooked(uid("u")), unlooked(uid("1b4e-2"), restarted(7, oom))} {
		want := BeganAs(seen.Pod, "main")
		if got, err := ParseBegan(want.String()); err != nil || got != want {
			t.Errorf("%q became %+v, %v; want %+v", want, got, err, want)
		}
	}
	if got := BeganAs(unlooked(uid("u"), restarted(7, oom)).Pod, "main"); got != (Began{PodUID: "u", Restarts: 7}) {
		t.Errorf("got %+v", got)
	}
	for _, text := range []string{"u", "u/", "/1", "u/x", "u/-1", "u/1/2", "u/99999999999"} {
		if got, err := ParseBegan(text); err == nil || got != (Began{}) {
			t.Errorf("%q became %+v", text, got)
		}
	}
}

func FuzzParseBegan(f *testing.F) {
	f.Add("u/1")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		b, err := ParseBegan(text)
		if err != nil {
			return
		}
		if again, err := ParseBegan(b.String()); err != nil || again != b {
			t.Errorf("%q became %+v, then %+v, %v", text, b, again, err)
		}
	})
}

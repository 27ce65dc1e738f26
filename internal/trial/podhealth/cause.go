package podhealth

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// Began identifies a database pod and its restarts at the start of a trial. The zero value
// means unknown.
type Began struct {
	PodUID types.UID
	// Restarts of the database container.
	Restarts int32
}

// BeganAs is the Began of a trial that starts now; zero without a pod.
func BeganAs(pod *corev1.Pod, container string) Began {
	if pod == nil {
		return Began{}
	}
	b := Began{PodUID: pod.UID}
	if s := containerStatus(pod, container); s != nil {
		b.Restarts = s.RestartCount
	}
	return b
}

// String is the form that ParseBegan reads: UID/RESTARTS; empty for the zero value.
func (b Began) String() string {
	if b.PodUID == "" {
		return ""
	}
	return fmt.Sprintf("%s/%d", b.PodUID, b.Restarts)
}

// ParseBegan reads what String wrote.
func ParseBegan(text string) (Began, error) {
	if text == "" {
		return Began{}, nil
	}
	uid, count, _ := strings.Cut(text, "/")
	restarts, err := strconv.ParseInt(count, 10, 32)
	if uid == "" || err != nil || restarts < 0 {
		return Began{}, fmt.Errorf("%q is not what a database pod was when a trial began: want UID/RESTARTS", text)
	}
	return Began{PodUID: types.UID(uid), Restarts: int32(restarts)}, nil
}

// brokenOff are reasons of clients whose server may have ended.
var brokenOff = map[string]bool{
	string(contract.ReasonConnectionLost): true, string(contract.ReasonTargetUnreachable): true, string(contract.ReasonToolFailed): true,
	string(contract.ReasonReplicationFailed): true, string(contract.ReasonResetFailed): true, string(contract.ReasonSnapshotFailed): true,
	string(contract.ReasonSettingNotInForce): true, // a server that started again has those of its target
}

// Cause replaces a client's failure by the failure of the database pod and its container of
// the given name, because a client sees only that its connections broke. The client's failure
// stays when the pod is unchanged since the start of the trial, or when the client's reason is
// unrelated.
func Cause(reason, message string, began Began, target Seen, container string) (string, string) {
	if !brokenOff[reason] {
		return reason, message
	}
	v, known := targetFailure(began, target, container)
	if !known {
		return reason, message
	}
	return v.Reason, because(v.Message, message)
}

// targetFailure returns the failure of a database pod since the start of a trial. Facts of the
// pod have priority over conclusions from its node.
func targetFailure(began Began, target Seen, container string) (Verdict, bool) {
	state, bad := nodeState(target)
	switch {
	case target.Pod == nil && bad:
		return failed(v1alpha1.ReasonNodeLost, "the database pod is gone, and its node %s", state), true
	case target.Pod == nil:
		return failed(v1alpha1.ReasonTargetPodDeleted, "the database pod was deleted during the trial"), true
	case began.PodUID != "" && target.Pod.UID != began.PodUID:
		return failed(v1alpha1.ReasonTargetPodDeleted, "the database pod %s was deleted during the trial, and another took its place", target.Pod.Name), true
	}
	if v, known := disruption(target); known {
		return v, true
	}
	if t := endedSince(began, target.Pod, container); t != nil && (t.Reason != statusUnknown || !bad) {
		return serverEnd(target.Pod, t), true
	}
	if bad {
		return failed(v1alpha1.ReasonNodeLost, "node %s of the database pod %s %s", target.Pod.Spec.NodeName, target.Pod.Name, state), true
	}
	if target.Pod.DeletionTimestamp != nil {
		return failed(v1alpha1.ReasonTargetPodDeleted, "the database pod %s is being deleted", target.Pod.Name), true
	}
	return Verdict{}, false
}

// endedSince returns how the database container ended since the start of a trial; nil when it
// did not.
func endedSince(began Began, pod *corev1.Pod, container string) *corev1.ContainerStateTerminated {
	s := containerStatus(pod, container)
	switch {
	case s == nil:
		return nil
	case s.State.Terminated != nil:
		return s.State.Terminated
	case began.PodUID != "" && s.RestartCount > began.Restarts:
		if t := s.LastTerminationState.Terminated; t != nil {
			return t
		}
		return &corev1.ContainerStateTerminated{Reason: statusUnknown}
	}
	return nil
}

// serverEnd returns how a database container ended, from the agent's termination message if
// there is one.
func serverEnd(pod *corev1.Pod, t *corev1.ContainerStateTerminated) Verdict {
	if t.Reason == oomKilled {
		return outOfMemory(pod)
	}
	v := failed(v1alpha1.ReasonTargetCrashed, "the database of pod %s ended %s", pod.Name, exit(t))
	var told contract.TargetTermination
	if json.Unmarshal([]byte(t.Message), &told) == nil && told.Reason != "" {
		v.Message += fmt.Sprintf(": %s: %s", told.Reason, told.Message)
	}
	return v
}

func outOfMemory(pod *corev1.Pod) Verdict {
	return failed(v1alpha1.ReasonTargetOOMKilled,
		"the database of pod %s needed more memory than its shape has: lower its buffers or take a larger shape", pod.Name)
}

// exit describes how a process ended. An exit code above 128 stands for a signal.
func exit(t *corev1.ContainerStateTerminated) string {
	switch {
	case t.Reason == statusUnknown:
		return "in a way that its node did not see"
	case t.Signal != 0:
		return fmt.Sprintf("by signal %d", t.Signal)
	case t.ExitCode > 128 && t.ExitCode < 192:
		return fmt.Sprintf("with code %d (signal %d)", t.ExitCode, t.ExitCode-128)
	}
	return fmt.Sprintf("with code %d (%s)", t.ExitCode, t.Reason)
}

// Restarted reports whether the measured server has restarted since the start of the trial:
// its container ended, or its pod was replaced or deleted. The trial is then disturbed, even
// if its tool noticed nothing. It is false when the state at the start is unknown.
func Restarted(began Began, pod *corev1.Pod, container string) bool {
	if began.PodUID == "" {
		return false
	}
	if pod == nil || pod.UID != began.PodUID {
		return true
	}
	return endedSince(began, pod, container) != nil
}

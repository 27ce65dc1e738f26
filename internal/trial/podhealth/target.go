package podhealth

import (
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// crashes is how often a database may end before its first readiness, for transient reasons.
const crashes = 3

// permanentReasons are the reasons of `agent target` that a retry cannot fix.
var permanentReasons = map[contract.TargetReason]bool{
	contract.ReasonServerRefusedSetting: true, contract.ReasonServerMissing: true, contract.ReasonInitialisationFailed: true,
	contract.ReasonVolumeUnfit: true,
}

// Target returns the verdict on a database pod, from its container of the given name.
func Target(pod *corev1.Pod, container string, l config.Timeouts, now time.Time) Verdict {
	s := containerStatus(pod, container)
	if s != nil {
		if v, is := ended(pod, s); is {
			return v
		}
		if s.Ready {
			return Verdict{State: Ready}
		}
	}
	if now.Sub(pod.CreationTimestamp.Time) > l.TargetReady.Duration {
		return failed(v1alpha1.ReasonDeadlineExceeded, "pod %s accepted no login within %s: see its log", pod.Name, l.TargetReady.Duration)
	}
	if s != nil && s.State.Running != nil {
		return Verdict{State: Running, Reason: v1alpha1.ReasonProgressing, Message: "the server in pod " + pod.Name + " is starting"}
	}
	return Starting(pod, l, now)
}

// ended returns the verdict on a database container that ended, now or before its last
// restart.
func ended(pod *corev1.Pod, s *corev1.ContainerStatus) (Verdict, bool) {
	t := s.State.Terminated
	if t == nil {
		t = s.LastTerminationState.Terminated
	}
	if t == nil || s.Ready {
		return Verdict{}, false
	}
	v := Verdict{State: Failed, Reason: v1alpha1.ReasonTargetCrashed}
	var told contract.TargetTermination
	switch {
	case t.Reason == oomKilled:
		return outOfMemory(pod), true
	case json.Unmarshal([]byte(t.Message), &told) == nil && told.Reason != "":
		v.Reason, v.Message = string(told.Reason), told.Message
		if permanentReasons[told.Reason] {
			return v, true
		}
	default:
		v.Message = fmt.Sprintf("the database of pod %s ended %s", pod.Name, exit(t))
	}
	return v, s.RestartCount >= crashes
}

// TargetAgain returns the verdict on a database pod before a later trial: it was ready before,
// and may have restarted, or was stopped and started again.
//
// An unready pod may wait for l.TargetReady from its creation or the last start of its
// container, whichever is later, because a crashed server needs time to recover. A container
// that ended again without becoming ready is in a crash loop. It fails at once for a permanent
// reason, and otherwise when the pod has been unready for l.TargetReady in total.
func TargetAgain(seen Seen, container string, l config.Timeouts, now time.Time) Verdict {
	pod := seen.Pod
	s := containerStatus(pod, container)
	state, bad := nodeState(seen)
	// On a silent node the container still counts as ready; the pod does not.
	if s != nil && s.Ready && lostReadiness(pod).IsZero() && pod.DeletionTimestamp == nil && !bad {
		return Verdict{State: Ready}
	}
	if v, lost := nodeLost(seen, l.TrialGrace.Duration, now); lost {
		return v
	}
	unready := unreadySince(seen)
	if s != nil {
		if v, is := crashLoop(pod, s, unready, now.Sub(unready) > l.TargetReady.Duration); is {
			return v
		}
	}
	if since := later(unready, lastStart(s)); now.Sub(since) > l.TargetReady.Duration {
		return failed(v1alpha1.ReasonDeadlineExceeded, "pod %s accepted no login for %s: see its log", pod.Name, l.TargetReady.Duration)
	}
	if cause, known := disruption(seen); known {
		return Verdict{State: Waiting, Reason: cause.Reason, Message: cause.Message}
	}
	if bad {
		return Verdict{State: Waiting, Reason: v1alpha1.ReasonNodeLost, Message: onNode(pod, state).Message}
	}
	if pod.DeletionTimestamp != nil {
		return Verdict{State: Waiting, Reason: v1alpha1.ReasonProgressing, Message: "pod " + pod.Name + " is being deleted"}
	}
	if lastStart(s).IsZero() {
		return Starting(pod, l, now)
	}
	return Verdict{State: Running, Reason: v1alpha1.ReasonProgressing, Message: "the server in pod " + pod.Name + " is starting again"}
}

// crashLoop returns the verdict on a container that restarted after the pod lost its
// readiness, and ended again.
func crashLoop(pod *corev1.Pod, s *corev1.ContainerStatus, unready time.Time, overdue bool) (Verdict, bool) {
	t := s.State.Terminated
	if t == nil {
		t = s.LastTerminationState.Terminated
	}
	if t == nil || t.StartedAt.Time.Before(unready) {
		return Verdict{}, false
	}
	v, final := ended(pod, s)
	// The number of ends since then is known only if the pod was never ready.
	certain := permanentReasons[contract.TargetReason(v.Reason)] || v.Reason == v1alpha1.ReasonTargetOOMKilled || neverReady(pod)
	return v, final && certain || overdue
}

// neverReady reports whether an unready pod was never ready: its condition Ready did not
// change after the init containers ended.
func neverReady(pod *corev1.Pod) bool {
	_, initialised := condition(pod, corev1.PodInitialized)
	return !lostReadiness(pod).After(initialised)
}

// unreadySince is when the database of an unready pod became unusable.
func unreadySince(seen Seen) time.Time {
	since := later(seen.Pod.CreationTimestamp.Time, lostReadiness(seen.Pod))
	if at := seen.Pod.DeletionTimestamp; at != nil {
		since = later(since, at.Time)
	}
	if _, bad := nodeState(seen); bad && seen.Node != nil {
		since = later(since, readyCondition(seen.Node).LastTransitionTime.Time)
	}
	return since
}

// lostReadiness is when a pod became unready; zero where it is unknown.
func lostReadiness(pod *corev1.Pod) time.Time {
	if status, since := condition(pod, corev1.PodReady); status == corev1.ConditionFalse {
		return since
	}
	return time.Time{}
}

// lastStart of a container, or its end if it has not started again; zero without
// either.
func lastStart(s *corev1.ContainerStatus) time.Time {
	var at time.Time
	if s == nil {
		return at
	}
	if s.State.Running != nil {
		at = s.State.Running.StartedAt.Time
	}
	for _, t := range []*corev1.ContainerStateTerminated{s.State.Terminated, s.LastTerminationState.Terminated} {
		if t != nil {
			at = later(at, t.FinishedAt.Time)
		}
	}
	return at
}

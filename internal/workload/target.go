package workload

import (
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/config"
)

// crashes is how often a database may end before it was ever ready, for reasons
// that a second try can mend.
const crashes = 3

// hopeless are the reasons of `agent target` that a second try cannot mend.
var hopeless = map[engine.Reason]bool{
	engine.ReasonConfigurationRejected: true, engine.ReasonServerMissing: true, engine.ReasonInitialisationFailed: true,
}

// Target judges a database pod by its container of the given name.
func Target(pod *corev1.Pod, container string, l config.Limits, now time.Time) Verdict {
	s := containerStatus(pod, container)
	if s != nil {
		if v, failed := ended(pod, s); failed {
			return v
		}
		if s.Ready {
			return Verdict{State: Ready}
		}
	}
	if now.Sub(pod.CreationTimestamp.Time) > l.TargetReady.Duration {
		return Verdict{State: Failed, Reason: v1alpha1.ReasonDeadlineExceeded, Message: fmt.Sprintf(
			"pod %s accepted no login within %s: see its log", pod.Name, l.TargetReady.Duration)}
	}
	if s != nil && s.State.Running != nil {
		return Verdict{State: Running, Reason: v1alpha1.ReasonProgressing, Message: "the server in pod " + pod.Name + " is starting"}
	}
	return Starting(pod, l, now)
}

// ended judges a database container that ended, now or before its last restart.
func ended(pod *corev1.Pod, s *corev1.ContainerStatus) (Verdict, bool) {
	t := s.State.Terminated
	if t == nil {
		t = s.LastTerminationState.Terminated
	}
	if t == nil || s.Ready {
		return Verdict{}, false
	}
	v := Verdict{State: Failed, Reason: v1alpha1.ReasonTargetCrashed}
	var told engine.Termination
	switch {
	case t.Reason == "OOMKilled":
		v.Reason = v1alpha1.ReasonTargetOOMKilled
		v.Message = fmt.Sprintf("the database of pod %s needed more memory than its shape has: lower its buffers or take a larger shape", pod.Name)
		return v, true
	case json.Unmarshal([]byte(t.Message), &told) == nil && told.Reason != "":
		v.Reason, v.Message = string(told.Reason), told.Message
		if hopeless[told.Reason] {
			return v, true
		}
	default:
		v.Message = fmt.Sprintf("the database of pod %s ended with code %d (%s)", pod.Name, t.ExitCode, t.Reason)
	}
	return v, s.RestartCount >= crashes
}

package podhealth

import (
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// oomKilled and statusUnknown are reasons of a container that ended. The kubelet uses the
// second one for a container that it no longer finds.
const (
	oomKilled     = "OOMKilled"
	statusUnknown = "ContainerStatusUnknown"
)

// over are the phases of a pod that no longer runs.
var over = map[corev1.PodPhase]bool{corev1.PodFailed: true, corev1.PodSucceeded: true, corev1.PodUnknown: true}

// Containers are the names of the containers of a client pod.
type Containers struct{ Agent, Tool string }

// toolEvidence is how long after the failure of an agent the kubelet is given to report what
// became of the tool's container, which ends with the agent or took it along.
const toolEvidence = 5 * time.Second

// Client returns the verdict on an existing pod of a client Job. The agent's container says how
// the client ended. A pod whose agent has ended has a reason when the cause was outside of it:
// see Verdict.Explain. A node may be unready for l.TrialGrace, because the client may
// continue.
func Client(seen Seen, c Containers, l config.Timeouts, now time.Time) Verdict {
	pod := seen.Pod
	s, tool := containerStatus(pod, c.Agent), containerStatus(pod, c.Tool)
	if s != nil && s.State.Terminated != nil {
		ended := s.State.Terminated
		if until := ended.FinishedAt.Add(toolEvidence); ended.ExitCode != 0 && tool != nil && tool.State.Running != nil && now.Before(until) {
			return Verdict{State: Running, Until: until}
		}
		return endedClient(seen, ended, tool)
	}
	cause, outside := disruption(seen)
	switch {
	case outside && over[pod.Status.Phase]:
		return cause
	case pod.Status.Phase == corev1.PodFailed && pod.Status.Reason == "DeadlineExceeded":
		return failed(v1alpha1.ReasonDeadlineExceeded, "pod %s did not end in time", pod.Name)
	case pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded:
		return failed(v1alpha1.ReasonClientLost, "pod %s ended without its container (%s): %s", pod.Name, pod.Status.Reason, pod.Status.Message)
	}
	if v, lost := nodeLost(seen, l.TrialGrace.Duration, now); lost {
		return v
	}
	if tool != nil && tool.State.Waiting != nil {
		// The agent waits for the tool's container, whose image may be on its way.
		return Starting(pod, l, now)
	}
	if s != nil && s.State.Running != nil {
		// The pod may be terminating; until it has ended, it can deliver its result.
		return Verdict{State: Running}
	}
	return Starting(pod, l, now)
}

func endedClient(seen Seen, t *corev1.ContainerStateTerminated, tool *corev1.ContainerStatus) Verdict {
	v, outside := disruption(seen)
	state, bad := nodeState(seen)
	switch {
	case t.Reason == oomKilled:
		v = failed(v1alpha1.ReasonAgentOOMKilled,
			"the agent of pod %s needed more memory than agent.resources of the operator's configuration gives it", seen.Pod.Name)
	case tool != nil && tool.State.Terminated != nil && tool.State.Terminated.Reason == oomKilled:
		v = failed(v1alpha1.ReasonClientOOMKilled,
			"the tool of pod %s needed more memory than its shape has: take a larger shape", seen.Pod.Name)
	case outside:
	case t.Reason == statusUnknown && bad:
		v = onNode(seen.Pod, state)
	case t.Reason == statusUnknown:
		v = failed(v1alpha1.ReasonClientLost, "the container of pod %s vanished from its node: %s", seen.Pod.Name, t.Message)
	}
	v.State, v.Terminated = Ended, t
	return v
}

// consequences are reasons of clients that were interrupted by something else.
var consequences = map[string]bool{
	string(contract.ReasonInterrupted): true, string(contract.ReasonDeliveryFailed): true,
	v1alpha1.ReasonResultMissing: true, v1alpha1.ReasonClientLost: true, string(contract.ReasonToolLost): true,
}

// Explain replaces the failure of an interrupted client by the cause in the verdict on its
// pod. Any other failure stays, except that of a tool without memory: a kernel may kill the tool
// alone, or its whole container.
func (v Verdict) Explain(reason, message string) (string, string) {
	starved := v.Reason == v1alpha1.ReasonClientOOMKilled && reason == string(contract.ReasonToolFailed)
	if v.Reason == "" || !consequences[reason] && !starved {
		return reason, message
	}
	return v.Reason, because(v.Message, message)
}

// because joins a cause and the client's message.
func because(cause, seen string) string {
	if seen == "" {
		return cause
	}
	return cause + "; the client reported: " + seen
}

// JobFailure returns why a Job without pods failed; ok is false while the Job has not failed.
func JobFailure(job *batchv1.Job) (v Verdict, ok bool) {
	for _, c := range job.Status.Conditions {
		if c.Status == corev1.ConditionTrue && (c.Type == batchv1.JobFailed || c.Type == batchv1.JobFailureTarget) {
			return jobFailure(job, c), true
		}
	}
	return Verdict{}, false
}

func jobFailure(job *batchv1.Job, c batchv1.JobCondition) Verdict {
	if c.Reason == batchv1.JobReasonDeadlineExceeded {
		return failed(v1alpha1.ReasonDeadlineExceeded, "Job %s did not end within %d s", job.Name, ptr.Deref(job.Spec.ActiveDeadlineSeconds, 0))
	}
	if c.Reason == batchv1.JobReasonPodFailurePolicy && strings.Contains(c.Message, string(corev1.DisruptionTarget)) {
		return failed(v1alpha1.ReasonPodEvicted, "the pod of Job %s was evicted, preempted, or lost its node: %s", job.Name, c.Message)
	}
	return failed(v1alpha1.ReasonClientLost, "the pod of Job %s is gone (%s): it was deleted, evicted, or its node was lost", job.Name, c.Reason)
}

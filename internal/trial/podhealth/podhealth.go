// Package podhealth judges pods and Jobs. In: the status of a pod, its node or its Job, the
// timeouts and the time. Out: a Verdict with the state, and for a failure the reason and the
// remedy. It is pure. It refuses nothing: what the status does not show is Waiting.
package podhealth

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/config"
)

// State of a pod of a run.
type State string

// States of a pod.
const (
	// Waiting: the pod does not run yet, and there is no failure.
	Waiting State = "Waiting"
	// Running: its containers run.
	Running State = "Running"
	// Ready: it runs and passes its readiness check.
	Ready State = "Ready"
	// Ended: the main container has ended; see Verdict.Terminated.
	Ended State = "Ended"
	// Failed: the pod will not run without intervention.
	Failed State = "Failed"
)

// Verdict is the judgement on a pod.
type Verdict struct {
	State State
	// Reason is set for Waiting and Failed, from the list in api/v1alpha1; for Ended when the
	// cause was outside the container.
	Reason string
	// Message is for people: the problem and the remedy.
	Message string
	// Terminated is set for Ended.
	Terminated *corev1.ContainerStateTerminated
	// Until is when a pod that is Running has to be judged again, without news of it; zero for
	// never.
	Until time.Time
}

// pullErrors are the waiting reasons of an image that could not be pulled, and whether a retry
// can help.
var pullErrors = map[string]bool{
	"ErrImagePull": true, "ImagePullBackOff": true, "RegistryUnavailable": true,
	"ErrImageNeverPull": false, "InvalidImageName": false, "ImageInspectError": true,
	"SignatureValidationFailed": false,
}

// startErrors are the waiting reasons of a container that could not be started.
var startErrors = map[string]bool{
	"CreateContainerConfigError": true, "CreateContainerError": true, "RunContainerError": true,
	"StartError": true,
}

// Missing returns the verdict on a pod owner (a StatefulSet or a Job) without a pod.
func Missing(created time.Time, l config.Timeouts, now time.Time) Verdict {
	if now.Sub(created) > l.PodCreation.Duration {
		return failed(v1alpha1.ReasonPodRejected,
			"no pod was created within %s: an admission policy, a quota or a missing permission refuses it; kubectl get events names it",
			l.PodCreation.Duration)
	}
	return Verdict{State: Waiting, Reason: v1alpha1.ReasonProgressing, Message: "waiting for the pod to be created"}
}

// Starting returns the verdict on a pod whose main container has not run yet.
func Starting(pod *corev1.Pod, l config.Timeouts, now time.Time) Verdict {
	scheduled, since := condition(pod, corev1.PodScheduled)
	if scheduled != corev1.ConditionTrue {
		return unscheduled(pod, l, now)
	}
	for _, s := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if s.State.Waiting == nil {
			continue
		}
		if v, ok := waitingContainer(s, now.Sub(since), l); ok {
			return v
		}
	}
	if now.Sub(since) > l.PodStart.Duration {
		return failed(v1alpha1.ReasonContainerStartFailed,
			"pod %s did not start within %s of its scheduling: see its events", pod.Name, l.PodStart.Duration)
	}
	return Verdict{State: Waiting, Reason: v1alpha1.ReasonProgressing, Message: "pod " + pod.Name + " is starting"}
}

func unscheduled(pod *corev1.Pod, l config.Timeouts, now time.Time) Verdict {
	message := "waiting for the scheduler"
	since := pod.CreationTimestamp.Time
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Reason == corev1.PodReasonUnschedulable {
			message = c.Message
		}
	}
	if now.Sub(since) > l.Scheduling.Duration {
		return failed(v1alpha1.ReasonUnschedulable, "no node for pod %s within %s: %s", pod.Name, l.Scheduling.Duration, message)
	}
	return Verdict{State: Waiting, Reason: v1alpha1.ReasonUnschedulable, Message: "pod " + pod.Name + ": " + message}
}

// waitingContainer returns the verdict on a waiting container; ok is false for an ordinary
// wait.
func waitingContainer(s corev1.ContainerStatus, waited time.Duration, l config.Timeouts) (Verdict, bool) {
	w := s.State.Waiting
	retry, isPull := pullErrors[w.Reason]
	var v Verdict
	switch {
	case isPull:
		v = failed(v1alpha1.ReasonImagePullFailed, "image %s cannot be pulled (%s): %s; kubectl assay explain %s says what to do",
			s.Image, w.Reason, w.Message, v1alpha1.ReasonImagePullFailed)
	case startErrors[w.Reason]:
		v, retry = failed(v1alpha1.ReasonContainerStartFailed, "container %s cannot be started (%s): %s", s.Name, w.Reason, w.Message), true
	default:
		return Verdict{}, false
	}
	if retry && waited <= l.ImagePull.Duration {
		v.State = Waiting
	}
	return v, true
}

func condition(pod *corev1.Pod, t corev1.PodConditionType) (corev1.ConditionStatus, time.Time) {
	for _, c := range pod.Status.Conditions {
		if c.Type == t {
			return c.Status, c.LastTransitionTime.Time
		}
	}
	return corev1.ConditionUnknown, pod.CreationTimestamp.Time
}

func containerStatus(pod *corev1.Pod, name string) *corev1.ContainerStatus {
	for i := range pod.Status.ContainerStatuses {
		if pod.Status.ContainerStatuses[i].Name == name {
			return &pod.Status.ContainerStatuses[i]
		}
	}
	return nil
}

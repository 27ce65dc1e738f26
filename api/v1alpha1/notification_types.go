package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// NotificationType is the type of an event that receivers get.
// +kubebuilder:validation:Enum=run.completed;run.failed;gate.passed;gate.failed;gate.undecided
type NotificationType string

// Types of notifications.
const (
	// NotifyRunCompleted: the run became Complete.
	NotifyRunCompleted NotificationType = "run.completed"
	// NotifyRunFailed: the run became Failed.
	NotifyRunFailed NotificationType = "run.failed"
	// NotifyGatePassed: the condition Passed of a run that has ended became True.
	NotifyGatePassed NotificationType = "gate.passed"
	// NotifyGateFailed: the condition Passed of a run that has ended became False.
	NotifyGateFailed NotificationType = "gate.failed"
	// NotifyGateUndecided: the gate of a run that has ended could not decide, and Passed is Unknown.
	NotifyGateUndecided NotificationType = "gate.undecided"
)

// NotificationTypes are all of them.
func NotificationTypes() []NotificationType {
	return []NotificationType{NotifyRunCompleted, NotifyRunFailed, NotifyGatePassed, NotifyGateFailed, NotifyGateUndecided}
}

// NotificationOutcome is how a notification ended.
// +kubebuilder:validation:Enum=Delivered;Refused;GivenUp
type NotificationOutcome string

// Outcomes of notifications.
const (
	// NotificationDelivered: the receiver answered with a status from 200 to 299.
	NotificationDelivered NotificationOutcome = "Delivered"
	// NotificationRefused: the receiver answered 410, which says that it wants no more of them.
	NotificationRefused NotificationOutcome = "Refused"
	// NotificationGivenUp: no attempt succeeded within the time that the operator's configuration sets.
	NotificationGivenUp NotificationOutcome = "GivenUp"
)

// MaxNotifications is how many notifications the status remembers: those of 16 receivers.
const MaxNotifications = 80

// NotificationStatus is a notification that needs no further attempt. The controller of
// notifications writes it, and no other.
type NotificationStatus struct {
	// receiver is the name of the receiver in the operator's configuration.
	// +required
	// +kubebuilder:validation:MaxLength=40
	Receiver string `json:"receiver"`
	// type of the event: run.completed, run.failed, gate.passed, gate.failed or gate.undecided.
	// +required
	Type NotificationType `json:"type"`
	// outcome is Delivered, Refused (the receiver wants no more of them) or GivenUp (no attempt
	// succeeded for too long).
	// +required
	Outcome NotificationOutcome `json:"outcome"`
	// time of the last attempt.
	// +required
	Time metav1.Time `json:"time"`
}

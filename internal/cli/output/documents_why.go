package output

import "time"

// WhyVersion names the format of Why. A reader refuses any other.
const WhyVersion = "assay.dev/cli/why/v1"

// Why is what a run waits for, or why it ended as it did: `why -o json`.
type Why struct {
	// Version is always WhyVersion.
	Version   string `json:"version"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Phase     string `json:"phase"`
	// Outcome is as that of `get`.
	Outcome string `json:"outcome"`
	// Causes, the one that decides first. A run that goes on or has passed may have none.
	Causes []Cause `json:"causes"`
	// Pods of the run that are not ready.
	Pods []PendingPod `json:"pods"`
	// PodsUnknown says why the pods are not known; absent when they are.
	PodsUnknown string `json:"podsUnknown,omitempty"`
}

// Cause is a condition, a failed trial or a finding.
type Cause struct {
	// Of is the condition, such as Placed, or the trial.
	Of string `json:"of"`
	// Reason of the condition, as `kubectl assay explain` knows it.
	Reason  string     `json:"reason"`
	Message string     `json:"message"`
	Since   *time.Time `json:"since,omitempty"`
	// Who is to act.
	Who string `json:"who,omitempty"`
	// Do says what, the first thing first.
	Do []string `json:"do,omitempty"`
}

// PendingPod is a pod that is not ready.
type PendingPod struct {
	Name    string `json:"name"`
	Phase   string `json:"phase"`
	Message string `json:"message"`
}

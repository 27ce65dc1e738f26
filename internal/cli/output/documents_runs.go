package output

import (
	"time"

	"github.com/assay-bench/assay/internal/record/rerun"
)

// Check says whether a repetition lies within what earlier runs predict: `rerun --check -o json`.
type Check struct {
	Version string `json:"version"`
	// Checked run, and the earlier ones that predict it.
	Checked string   `json:"checked"`
	Earlier []string `json:"earlier"`
	// Within: every measurement that is predicted lies within its interval. Those of missing are not among them.
	Within bool `json:"within"`
	// Confidence that all measurements of a run like the earlier ones lie within their intervals, such as 0.95.
	Confidence float64 `json:"confidence"`
	// Predictions in the order of the plan.
	Predictions []rerun.Prediction `json:"predictions"`
	// Missing are measurements of which nothing is predicted, with why.
	Missing []string `json:"missing,omitempty"`
	// Between says what differs between the earlier runs and the one that is checked, such as versions and settings of
	// servers, or is not known of them. It does not decide.
	Between []string `json:"between,omitempty"`
	// Caveats say why a run may not be relied on.
	Caveats []string `json:"caveats,omitempty"`
	// Verdict in one line.
	Verdict string `json:"verdict"`
}

// Verification of what a run has stored: `verify -o json`.
type Verification struct {
	Version   string `json:"version"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
	// Verified: nothing that was compared differs or is gone.
	Verified bool `json:"verified"`
	// Plan, Records and Summary are numbers of parts that were compared, Results those of clients, Attempts the records of trials.
	Plan     int `json:"plan"`
	Records  int `json:"records"`
	Attempts int `json:"attempts"`
	Summary  int `json:"summary"`
	Results  int `json:"results"`
	// Store is the folder of the run in the object store; absent without one. Objects are those of it that were compared, absent
	// without --objects, and AbsentObjects those whose absence the run has recorded.
	Store         string `json:"store,omitempty"`
	Objects       *int   `json:"objects,omitempty"`
	AbsentObjects int    `json:"absentObjects,omitempty"`
	// LeftOut counts what a bundle leaves out on purpose of what clients delivered, by key, such as raw.tar.gz; absent for one that is
	// whole. It was not compared.
	LeftOut map[string]int `json:"leftOut,omitempty"`
	// Head of the chain, to be noted; absent where the files of a bundle differ from its index already.
	Head string `json:"head,omitempty"`
	// Differences are what was changed or is gone.
	Differences []Difference `json:"differences,omitempty"`
}

// Difference between what is stored and its digest.
type Difference struct {
	// Kind is tampered or lost.
	Kind string `json:"kind"`
	// Message says what differs, with the object.
	Message string `json:"message"`
}

// Why is what a run waits for, or why it ended as it did: `why -o json`.
type Why struct {
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

// Explanation of a name: `explain -o json`.
type Explanation struct {
	Version string `json:"version"`
	// Kind is reason, check, verdict, field, or what else the word is, such as phase.
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
	// Who is to act on a reason.
	Who string `json:"who,omitempty"`
	// Severities that findings of a check can have.
	Severities []string `json:"severities,omitempty"`
	// Causes that are known, the most usual first.
	Causes []string `json:"causes,omitempty"`
	// Do says what to do, the first thing first.
	Do []string `json:"do,omitempty"`
	// Type of a field, and whether it is required.
	Type     string `json:"type,omitempty"`
	Required bool   `json:"required,omitempty"`
	// Default of a field as JSON.
	Default string `json:"default,omitempty"`
	// Values that a field can have.
	Values []string `json:"values,omitempty"`
	// Bounds of a field in words.
	Bounds string `json:"bounds,omitempty"`
	// Fields below a field.
	Fields []string `json:"fields,omitempty"`
	// Senses are further meanings of the word.
	Senses []Sense `json:"senses,omitempty"`
}

// Sense is a further meaning of a word.
type Sense struct {
	// Kind says what the word is, such as phase.
	Kind    string `json:"kind"`
	Meaning string `json:"meaning"`
}

package output

import "github.com/assay-bench/assay/internal/record/rerun"

// Names of the formats of Check and Verification. A reader refuses any other.
const (
	CheckVersion        = "assay.dev/cli/check/v1"
	VerificationVersion = "assay.dev/cli/verification/v1"
)

// Check says whether a repetition lies within what earlier runs predict: `rerun --check -o json`.
type Check struct {
	// Version is always CheckVersion.
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
	// Version is always VerificationVersion.
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

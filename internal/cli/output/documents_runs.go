package output

// Names of the formats of Comparisons, Check and Verification. A reader refuses any other.
const (
	ComparisonVersion   = "assay.dev/cli/comparison/v1"
	CheckVersion        = "assay.dev/cli/check/v1"
	VerificationVersion = "assay.dev/cli/verification/v1"
)

// Comparisons are what several runs show together: `compare -o json`.
type Comparisons struct {
	// Version is always ComparisonVersion.
	Version string `json:"version"`
	// Runs that were compared, in the order of the command line.
	Runs []string `json:"runs"`
	// Kind is OverRuns for repetitions of one experiment, or RunAgainstRun for the second run against the first one.
	Kind string `json:"kind"`
	// Comparisons: those that were declared before the data, then the control.
	Comparisons []RunsComparison `json:"comparisons"`
	// Compared are the fields of the targets that differ; absent unless two runs are compared with each other.
	Compared []string `json:"compared,omitempty"`
	// Between says what differs between the runs, or is not known of them, besides that.
	Between []string `json:"between,omitempty"`
	// Caveats say why a run may not be relied on.
	Caveats []string `json:"caveats,omitempty"`
	// Verdict in one line.
	Verdict string `json:"verdict"`
}

// RunsComparison is a comparison over runs. Numbers are decimal.
type RunsComparison struct {
	// Family is Primary or Control.
	Family string `json:"family"`
	// Factor whose values are compared: the value with the baseline.
	Factor   string `json:"factor"`
	Value    string `json:"value"`
	Baseline string `json:"baseline"`
	// Target that was measured on both sides; absent where the targets are compared.
	Target string `json:"target,omitempty"`
	// Parameters of the cell, without the factor.
	Parameters map[string]string `json:"parameters,omitempty"`
	// Name of the measurement, with its labels and unit.
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels,omitempty"`
	Unit   string            `json:"unit,omitempty"`
	// Direction is HigherIsBetter or LowerIsBetter; absent where neither is better.
	Direction string `json:"direction,omitempty"`
	// Verdict is Faster, Slower, Higher, Lower, Equivalent, Inconclusive or Exploratory.
	Verdict string `json:"verdict"`
	// BelowMinimumEffect: there is a difference, and it was shown to be less than the minimum effect.
	BelowMinimumEffect bool `json:"belowMinimumEffect,omitempty"`
	// Ratio of the value over the baseline; absent without a pair. The interval is absent where the blocks or runs are too few.
	Ratio              string `json:"ratio,omitempty"`
	IntervalLow        string `json:"intervalLow,omitempty"`
	IntervalHigh       string `json:"intervalHigh,omitempty"`
	IntervalConfidence string `json:"intervalConfidence,omitempty"`
	// P by itself, and for the whole family by Holm.
	P         string `json:"p,omitempty"`
	AdjustedP string `json:"adjustedP,omitempty"`
	// DetectableEffect is the smallest relative difference that is found in four of five such analyses.
	DetectableEffect string `json:"detectableEffect,omitempty"`
	// Blocks that count, and those that were planned.
	Blocks        int32 `json:"blocks"`
	PlannedBlocks int32 `json:"plannedBlocks"`
	// Differences are what else differs between the sides, and matters.
	Differences []string `json:"differences,omitempty"`
	// Reason of a verdict that is Inconclusive or Exploratory, and caveats of others.
	Reason string `json:"reason,omitempty"`
	// Text is the comparison in one line.
	Text string `json:"text"`
	// Ratios that the runs have by themselves, in their order; empty for a run without one. Absent where two runs are compared
	// with each other.
	Ratios []string `json:"ratios,omitempty"`
	// Variation of the ratio; absent where a run has none.
	Variation *Variation `json:"variation,omitempty"`
}

// Variation of a ratio within runs and between them.
type Variation struct {
	// WithinRuns and BetweenRuns are standard deviations of its logarithm, from block to block and from run to run.
	WithinRuns  string `json:"withinRuns,omitempty"`
	BetweenRuns string `json:"betweenRuns,omitempty"`
	// BetweenShare of the variance of the result comes from the differences between runs, 0 to 1.
	BetweenShare string `json:"betweenShare,omitempty"`
	// Buy is Trial for more blocks, Run for more runs; absent where nothing varies.
	Buy string `json:"buy,omitempty"`
	// Text is all of it in one line.
	Text string `json:"text"`
}

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
	Predictions []Prediction `json:"predictions"`
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

// Prediction of a measurement of a target.
type Prediction struct {
	Target string `json:"target"`
	// Where in the experiment: parameters and labels.
	Where map[string]string `json:"where,omitempty"`
	Name  string            `json:"name"`
	Unit  string            `json:"unit"`
	// Low and High bound what a run like the earlier ones gives, in the unit.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Value of the run that is checked: the median over its blocks.
	Value float64 `json:"value"`
	// Within says whether it lies between them.
	Within bool `json:"within"`
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

package output

import "time"

// RunsVersion names the format of Runs, and RunVersion that of Run. A reader refuses any other.
const (
	RunsVersion = "assay.dev/cli/runs/v1"
	RunVersion  = "assay.dev/cli/run/v1"
)

// Runs is a list of runs: `get -o json`.
type Runs struct {
	// Version is always RunsVersion.
	Version string `json:"version"`
	// Runs in the order of their names.
	Runs []RunHead `json:"runs"`
}

// RunHead is a run in a few words.
type RunHead struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
	// Phase of the run; empty until the manager has seen it.
	Phase string `json:"phase"`
	// Outcome is Running until the run has ended, then Valid (there is no gate), Passed, Failed, Invalid, GateFailed or Inconclusive.
	Outcome string `json:"outcome"`
	// ExitCode of `run` and `watch` for this outcome; 0 while it is Running.
	ExitCode int `json:"exitCode"`
	// Message says what the outcome is about.
	Message string `json:"message"`
	Trials  Trials `json:"trials"`
	// Valid and Passed are the conditions: True, False or Unknown. Passed is absent without a gate.
	Valid  string `json:"valid"`
	Passed string `json:"passed,omitempty"`
	// Headline is the main measurement of every target in the first cell.
	Headline string `json:"headline,omitempty"`
	// Verdict is the first comparison in one line.
	Verdict string `json:"verdict,omitempty"`
	// Report is the URL of the stored report, or ConfigMap/NAME of its tables; absent until it is stored.
	Report string `json:"report,omitempty"`
	// Created, Started, Ends and Ended are times. Ends is an estimate, Ended is absent until then.
	Created time.Time  `json:"created"`
	Started *time.Time `json:"started,omitempty"`
	Ends    *time.Time `json:"ends,omitempty"`
	Ended   *time.Time `json:"ended,omitempty"`
}

// Trials are numbers of trials.
type Trials struct {
	Planned   int32 `json:"planned"`
	Done      int32 `json:"done"`
	Succeeded int32 `json:"succeeded"`
	Failed    int32 `json:"failed"`
	Invalid   int32 `json:"invalid"`
	Disturbed int32 `json:"disturbed"`
	Retries   int32 `json:"retries"`
}

// Run is a run with its numbers: `get RUN -o json`.
type Run struct {
	// Version is always RunVersion.
	Version string `json:"version"`
	RunHead
	// Planned says what the plan measures and can show: the message of the condition Accepted.
	Planned string `json:"planned,omitempty"`
	// Targets as they ran.
	Targets []Target `json:"targets"`
	// Measurements that were asked for, those of one name and place together, the measured ones first.
	Measurements []Measurement `json:"measurements"`
	// MoreMeasurements is how many the run has in its ConfigMaps beyond those of its status.
	MoreMeasurements int32 `json:"moreMeasurements,omitempty"`
	// Comparisons in one line each, with their verdicts.
	Comparisons []Comparison `json:"comparisons"`
	// MoreComparisons is how many the run has in its ConfigMaps beyond those of its status.
	MoreComparisons int32 `json:"moreComparisons,omitempty"`
	// Sweeps are the knees and peaks over a load, in one line each.
	Sweeps []string `json:"sweeps,omitempty"`
	// MoreSweeps is how many the run has in its ConfigMaps beyond those of its status.
	MoreSweeps int32 `json:"moreSweeps,omitempty"`
	// Findings against the numbers, without notes.
	Findings []Finding `json:"findings,omitempty"`
}

// Target is a database as it ran, or the source of quoted numbers.
type Target struct {
	Name string `json:"name"`
	// Server is the version that the server reports; absent until it was asked, and of quoted numbers.
	Server string `json:"server,omitempty"`
	// Node of the database pod; absent for a server that Assay did not provide.
	Node string `json:"node,omitempty"`
	// Load has the measurements of loading the data, which is done once.
	Load []Value `json:"load,omitempty"`
	// Quoted is the source of numbers that somebody else measured; absent for a target that was measured here.
	Quoted string `json:"quoted,omitempty"`
}

// Value is a number without a spread, in the unit.
type Value struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels,omitempty"`
	Value  string            `json:"value"`
	Unit   string            `json:"unit"`
}

// Measurement is a number of one target. Numbers are decimal, in the unit.
type Measurement struct {
	Name string `json:"name"`
	// Where in the experiment: parameters and labels.
	Where  map[string]string `json:"where,omitempty"`
	Target string            `json:"target"`
	Unit   string            `json:"unit"`
	// Median of the counted trials, or the quoted number; absent where no trial counts.
	Median string `json:"median,omitempty"`
	// IntervalLow and IntervalHigh are the confidence interval of the median; absent for fewer than 6 trials.
	IntervalLow  string `json:"intervalLow,omitempty"`
	IntervalHigh string `json:"intervalHigh,omitempty"`
	// IntervalCoverage is the probability, 0.95 to 1, with which such intervals hold the true median.
	IntervalCoverage string `json:"intervalCoverage,omitempty"`
	Min              string `json:"min,omitempty"`
	Max              string `json:"max,omitempty"`
	// Trials that count, and those that were planned; 0 for a quoted number.
	Trials        int32 `json:"trials"`
	PlannedTrials int32 `json:"plannedTrials"`
	// Quoted is the source of a number that somebody else measured; absent for one that was measured here.
	Quoted string `json:"quoted,omitempty"`
	// Factor of a quoted number to that of --against.
	Factor string `json:"factor,omitempty"`
	// Caveat is a limitation of the number.
	Caveat string `json:"caveat,omitempty"`
	// LeftOut counts the planned trials that do not count, by their reason: Failed, Invalid, Disturbed, BlockDisturbed, NoValue or NotRun.
	LeftOut map[string]int32 `json:"leftOut,omitempty"`
	// LimitedBy counts the counted trials that reached a limit of their own: CPU or Memory of the server, or Client.
	LimitedBy map[string]int32 `json:"limitedBy,omitempty"`
	// SaturatedTrials are counted trials that did not achieve the rate that was offered.
	SaturatedTrials int32 `json:"saturatedTrials,omitempty"`
	// NotSteadyTrials are counted trials whose throughput changed within the window.
	NotSteadyTrials int32 `json:"notSteadyTrials,omitempty"`
	// UnknownSteadyTrials are counted trials whose window is too short to know whether the throughput changed.
	UnknownSteadyTrials int32 `json:"unknownSteadyTrials,omitempty"`
}

// Comparison of two values of a factor.
type Comparison struct {
	// Family is Primary, Control or Exploratory.
	Family  string `json:"family"`
	Verdict string `json:"verdict"`
	// Text is the comparison in one line. The p of a control is by itself.
	Text string `json:"text"`
	// IntervalConfidence of the interval in the text, 0 to 1, of this interval by itself; absent without one.
	IntervalConfidence string `json:"intervalConfidence,omitempty"`
	// Blocks that count, and those that were planned.
	Blocks        int32 `json:"blocks"`
	PlannedBlocks int32 `json:"plannedBlocks"`
}

// Finding of a validity check.
type Finding struct {
	// Check is its name: docs/reference/checks.md.
	Check string `json:"check"`
	// Severity is Invalid, Disturbed or Warning.
	Severity string `json:"severity"`
	// Trial that it is about; absent for one about the run.
	Trial   *int32 `json:"trial,omitempty"`
	Target  string `json:"target,omitempty"`
	Message string `json:"message"`
}

package output

import "time"

// Names of the formats of the documents, which each has as its version. A reader refuses any other.
const (
	CheckVersion        = "assay.dev/cli/check/v1"
	ExplanationVersion  = "assay.dev/cli/explanation/v1"
	HistoryVersion      = "assay.dev/cli/history/v1"
	PlanVersion         = "assay.dev/cli/plan/v1"
	SchedulesVersion    = "assay.dev/cli/schedules/v1"
	VerificationVersion = "assay.dev/cli/verification/v1"
	VersionVersion      = "assay.dev/cli/version/v1"
	WhyVersion          = "assay.dev/cli/why/v1"
)

// Plan is what follows from a manifest alone: `plan -o json`.
type Plan struct {
	Version string `json:"version"`
	Name    string `json:"name"`
	// Message is what the condition Accepted will say.
	Message string `json:"message"`
	// Order of the trials: RandomizedBlocks, ABBA or Sequential.
	Order  string `json:"order"`
	Blocks int32  `json:"blocks"`
	Seed   int64  `json:"seed"`
	// SHA256 of the plan, as status.plan.sha256 will have it.
	SHA256 string `json:"sha256"`
	// Targets that are measured.
	Targets []string `json:"targets"`
	// Cells of the matrix: the values of the axes.
	Cells []map[string]string `json:"cells"`
	// Trials in the order of execution. A search or a run that stops early may make fewer.
	Trials []PlannedTrial `json:"trials"`
	// LeastSeconds of warm-up, measurement and pauses; 0 where operations are counted. Loading, resets and pods come on top.
	LeastSeconds float64 `json:"leastSeconds"`
	// MayEndEarly: a search, design.precision, within or reserveBlocks may leave trials out. Then leastSeconds are those of all trials.
	MayEndEarly bool `json:"mayEndEarly,omitempty"`
	// WithinSeconds are those of design.within, from the first window: a block that is expected to fit is begun. Absent without it.
	WithinSeconds float64 `json:"withinSeconds,omitempty"`
	// DeadlineSeconds of the run.
	DeadlineSeconds float64 `json:"deadlineSeconds"`
	// Analysis is what the plan can show; absent for a run that compares nothing.
	Analysis *PlannedAnalysis `json:"analysis,omitempty"`
	// LeastNodes that the run needs at the same time.
	LeastNodes int32 `json:"leastNodes"`
	// Pods that the run has at the same time.
	Pods []PlannedPods `json:"pods"`
	// Needs are what the trials need of servers and clients, where it is more than a server allows by default; else absent.
	Needs *PlannedNeeds `json:"needs,omitempty"`
	// Bytes of etcd that the results may take at most, with the default limits of the operator.
	Bytes int64 `json:"bytes"`
	// Warnings are what nothing refuses and is probably not meant, such as a misspelt setting of a server.
	Warnings []string `json:"warnings,omitempty"`
	// Unknown is what cannot be known without a cluster.
	Unknown []string `json:"unknown"`
}

// PlannedNeeds are the largest of each over all trials, all clients together.
type PlannedNeeds struct {
	// Connections, and the prepared statements of all of them.
	Connections        int64 `json:"connections"`
	PreparedStatements int64 `json:"preparedStatements"`
	// ServerBytes are about the memory of both in a server, beside its caches.
	ServerBytes int64 `json:"serverBytes"`
	// ClientFiles are the files that a tool has open in one client.
	ClientFiles int64 `json:"clientFiles"`
	// Says it in words, with the arithmetic.
	Says string `json:"says"`
}

// PlannedTrial is a trial of a plan.
type PlannedTrial struct {
	Index int32 `json:"index"`
	Block int32 `json:"block"`
	// Cell is the index into cells.
	Cell   int32  `json:"cell"`
	Target string `json:"target"`
	// Reset: the data is put back before.
	Reset bool `json:"reset,omitempty"`
	// Restart: the server is started again before.
	Restart bool `json:"restart,omitempty"`
}

// PlannedAnalysis is what a plan can show.
type PlannedAnalysis struct {
	// Comparisons of the primary family.
	Comparisons int32 `json:"comparisons"`
	// BlocksNeeded for all of them to be able to have a verdict.
	BlocksNeeded int32 `json:"blocksNeeded"`
	// PilotBlocks after which a run with design.precision first looks at its data; absent without.
	PilotBlocks *int32 `json:"pilotBlocks,omitempty"`
	// Exploratory says why the run will have no verdict.
	Exploratory string `json:"exploratory,omitempty"`
}

// PlannedPods are pods of one kind.
type PlannedPods struct {
	// Role is target or client.
	Role string `json:"role"`
	// Name of the target.
	Name  string `json:"name,omitempty"`
	Count int32  `json:"count"`
	// Shape is its name, or cpu and memory of one that is inline.
	Shape string `json:"shape"`
}

// Schedules are those of a namespace, or the one that was named: `schedule get -o json`.
type Schedules struct {
	Version string `json:"version"`
	// Schedules in the order of their names.
	Schedules []Schedule `json:"schedules"`
}

// Schedule starts runs of one template.
type Schedule struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// When has the lines of cron, and TimeZone the zone of them; both are absent for a schedule without times.
	When     string `json:"when,omitempty"`
	TimeZone string `json:"timeZone,omitempty"`
	// Suspended: nothing starts but what run-now asks for.
	Suspended bool `json:"suspended"`
	// Active are the runs that have not ended, the oldest first.
	Active []string `json:"active,omitempty"`
	// Next is when the next run starts by the times; absent without times, and while suspended.
	Next *time.Time `json:"next,omitempty"`
	// LastRun is the run that ended last; absent before the first one.
	LastRun *PastRun `json:"lastRun,omitempty"`
	// Missed counts the times for which no run was started.
	Missed int64 `json:"missed,omitempty"`
	// Regressions are what became slower, in one line each.
	Regressions []string `json:"regressions,omitempty"`
	// KeptRuns is the number of runs in the history.
	KeptRuns int32 `json:"keptRuns"`
	// Ready is the condition: True, False or Unknown. Message says why it is not True.
	Ready   string `json:"ready"`
	Message string `json:"message,omitempty"`
}

// History of a schedule: `schedule history SCHEDULE -o json`.
type History struct {
	Version   string `json:"version"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Runs in the order of their completion, the oldest first.
	Runs []PastRun `json:"runs"`
	// DroppedRuns is the number of runs, the oldest ones, that were removed because the history was full.
	DroppedRuns int32 `json:"droppedRuns,omitempty"`
}

// PastRun is a run of a schedule that has ended. It may be deleted since.
type PastRun struct {
	Name string `json:"name"`
	UID  string `json:"uid"`
	// Trigger is what started it: Schedule, Change, Manual or Confirm.
	Trigger string    `json:"trigger,omitempty"`
	Ended   time.Time `json:"ended"`
	// Outcome is the status.outcome of the run; Reason and Message say why it did not succeed.
	Outcome string `json:"outcome"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// Passed is what its gate said; absent without one, and for one that could not decide.
	Passed   *bool  `json:"passed,omitempty"`
	Verdict  string `json:"verdict,omitempty"`
	Headline string `json:"headline,omitempty"`
	// Series of values that are kept of it; absent in `schedule get`.
	Series []PastSeries `json:"series,omitempty"`
}

// PastSeries are the values of one measurement of one target in one cell.
type PastSeries struct {
	Target string `json:"target"`
	// Parameters are the values of the cell, by the names of the axes.
	Parameters map[string]string `json:"parameters,omitempty"`
	Name       string            `json:"name"`
	Labels     map[string]string `json:"labels,omitempty"`
	Unit       string            `json:"unit"`
	// Values, one for each block in their order; null where the trial of the block does not count, or has no value.
	Values []*float64 `json:"values"`
}

// Version of the command, and of the managers in the cluster: `version -o json`.
type Version struct {
	Version string  `json:"version"`
	Command Program `json:"command"`
	// Managers that the user may see. Empty where none is seen.
	Managers []Manager `json:"managers"`
	// Unknown says why the managers of the cluster are not known; absent where they are.
	Unknown string `json:"unknown,omitempty"`
}

// Program is this command.
type Program struct {
	// Version of the release, such as 0.2.0; devel for a build that is none.
	Version string `json:"version"`
	// Commit that it was built from, in hexadecimal; absent where that is not known.
	Commit string `json:"commit,omitempty"`
	// Go is the version of the compiler, and Platform the system and the architecture, such as linux/amd64.
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Manager is a deployment of the operator.
type Manager struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Release is the version that its chart names (the label app.kubernetes.io/version); absent without the label.
	Release string `json:"release,omitempty"`
	// Image of the manager, and its pods that are ready, of those that are wanted.
	Image  string `json:"image"`
	Ready  int32  `json:"ready"`
	Wanted int32  `json:"wanted"`
}

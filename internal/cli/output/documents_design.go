package output

// PlanVersion names the format of Plan. A reader refuses any other.
const PlanVersion = "assay.dev/cli/plan/v1"

// Plan is what follows from a manifest alone: `plan -o json`.
type Plan struct {
	// Version is always PlanVersion.
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
	// MayEndEarly: a search, or design.stopEarly, may leave trials out. Then leastSeconds are those of all trials.
	MayEndEarly bool `json:"mayEndEarly,omitempty"`
	// DeadlineSeconds of the run.
	DeadlineSeconds float64 `json:"deadlineSeconds"`
	// Analysis is what the plan can show; absent for a run that compares nothing.
	Analysis *PlannedAnalysis `json:"analysis,omitempty"`
	// LeastNodes that the run needs at the same time.
	LeastNodes int32 `json:"leastNodes"`
	// Pods that the run has at the same time.
	Pods []PlannedPods `json:"pods"`
	// Bytes of etcd that the results may take at most, with the default limits of the operator.
	Bytes int64 `json:"bytes"`
	// Warnings are what nothing refuses and is probably not meant, such as a misspelt setting of a server.
	Warnings []string `json:"warnings,omitempty"`
	// Unknown is what cannot be known without a cluster.
	Unknown []string `json:"unknown"`
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
}

// PlannedAnalysis is what a plan can show.
type PlannedAnalysis struct {
	// Comparisons of the primary family.
	Comparisons int32 `json:"comparisons"`
	// BlocksNeeded for all of them to be able to have a verdict.
	BlocksNeeded int32 `json:"blocksNeeded"`
	// DetectableEffect is the smallest relative difference, such as 0.055, that the plan finds in four of five runs, for values
	// that spread as usual; absent where it is unknown.
	DetectableEffect string `json:"detectableEffect,omitempty"`
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

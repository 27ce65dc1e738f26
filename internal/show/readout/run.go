package readout

import (
	"cmp"
	"slices"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

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
	// Outcome is what became of the run, in a word or two: status.outcome.
	Outcome string `json:"outcome"`
	// Kind of the outcome: Going, Sound, Passed, Failed, Invalid, GateFailed or GateNotJudged.
	Kind Kind `json:"kind"`
	// ExitCode of `run` and `watch` for this outcome; 0 while the run goes on.
	ExitCode int `json:"exitCode"`
	// Message says what the outcome is about.
	Message string `json:"message"`
	Trials  Trials `json:"trials"`
	// Valid and Passed are the conditions: True, False or Unknown. Passed is absent without a gate.
	Valid  string `json:"valid"`
	Passed string `json:"passed,omitempty"`
	// Headline is the main measurement of every target in the first cell.
	Headline string `json:"headline,omitempty"`
	// Verdict is what the run shows, in one line: status.verdict.
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

// NotCounted is the number of trials that have ended and do not count.
func (t Trials) NotCounted() int32 { return t.Failed + t.Invalid + t.Disturbed }

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
	// Answer is what the run shows, what is worst first: at least one statement.
	Answer []Statement `json:"answer"`
	// Verdicts of the comparisons: those that were declared before the data, the control, and those that were not declared.
	Verdicts []Verdict `json:"verdicts"`
	// MoreComparisons is how many the run has in its ConfigMaps beyond those of its status.
	MoreComparisons int32 `json:"moreComparisons,omitempty"`
	// Differences between the targets that are compared: what else differs, with the values of both sides.
	Differences []Differences `json:"differences,omitempty"`
	// Sweeps are the knees and peaks over a load, in one line each.
	Sweeps []string `json:"sweeps,omitempty"`
	// MoreSweeps is how many the run has in its ConfigMaps beyond those of its status.
	MoreSweeps int32 `json:"moreSweeps,omitempty"`
	// Searches for the highest rate that holds, in the order of the cells, the targets and the blocks.
	Searches []Search `json:"searches,omitempty"`
	// MoreSearches is how many the run has in its ConfigMaps beyond those of its status.
	MoreSearches int32 `json:"moreSearches,omitempty"`
	// Findings against the numbers, without notes, the worst first.
	Findings []Finding `json:"findings,omitempty"`
	// FindingsOf is of how many the findings are: the newest ones, which the status has; absent where they are of the whole run.
	FindingsOf int32 `json:"findingsOf,omitempty"`
	// Lacks is what the verdicts do not say.
	Lacks []string `json:"lacks,omitempty"`
	// Next is what to do next.
	Next []string `json:"next,omitempty"`

	// uncompared is why the comparisons of the run cannot be made; empty where they were.
	uncompared string
}

// Target is a database as it ran, or the source of quoted numbers.
type Target struct {
	Name string `json:"name"`
	// Server is the version that the server reports; absent until it was asked, and of quoted numbers.
	Server string `json:"server,omitempty"`
	// Node of the database pod; absent for a server that Assay did not provide.
	Node string `json:"node,omitempty"`
	// Load has the measurements of loading the data, which is done once.
	Load []v1alpha1.Value `json:"load,omitempty"`
	// Snapshot is what became of the VolumeSnapshot that the run makes of its volume; absent without one, and until the run has ended.
	Snapshot *Snapshot `json:"snapshot,omitempty"`
	// Quoted is the source of numbers that somebody else measured; absent for a target that was measured here.
	Quoted string `json:"quoted,omitempty"`
}

// Measurement is a number of one target. Numbers are decimal, in the unit.
type Measurement struct {
	Name string `json:"name"`
	// Where in the experiment: parameters and labels.
	Where  map[string]string `json:"where,omitempty"`
	Target string            `json:"target"`
	Unit   string            `json:"unit"`
	// Direction is HigherIsBetter or LowerIsBetter; absent where neither is better, and of a quoted number.
	Direction string `json:"direction,omitempty"`
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

// Input of a readout.
type Input struct {
	// Run with its spec and status.
	Run *v1alpha1.BenchmarkRun
	// Summary, Comparisons, Sweeps and Searches of all cells, as the run has stored them.
	Summary     []v1alpha1.SummaryEntry
	Comparisons []v1alpha1.ComparisonEntry
	Sweeps      []v1alpha1.SweepEntry
	Searches    []v1alpha1.SearchEntry
	// Records of all attempts; without any only the findings of the status are known.
	Records []contract.Record
	// View says which numbers are told.
	View View
}

// FromStatus is the readout of a run from its status alone, which has the first entries of each kind.
func FromStatus(run *v1alpha1.BenchmarkRun) Run { return StatusIn(run, View{}) }

// StatusIn is FromStatus with the numbers of a view, and with the findings of records where they are known.
func StatusIn(run *v1alpha1.BenchmarkRun, view View, records ...contract.Record) Run {
	st := run.Status
	out := Of(Input{run, st.Summary, st.Comparisons, st.Sweeps, st.Searches, records, view})
	if r := st.Results; r != nil {
		out.MoreMeasurements = max(r.SummaryEntryCount-r.ShownEntryCount, 0)
		out.MoreComparisons = max(r.ComparisonCount-r.ShownComparisonCount, 0)
		if len(out.Sweeps) > 0 {
			out.MoreSweeps = max(r.SweepCount-int32(len(st.Sweeps)), 0)
		}
		out.MoreSearches = max(r.SearchCount-int32(len(st.Searches)), 0)
	}
	return out
}

// Of a run is its readout.
func Of(in Input) Run {
	run, st := in.Run, in.Run.Status
	out := Run{
		Version: RunVersion, RunHead: HeadOf(run), Targets: targetsOf(run),
		Measurements: in.measurements(), Verdicts: []Verdict{}, Differences: differencesOf(st.Differences),
	}
	if c := condition(run, v1alpha1.ConditionAccepted); c.Status == metav1.ConditionTrue {
		out.Planned = c.Message
	}
	a := aboutRun(run, st.Differences)
	for _, e := range in.Comparisons {
		if in.View.has(e.Name) {
			out.Verdicts = append(out.Verdicts, a.verdict(e))
		}
	}
	slices.SortStableFunc(out.Verdicts, func(x, y Verdict) int { return familyRank(x.Family) - familyRank(y.Family) })
	for _, s := range in.Sweeps {
		if in.View.has(s.Name) {
			out.Sweeps = append(out.Sweeps, SweepText(s))
		}
	}
	for _, e := range in.Searches {
		out.Searches = append(out.Searches, searchOf(e))
	}
	out.Findings, out.FindingsOf = FindingsOf(run, in.Records)
	out.Findings = slices.DeleteFunc(out.Findings, func(f Finding) bool { return f.Severity == v1alpha1.SeverityNote })
	for _, f := range st.Findings {
		if f.Check == checkUncompared {
			out.uncompared = f.Message
		}
	}
	out.Answer = out.answer(run)
	out.Lacks, out.Next = out.lacks(in), out.next(in)
	return out
}

// checkUncompared is the finding of a run whose comparisons cannot be made.
const checkUncompared = "comparisons-absent"

// familyRank is the order of the families.
func familyRank(family string) int {
	return slices.Index([]string{string(v1alpha1.FamilyPrimary), string(v1alpha1.FamilyControl), string(v1alpha1.FamilyExploratory)}, family)
}

// Family of the verdicts.
func (r Run) Family(family v1alpha1.ComparisonFamily) (out []Verdict) {
	for _, v := range r.Verdicts {
		if v.Family == string(family) {
			out = append(out, v)
		}
	}
	return out
}

// targetsOf a run, as they ran.
func targetsOf(run *v1alpha1.BenchmarkRun) []Target {
	out := []Target{}
	for _, t := range run.Status.Targets {
		target := Target{Name: t.Name, Server: t.ServerVersion, Node: t.NodeName, Load: t.Load, Snapshot: snapshotOf(run, t)}
		if t.Source != "" || len(t.Quoted) > 0 {
			target.Quoted = cmp.Or(t.Source, t.Name)
		}
		out = append(out, target)
	}
	return out
}

// HeadOf a run.
func HeadOf(run *v1alpha1.BenchmarkRun) RunHead {
	st, p := run.Status, run.Status.Progress
	outcome := OutcomeOf(run)
	head := RunHead{
		Namespace: run.Namespace, Name: run.Name, UID: string(run.UID), Phase: string(st.Phase),
		Outcome: outcome.Word, Kind: outcome.Kind, ExitCode: outcome.Kind.ExitCode(), Message: outcome.Message,
		Trials: Trials{
			Planned: p.Planned, Done: p.Done, Succeeded: p.Succeeded, Failed: p.Failed, Invalid: p.Invalid, Disturbed: p.Disturbed, Retries: p.Retries,
		},
		Valid:    string(condition(run, v1alpha1.ConditionValid).Status),
		Headline: st.Headline, Verdict: st.Verdict, Report: reportOf(st.Report),
		Created: run.CreationTimestamp.Time, Started: timeOf(st.StartTime), Ended: timeOf(st.CompletionTime),
	}
	if c := apimeta.FindStatusCondition(st.Conditions, v1alpha1.ConditionPassed); c != nil {
		head.Passed = string(c.Status)
	}
	if head.Ended == nil {
		head.Ends = timeOf(p.EstimatedCompletionTime)
	}
	return head
}

// reportOf a run is where it is stored; empty where it is not.
func reportOf(report *v1alpha1.ReportStatus) string {
	switch {
	case report == nil || report.ConfigMap == "":
		return ""
	case report.Page != nil:
		return report.Page.URL
	}
	return "ConfigMap/" + report.ConfigMap
}

func timeOf(t *metav1.Time) *time.Time {
	if t == nil {
		return nil
	}
	return &t.Time
}

package contract

import "time"

// ResultVersion names the format of Result. A reader refuses any other.
const ResultVersion = "assay.dev/result/v1"

// Names of the keys under which a result travels in its ConfigMap.
const (
	// KeyResult holds the gzip-compressed JSON of a Result (binaryData).
	KeyResult = "result.json.gz"
	// KeyRaw holds a gzip-compressed tar of the verbatim outputs (binaryData).
	KeyRaw = "raw.tar.gz"
)

// State says whether the phase that the result describes did its work.
type State string

// States of a Result.
const (
	// Succeeded: the tool ran to its end and its report is whole. Other lines that
	// were not understood are in Result.Problems.
	Succeeded State = "Succeeded"
	// Failed: see Result.Failure. Measurements that exist are kept for reading,
	// never for statistics.
	Failed State = "Failed"
)

// Result is what one execution of one phase by one client yielded.
type Result struct {
	// Version is always the constant Version.
	Version string `json:"version"`
	// Trial identifies the execution; the manager refuses a result whose
	// identity is not that of the trial it handed out.
	Trial TrialRef `json:"trial"`
	// State is Succeeded or Failed.
	State State `json:"state"`
	// Failure is set exactly when State is Failed.
	Failure *Failure `json:"failure,omitempty"`
	// Tool is the benchmark tool that ran, with the version it printed itself.
	Tool Tool `json:"tool"`
	// Times of the phase on the client's clock.
	Times Times `json:"times"`
	// Measurements of the measured window, warm-up excluded.
	Measurements []Measurement `json:"measurements,omitempty"`
	// Warmup holds the measurements of the discarded warm-up, for inspection.
	Warmup []Measurement `json:"warmup,omitempty"`
	// Errors counts the errors that the tool reported, ignored ones included.
	// An empty list with State Succeeded means the tool reported that there
	// were none.
	Errors []ErrorCount `json:"errors,omitempty"`
	// Problems are lines of the output that could not be understood.
	Problems []Problem `json:"problems,omitempty"`
	// Server is what the server said of itself before and after the phase; only the
	// first client asks.
	Server *Server `json:"server,omitempty"`
	// Data is what the tables held; only the first client looks.
	Data *Data `json:"data,omitempty"`
	// Client is the environment of the client pod.
	Client Client `json:"client"`
	// Target is the environment of the database pod, as its agent told it; absent
	// for an external target. Only the first client asks.
	Target *Environment `json:"target,omitempty"`
	// RawSHA256 is the hex SHA-256 of the bytes under KeyRaw.
	RawSHA256 string `json:"rawSHA256"`
}

// TrialRef identifies one execution of one phase.
type TrialRef struct {
	// RunUID is the UID of the BenchmarkRun.
	RunUID string `json:"runUID"`
	// Phase is Prepare, Run or Cleanup.
	Phase string `json:"phase"`
	// Index is the position in the plan, from 0. Only for the phase Run.
	Index *int `json:"index,omitempty"`
	// Block is the repetition, from 0. Only for the phase Run.
	Block *int `json:"block,omitempty"`
	// Cell is the index of the cell in the plan, from 0. Only for the phase Run.
	Cell *int `json:"cell,omitempty"`
	// Attempt at the trial, from 0.
	Attempt int `json:"attempt,omitempty"`
	// Target is the name of the target in the run.
	Target string `json:"target"`
	// Client is the index of the client pod, from 0.
	Client int `json:"client"`
}

// SameTrial says whether two executions are of the same attempt at the same phase or trial,
// whichever client it was.
func (a TrialRef) SameTrial(b TrialRef) bool {
	return a.RunUID == b.RunUID && a.Phase == b.Phase && a.Target == b.Target && a.Attempt == b.Attempt &&
		equal(a.Index, b.Index) && equal(a.Block, b.Block) && equal(a.Cell, b.Cell)
}

func equal(a, b *int) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }

// Failure says why a phase did not do its work.
type Failure struct {
	// Reason is one of the documented reasons, such as CredentialsRejected.
	Reason Reason `json:"reason"`
	// Message is for people: what happened, and what to do about it.
	Message string `json:"message"`
}

// Reason is the class of a failure, from one documented list.
type Reason string

// Reasons that the agent can find. The manager adds those that only it can see
// (see api/v1alpha1).
const (
	// ReasonCredentialsRejected: the server refused the user or the password.
	ReasonCredentialsRejected Reason = "CredentialsRejected"
	// ReasonTargetUnreachable: no connection to the server could be made.
	ReasonTargetUnreachable Reason = "TargetUnreachable"
	// ReasonConnectionLost: connections that had been made were lost.
	ReasonConnectionLost Reason = "ConnectionLost"
	// ReasonSchemaMissing: the database or a table does not exist.
	ReasonSchemaMissing Reason = "SchemaMissing"
	// ReasonSchemaNotEmpty: a table that was to be created exists already.
	ReasonSchemaNotEmpty Reason = "SchemaNotEmpty"
	// ReasonTLSFailed: TLS was asked for and could not be had, or the reverse.
	ReasonTLSFailed Reason = "TLSFailed"
	// ReasonToolFailed: the tool failed in another way: see the message.
	ReasonToolFailed Reason = "ToolFailed"
	// ReasonToolMissing: the image has no such tool.
	ReasonToolMissing Reason = "ToolMissing"
	// ReasonDeadlineExceeded: the phase did not end in time.
	ReasonDeadlineExceeded Reason = "DeadlineExceeded"
	// ReasonOutputTruncated: the tool ended well but part of its report is missing.
	ReasonOutputTruncated Reason = "OutputTruncated"
	// ReasonResultTooLarge: the result does not fit into its ConfigMap.
	ReasonResultTooLarge Reason = "ResultTooLarge"
	// ReasonDeliveryFailed: the result could not be written into its ConfigMap.
	ReasonDeliveryFailed Reason = "DeliveryFailed"
	// ReasonTrialUnreadable: the agent could not make sense of the trial.
	ReasonTrialUnreadable Reason = "TrialUnreadable"
	// ReasonDataDiffers: after a reset the tables do not hold what was loaded.
	ReasonDataDiffers Reason = "DataDiffers"
	// ReasonResetFailed: the data could not be put back before the trial.
	ReasonResetFailed Reason = "ResetFailed"
	// ReasonSnapshotFailed: the snapshot of the loaded data could not be taken.
	ReasonSnapshotFailed Reason = "SnapshotFailed"
	// ReasonReplicationFailed: the replicas of the target did not follow it.
	ReasonReplicationFailed Reason = "ReplicationFailed"
	// ReasonTargetOverloaded: the target did not keep up with the rate of an open loop, and
	// the tool gave up.
	ReasonTargetOverloaded Reason = "TargetOverloaded"
	// ReasonOperationsUnfinished: the operations that were asked for were not done in time.
	ReasonOperationsUnfinished Reason = "OperationsUnfinished"
	// ReasonLimitTooLow: a limit of the server or of the client's container is below what
	// the workload needs; the message has the arithmetic.
	ReasonLimitTooLow Reason = "LimitTooLow"
	// ReasonInterrupted: the client pod was told to stop.
	ReasonInterrupted Reason = "Interrupted"
)

// Tool is the benchmark tool that ran.
type Tool struct {
	// Name of the runner, such as sysbench.
	Name string `json:"name"`
	// Version as the tool printed it; empty if it printed none.
	Version string `json:"version,omitempty"`
	// Args is the command line of the measured phase, secrets replaced by ***.
	Args []string `json:"args,omitempty"`
	// ExitCode of the process; absent when it never ran or died by a signal.
	ExitCode *int `json:"exitCode,omitempty"`
	// Signal that ended the process, such as SIGKILL.
	Signal string `json:"signal,omitempty"`
	// Seeds of the random numbers that the tool was given, by the phase that it ran (Prepare,
	// Warmup, Run); absent for a tool that takes none.
	Seeds map[string]int64 `json:"seeds,omitempty"`
	// Unseeded: the tool draws random numbers that nobody seeded, so that the stream of
	// operations differs from one execution to the next and cannot be repeated.
	Unseeded bool `json:"unseeded,omitempty"`
	// WarmupCut is how the discarded warm-up was kept apart from the measured window; empty
	// outside of the phase Run.
	WarmupCut WarmupCut `json:"warmupCut,omitempty"`
	// WarmupSeconds is how long the discarded warm-up really took, by the tool's own clock
	// where it tells, else by the life of its process; absent without one.
	WarmupSeconds *float64 `json:"warmupSeconds,omitempty"`
}

// WarmupCut is how a discarded warm-up was kept apart from the measured window.
type WarmupCut string

const (
	// WarmupInProcess: the process that measured warmed up first, and what it did until the
	// window began was left out. What it compiled, cached and connected is warm.
	WarmupInProcess WarmupCut = "InProcess"
	// WarmupSeparateProcess: another process warmed up, which warms the server alone: on a
	// managed runtime the window begins with code that is not compiled yet.
	WarmupSeparateProcess WarmupCut = "SeparateProcess"
	// WarmupNone: nothing was discarded.
	WarmupNone WarmupCut = "None"
)

// Times are instants on the client's clock. An instant that did not happen is absent.
type Times struct {
	// AgentStarted: the agent became a process.
	AgentStarted *time.Time `json:"agentStarted,omitempty"`
	// Ready: the client reported that it can start.
	Ready *time.Time `json:"ready,omitempty"`
	// Start is the published start time of the barrier, on the clock of the manager.
	Start *time.Time `json:"start,omitempty"`
	// Planned is when the measured window was to begin, the same instant for every
	// client of the trial: of several clients, by the offsets of their clocks, as far as
	// these are known. WindowStarted minus Planned is the client's start skew.
	Planned *time.Time `json:"planned,omitempty"`
	// WarmupStarted: the tool was started for the discarded warm-up; in the process that
	// measures, all of its threads had connected.
	WarmupStarted *time.Time `json:"warmupStarted,omitempty"`
	// MeasureStarted: the process that measures was started; where the tool warms up in it,
	// that is long before the window.
	MeasureStarted *time.Time `json:"measureStarted,omitempty"`
	// MeasureEnded: the process that measured ended.
	MeasureEnded *time.Time `json:"measureEnded,omitempty"`
	// WindowStarted and WindowEnded are the measured window by the tool's own clock; see
	// Window for how they are found.
	WindowStarted *time.Time `json:"windowStarted,omitempty"`
	WindowEnded   *time.Time `json:"windowEnded,omitempty"`
}

// Direction says which way a measurement is better.
type Direction string

// Directions of a unit.
const (
	HigherIsBetter Direction = "HigherIsBetter"
	LowerIsBetter  Direction = "LowerIsBetter"
)

// Measurement is one number set that a trial yields.
type Measurement struct {
	// Name such as throughput, latency.avg or latency.p95.
	Name string `json:"name"`
	// Labels tell measurements of one name apart, such as {"operation": "read"}.
	Labels map[string]string `json:"labels,omitempty"`
	// Unit in UCUM-like spelling: tx/s, queries/s, ms, 1.
	Unit string `json:"unit"`
	// Direction is which way the value is better; empty for plain facts.
	Direction Direction `json:"direction,omitempty"`
	// Operation defines one operation: transaction, query.
	Operation string `json:"operation,omitempty"`
	// N is the number of operations behind the value.
	N *int64 `json:"n,omitempty"`
	// Value is absent when the tool gave none.
	Value *float64 `json:"value,omitempty"`
	// Absent says why there is no value, where the tool did.
	Absent *Absence `json:"absent,omitempty"`
	// Histogram of the operations, if the tool gave one.
	Histogram *Histogram `json:"histogram,omitempty"`
	// Intervals is the time series behind the value, if the tool gave one.
	Intervals []Interval `json:"intervals,omitempty"`
}

// Absence is why there is no value.
type Absence struct {
	// State is Unsupported or NotMeasured.
	State AbsenceState `json:"state"`
	// Reason in the words of the tool or of the server.
	Reason string `json:"reason"`
}

// AbsenceState tells two kinds of absence apart.
type AbsenceState string

const (
	// Unsupported: the tool cannot do this at all.
	Unsupported AbsenceState = "Unsupported"
	// NotMeasured: it was tried, and failed, or did not do what it was meant to.
	NotMeasured AbsenceState = "NotMeasured"
)

// Histogram is a list of buckets as the tool printed them. Buckets of equal
// bounds merge exactly by adding their counts.
type Histogram struct {
	// Unit of the bucket values, such as ms.
	Unit string `json:"unit"`
	// RoundUp says that the tool reads a percentile at the rank that is not below p percent
	// of all operations, as HdrHistogram for Java does; else at the nearest rank.
	RoundUp bool `json:"roundUp,omitempty"`
	// Buckets in ascending order of Value.
	Buckets []Bucket `json:"buckets"`
}

// Bucket is one line of a histogram.
type Bucket struct {
	// Value is the bucket's representative value in Histogram.Unit.
	Value float64 `json:"value"`
	// Count of operations in the bucket.
	Count int64 `json:"count"`
}

// Interval is one point of a time series.
type Interval struct {
	// AtSeconds is the end of the interval, in seconds since the tool's start.
	AtSeconds float64 `json:"atSeconds"`
	// Value in the measurement's unit; absent when the tool printed nan or inf.
	Value *float64 `json:"value,omitempty"`
}

// ErrorCount is a class of errors that the tool reported.
type ErrorCount struct {
	// Name such as ignored or reconnects.
	Name string `json:"name"`
	// Count over the measured window.
	Count int64 `json:"count"`
}

// Problem is a line of output that could not be understood.
type Problem struct {
	// Source such as run/stdout.
	Source string `json:"source"`
	// Line from 1; 0 for the whole source.
	Line int `json:"line"`
	// Text of the line, or what is wrong with the source.
	Text string `json:"text"`
}

// Server is what the server said of itself.
type Server struct {
	// Version as SELECT VERSION() gave it.
	Version string `json:"version"`
	// VersionComment is the variable version_comment.
	VersionComment string `json:"versionComment,omitempty"`
	// Variables are all global variables before the phase.
	Variables map[string]string `json:"variables,omitempty"`
	// VariablesChanged are those whose value differed after the phase: name to
	// the later value.
	VariablesChanged map[string]string `json:"variablesChanged,omitempty"`
	// NonDefault are the global variables whose value is not the server's own
	// default, as the server tells; absent when it does not tell.
	NonDefault map[string]string `json:"nonDefault,omitempty"`
	// TLSVersion and Cipher of a session of the benchmark's account, as the server told;
	// empty when it was not encrypted.
	TLSVersion string `json:"tlsVersion,omitempty"`
	Cipher     string `json:"cipher,omitempty"`
	// RoundTrip are the times of questions that the server answers without work; absent
	// where they were not measured.
	RoundTrip *Probe `json:"roundTrip,omitempty"`
	// Durability says what commits cost before the data was loaded; only of the phase
	// Prepare.
	Durability *Durability `json:"durability,omitempty"`
	// StatusDelta is the difference of each numeric global status variable over
	// the measured window (after minus before). StatusTLSAccepts of a tool that connects before
	// its window is that since before the tool was started.
	StatusDelta map[string]float64 `json:"statusDelta,omitempty"`
	// CountedFrom is when the counters from before the window had been read, on the client's
	// clock: before the process that measures was started or, where that begins its window
	// by itself, a little after the window began. What was done until then is not in StatusDelta.
	CountedFrom *time.Time `json:"countedFrom,omitempty"`
	// Rows are those that the server has changed since it started: until just before the
	// measured window or, of the phase Prepare, until the data was loaded; absent where it
	// does not count them.
	Rows *CountedRows `json:"rows,omitempty"`
}

// CountedRows are rows that statements changed, by the server's status variables. They
// count at most too many: statements that were rolled back too.
type CountedRows struct {
	// Started is when the server began to count, by the clock of the client, exact to some
	// seconds.
	Started time.Time `json:"started"`
	// Inserted, Updated and Deleted rows since then.
	Inserted int64 `json:"inserted"`
	Updated  int64 `json:"updated"`
	Deleted  int64 `json:"deleted"`
}

// Durability is what a server did for some commits of one row each.
type Durability struct {
	// StorageEngine of the table, as the server told; empty if it did not.
	StorageEngine string `json:"storageEngine,omitempty"`
	// Commits that were made.
	Commits int64 `json:"commits"`
	// Seconds that they took in all.
	Seconds float64 `json:"seconds"`
	// Counters are the differences of the server's counters over the commits, their
	// names in lower case, such as innodb_data_fsyncs; those that it has.
	Counters map[string]int64 `json:"counters,omitempty"`
}

// Client is the environment of the client pod.
type Client struct {
	// Node is the name of the node, if it was told.
	Node string `json:"node,omitempty"`
	// Environment of the container.
	Environment
	// ClockStepSeconds is by how much more the wall clock advanced than the
	// monotonic clock over the measured window: a step, or the slewing of NTP.
	ClockStepSeconds *float64 `json:"clockStepSeconds,omitempty"`
	// Clock is how the client's wall clock stood to that of the target before the trial;
	// absent where it was not measured.
	Clock *ClockOffset `json:"clock,omitempty"`
}

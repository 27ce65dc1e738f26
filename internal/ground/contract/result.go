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

// State is the outcome of a phase.
type State string

// States of a Result.
const (
	// Succeeded: the tool ended and its report is complete. Unknown lines of the output are in Result.Problems.
	Succeeded State = "Succeeded"
	// Failed: see Result.Failure. Existing measurements are kept for inspection, never for statistics.
	Failed State = "Failed"
)

// Result is the result of one execution: one phase by one client.
type Result struct {
	// Version is always the constant Version.
	Version string `json:"version"`
	// Trial identifies the execution. The manager refuses a result with another identity than its trial.
	Trial TrialRef `json:"trial"`
	// State is Succeeded or Failed.
	State State `json:"state"`
	// Failure is set exactly when State is Failed.
	Failure *Failure `json:"failure,omitempty"`
	// Tool is the benchmark tool, with the version that it printed.
	Tool Tool `json:"tool"`
	// Times of the phase on the client's clock.
	Times Times `json:"times"`
	// Measurements of the measured window, warm-up excluded.
	Measurements []Measurement `json:"measurements,omitempty"`
	// Warmup holds the measurements of the discarded warm-up, for inspection.
	Warmup []Measurement `json:"warmup,omitempty"`
	// Errors counts the errors that the tool reported, including ignored errors. An empty list
	// with State Succeeded means no errors.
	Errors []ErrorCount `json:"errors,omitempty"`
	// Problems are lines of the output that could not be parsed.
	Problems []Problem `json:"problems,omitempty"`
	// Server has the variables and counters of the server before and after the phase; only from the first client.
	Server *Server `json:"server,omitempty"`
	// Data has the contents of the tables; only from the first client.
	Data *Data `json:"data,omitempty"`
	// Answers is what became of results of queries that the tool compared; absent of a tool that compares none.
	Answers *Answers `json:"answers,omitempty"`
	// Client is the environment of the client pod.
	Client Client `json:"client"`
	// Target is the environment of the database pod, from its agent; absent for an external
	// target. Only from the first client.
	Target *Environment `json:"target,omitempty"`
	// RawSHA256 is the hex SHA-256 of the bytes under KeyRaw, or of that object in the store.
	RawSHA256 string `json:"rawSHA256"`
	// Whole is the result with histograms and intervals, which is in the object store; this one
	// lacks them. Absent where this is the whole result.
	Whole *Object `json:"whole,omitempty"`
}

// Answers is what became of results of queries: of the measured window, and of a warm-up in a process of its own. Clients of one trial
// that have one ask the same queries of the same data, so that NameResultChecksum is the same for all of them.
type Answers struct {
	// Compared are results that were compared with known ones, or with one another.
	Compared int64 `json:"compared"`
	// Wrong are the queries whose results differ, and how; empty where none does. A tool may stop at the first.
	Wrong []string `json:"wrong,omitempty"`
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

// SameTrial reports whether two executions belong to the same attempt at the same phase or trial, of any client.
func (a TrialRef) SameTrial(b TrialRef) bool {
	return a.RunUID == b.RunUID && a.Phase == b.Phase && a.Target == b.Target && a.Attempt == b.Attempt &&
		equal(a.Index, b.Index) && equal(a.Block, b.Block) && equal(a.Cell, b.Cell)
}

func equal(a, b *int) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }

// Failure is why a phase failed.
type Failure struct {
	// Reason is one of the documented reasons, such as CredentialsRejected.
	Reason Reason `json:"reason"`
	// Message is for people: the failure and the remedy.
	Message string `json:"message"`
}

// Reason is the class of a failure, from the documented list.
type Reason string

// Reasons that the agent reports. api/v1alpha1/reasons.go says what each of them means, and has those of the manager.
const (
	ReasonCredentialsRejected  Reason = "CredentialsRejected"
	ReasonTargetUnreachable    Reason = "TargetUnreachable"
	ReasonConnectionLost       Reason = "ConnectionLost"
	ReasonSchemaMissing        Reason = "SchemaMissing"
	ReasonSchemaNotEmpty       Reason = "SchemaNotEmpty"
	ReasonTLSFailed            Reason = "TLSFailed"
	ReasonToolFailed           Reason = "ToolFailed"
	ReasonToolMissing          Reason = "ToolMissing"
	ReasonToolLost             Reason = "ToolLost"
	ReasonDeadlineExceeded     Reason = "DeadlineExceeded"
	ReasonOutputTruncated      Reason = "OutputTruncated"
	ReasonResultTooLarge       Reason = "ResultTooLarge"
	ReasonDeliveryFailed       Reason = "DeliveryFailed"
	ReasonTrialUnreadable      Reason = "TrialUnreadable"
	ReasonDataDiffers          Reason = "DataDiffers"
	ReasonResetFailed          Reason = "ResetFailed"
	ReasonSettingNotInForce    Reason = "SettingNotInForce"
	ReasonSnapshotFailed       Reason = "SnapshotFailed"
	ReasonReplicationFailed    Reason = "ReplicationFailed"
	ReasonTargetOverloaded     Reason = "TargetOverloaded"
	ReasonOperationsUnfinished Reason = "OperationsUnfinished"
	ReasonLimitTooLow          Reason = "LimitTooLow"
	ReasonAlreadyBegun         Reason = "AlreadyBegun"
	ReasonInterrupted          Reason = "Interrupted"
	ReasonDataSetDamaged       Reason = "DataSetDamaged"
	ReasonDataSetFailed        Reason = "DataSetFailed"
)

// Tool is the benchmark tool that ran.
type Tool struct {
	// Name of the runner, such as sysbench.
	Name string `json:"name"`
	// Version as the tool printed it; empty if it printed none.
	Version string `json:"version,omitempty"`
	// Args is the command line of the measured phase, with secrets replaced by ***.
	Args []string `json:"args,omitempty"`
	// ExitCode of the process; absent when it never ran or died by a signal.
	ExitCode *int `json:"exitCode,omitempty"`
	// Signal that ended the process, such as SIGKILL.
	Signal string `json:"signal,omitempty"`
	// Seeds of the tool's random numbers by phase (Prepare, Warmup, Run); absent for a tool without a seed.
	Seeds map[string]int64 `json:"seeds,omitempty"`
	// Unseeded: the tool uses random numbers without a seed. The operations differ in each
	// execution and cannot be repeated.
	Unseeded bool `json:"unseeded,omitempty"`
	// WarmupCut is how the warm-up was separated from the measured window; only in the phase Run.
	WarmupCut WarmupCut `json:"warmupCut,omitempty"`
	// WarmupSeconds is the actual length of the warm-up, by the tool's own clock where the
	// tool reports it, else by the lifetime of its process; absent without a warm-up.
	WarmupSeconds *float64 `json:"warmupSeconds,omitempty"`
}

// WarmupCut is how a warm-up was separated from the measured window.
type WarmupCut string

const (
	// WarmupInProcess: the measuring process warmed up first; its output before the window is
	// discarded. Its compiled code, caches and connections are warm.
	WarmupInProcess WarmupCut = "InProcess"
	// WarmupSeparateProcess: another process warmed up. Only the server is warm: on a managed
	// runtime the window begins with uncompiled code.
	WarmupSeparateProcess WarmupCut = "SeparateProcess"
	// WarmupNone: there was no warm-up.
	WarmupNone WarmupCut = "None"
)

// Times are instants on the client's clock. Instants that were not reached are absent.
type Times struct {
	// AgentStarted: the agent became a process; one that stands was told of the trial.
	AgentStarted *time.Time `json:"agentStarted,omitempty"`
	// Ready: the client reported that it can start.
	Ready *time.Time `json:"ready,omitempty"`
	// Start is the published start time of the barrier, on the clock of the manager.
	Start *time.Time `json:"start,omitempty"`
	// Planned is the planned start of the measured window, the same instant for every client of the trial, corrected
	// for the known offsets of their clocks. WindowStarted minus Planned is the client's start skew.
	Planned *time.Time `json:"planned,omitempty"`
	// WarmupStarted: the warm-up began: a separate process was started, or all threads of the
	// measuring process had connected.
	WarmupStarted *time.Time `json:"warmupStarted,omitempty"`
	// MeasureStarted: the measuring process was started. With a warm-up in this process, that
	// is long before the window.
	MeasureStarted *time.Time `json:"measureStarted,omitempty"`
	// MeasureEnded: the measuring process ended.
	MeasureEnded *time.Time `json:"measureEnded,omitempty"`
	// WindowStarted and WindowEnded are the measured window by the tool's own clock; see MeasuredWindow.
	WindowStarted *time.Time `json:"windowStarted,omitempty"`
	WindowEnded   *time.Time `json:"windowEnded,omitempty"`
}

// Direction is whether higher or lower values are better.
type Direction string

// Directions of a unit.
const (
	HigherIsBetter Direction = "HigherIsBetter"
	LowerIsBetter  Direction = "LowerIsBetter"
)

// Measurement is one measured quantity of a trial, with its distribution and time series.
type Measurement struct {
	// Name such as throughput, latency.avg or latency.p95.
	Name string `json:"name"`
	// Labels of the measurement, such as {"operation": "read"}. Measurements of one name have different labels.
	Labels map[string]string `json:"labels,omitempty"`
	// Unit in UCUM-like spelling: tx/s, queries/s, ms, 1.
	Unit string `json:"unit"`
	// Direction is whether higher or lower values are better; empty where neither is.
	Direction Direction `json:"direction,omitempty"`
	// Operation defines one operation: transaction, query.
	Operation string `json:"operation,omitempty"`
	// N is the number of operations behind the value.
	N *int64 `json:"n,omitempty"`
	// Value is absent when the tool reported none.
	Value *float64 `json:"value,omitempty"`
	// Absent is why there is no value, where the tool reported it.
	Absent *Absence `json:"absent,omitempty"`
	// Histogram of the operations, if the tool printed one.
	Histogram *Histogram `json:"histogram,omitempty"`
	// Intervals is the time series of the measurement, if the tool printed one.
	Intervals []Interval `json:"intervals,omitempty"`
}

// Absence is why there is no value.
type Absence struct {
	// State is Unsupported or NotMeasured.
	State AbsenceState `json:"state"`
	// Reason as the tool or the server reported it.
	Reason string `json:"reason"`
}

// AbsenceState is the kind of an absence.
type AbsenceState string

const (
	// Unsupported: the tool does not support the measurement.
	Unsupported AbsenceState = "Unsupported"
	// NotMeasured: the measurement was tried and failed, or executed other work than intended.
	NotMeasured AbsenceState = "NotMeasured"
)

// Histogram is a list of buckets as the tool printed them. Buckets of equal
// bounds merge exactly by adding their counts.
type Histogram struct {
	// Unit of the bucket values, such as ms.
	Unit string `json:"unit"`
	// RoundUp: the tool reads a percentile at the first rank that is at least p percent of all
	// operations, as HdrHistogram for Java does. Otherwise it uses the nearest rank.
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

// Problem is a line of output that could not be parsed.
type Problem struct {
	// Source such as run/stdout.
	Source string `json:"source"`
	// Line from 1; 0 for the whole source.
	Line int `json:"line"`
	// Text of the line, or the problem of the whole source.
	Text string `json:"text"`
}

// Server has the facts that the server reported.
type Server struct {
	// Version is the result of SELECT VERSION().
	Version string `json:"version"`
	// VersionComment is the variable version_comment.
	VersionComment string `json:"versionComment,omitempty"`
	// Variables are all global variables before the phase.
	Variables map[string]string `json:"variables,omitempty"`
	// VariablesChanged are the variables whose value changed during the phase: name to the later value.
	VariablesChanged map[string]string `json:"variablesChanged,omitempty"`
	// NonDefault are the global variables that differ from the server's own defaults; absent
	// when the server does not report them.
	NonDefault map[string]string `json:"nonDefault,omitempty"`
	// TLSVersion and Cipher of a session of the benchmark's account, as the server reported
	// them; empty for an unencrypted session.
	TLSVersion string `json:"tlsVersion,omitempty"`
	Cipher     string `json:"cipher,omitempty"`
	// RoundTrip are the times of COM_PING requests, which the server answers without work;
	// absent where they were not measured.
	RoundTrip *Probe `json:"roundTrip,omitempty"`
	// Durability is the cost of commits, measured before loading; only in the phase Prepare.
	Durability *Durability `json:"durability,omitempty"`
	// StatusDelta is the difference of each numeric global status variable over the measured
	// window (after minus before). For a tool that connects before its window,
	// StatusTLSAccepts is counted from before the start of the tool.
	StatusDelta map[string]float64 `json:"statusDelta,omitempty"`
	// CountedFrom is when the first values of StatusDelta had been read, on the client's
	// clock: before the start of the measuring process or, for a tool that begins its window
	// by itself, shortly after the start of the window. Earlier work is not in StatusDelta.
	CountedFrom *time.Time `json:"countedFrom,omitempty"`
	// Rows are the rows that the server has changed since its start, read just before the measured window or, in the
	// phase Prepare, after loading; absent where the server does not count them.
	Rows *CountedRows `json:"rows,omitempty"`
	// Levels are what the storage engine had put off when the counters were read; absent where the server shows none of it.
	Levels *Levels `json:"levels,omitempty"`
}

// ServerNames are the variables by which a server is told apart from another one behind the same address. MariaDB has no server_uuid, and services may
// give all of theirs one server_id.
var ServerNames = []string{"hostname", "port", "server_id", "server_uuid"}

// Levels are gauges of the storage engine at both ends of the window of StatusDelta, read with its counters; MySQL's history list by a
// query of its own just before.
type Levels struct {
	// Begin and End of the window; absent where none of the gauges was told.
	Begin *Level `json:"begin,omitempty"`
	End   *Level `json:"end,omitempty"`
}

// Level is the work that a storage engine has put off, at one instant. What the server does not tell is absent.
type Level struct {
	// CheckpointAgeBytes is the log, in bytes, that has changes of pages that are not all on the device: from the last checkpoint
	// to the end of the log.
	CheckpointAgeBytes *int64 `json:"checkpointAgeBytes,omitempty"`
	// DirtyBytes are the changed pages in the cache that are not on the device, in bytes.
	DirtyBytes *int64 `json:"dirtyBytes,omitempty"`
	// HistoryLength is the number of committed transactions whose old versions of rows purge has not removed yet.
	HistoryLength *int64 `json:"historyLength,omitempty"`
}

// CountedRows are rows that statements changed, by the server's status variables. They are an
// upper bound, because they include statements that were rolled back.
type CountedRows struct {
	// Started is the start of the server, by the clock of the client, exact to some seconds.
	Started time.Time `json:"started"`
	// Inserted, Updated and Deleted rows since then.
	Inserted int64 `json:"inserted"`
	Updated  int64 `json:"updated"`
	Deleted  int64 `json:"deleted"`
}

// Durability is the cost of some commits of one row each.
type Durability struct {
	// StorageEngine of the table, as the server reported it; empty if it did not.
	StorageEngine string `json:"storageEngine,omitempty"`
	// Commits is the number of commits.
	Commits int64 `json:"commits"`
	// Seconds is the total time of the commits.
	Seconds float64 `json:"seconds"`
	// Counters are the differences of the server's counters over the commits, by name in lower
	// case, such as innodb_data_fsyncs. Counters that the server does not have are absent.
	Counters map[string]int64 `json:"counters,omitempty"`
}

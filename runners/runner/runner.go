// Package runner is the contract between Assay and a benchmark tool.
//
// A runner is an adapter in Go for one tool: it builds the command line of each
// phase from the trial and parses the output into measurements. It is pure: it
// starts no process, opens no file and never touches the cluster. The agent
// (internal/agent) does those things around it.
package runner

import (
	"encoding/json"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Credentials of the benchmark user.
type Credentials struct {
	Username string
	Password string
	// CA, Cert and Key are PEM files; only with TLSRequired, and then only where
	// the target's Secret has them.
	CA, Cert, Key []byte
}

// Command is one process to start.
type Command struct {
	// Path of the program, looked up in PATH.
	Path string
	// Args without the program's name. They must not hold a secret.
	Args []string
	// Files to write before the start, relative to the working directory, mode
	// 0600; secrets travel here.
	Files map[string][]byte
	// Env are more environment variables; secrets may travel here too.
	Env map[string]string
	// Collect are patterns (path.Match) of the files of the working directory that the
	// command writes and that belong to its output. Files of these names are removed
	// before the start.
	Collect []string
	// Dialogue is what the agent says to the tool, which then answers every request with one
	// line. Nil: the tool needs no input.
	Dialogue []Turn
	// Seed that the command gives the tool for its random numbers; 0 if it gives none.
	Seed int64
	// Unseeded: the tool draws random numbers, and nobody can seed them, or the command does
	// not: what it asks for cannot be repeated.
	Unseeded bool
}

// Output is what a process left behind.
type Output struct {
	Stdout, Stderr []byte
	// Files that Command.Collect names and that exist, by name.
	Files map[string][]byte
	// ExitCode; -1 when the process died by a signal or never started.
	ExitCode int
	// Signal that ended the process, such as SIGKILL; empty for none.
	Signal string
	// Exchanges are what became of the turns of Command.Dialogue that were begun.
	Exchanges []Exchange
}

// Report is the meaning of an Output.
type Report struct {
	// ToolVersion as the tool printed it.
	ToolVersion string
	// Measurements, in a fixed order.
	Measurements []contract.Measurement
	// Errors that the tool counted.
	Errors []contract.ErrorCount
	// Problems are lines that could not be understood.
	Problems []contract.Problem
	// Window is the measured window on the wall clock, where the tool tells; nil: it ends with
	// the process and is as long as the tool says.
	Window *Span `json:",omitempty"`
	// Warmup are the measurements of a warm-up in the same process, and WarmupSeconds how long
	// it really took; nil without one.
	Warmup        []contract.Measurement `json:",omitempty"`
	WarmupSeconds *float64               `json:",omitempty"`
	// Check is what a check of the data found; only of the phase Check.
	Check *contract.DataCheck `json:",omitempty"`
	// Answers is what became of results of queries that the tool compared; of the phases Warmup and Run.
	Answers *contract.Answers `json:",omitempty"`
	// Failure is nil when the phase did its work: exit codes alone prove nothing.
	Failure *contract.Failure
}

// Span is a time on the wall clock of the client.
type Span struct{ From, To time.Time }

// Opening is how the process that measures comes to its measured window.
type Opening struct {
	// Timed: the process is told the instant at which the window begins (Trial.Begin) and is
	// started before it, by the warm-up that it does itself and by Lead. Not timed: the window
	// begins as soon as the tool can after its start.
	Timed bool
	// Lead is how long the process takes at most, as a rule, until it is able to work; only
	// when Timed.
	Lead time.Duration
	// WarmsUp: the process that measures warms up first and discards that itself; there is no
	// command for the phase Warmup.
	WarmsUp bool
}

// Delay is how long after the published start the measured window is to begin: time for the
// warm-up, and for every process before the window to come and go.
func (o Opening) Delay(t contract.Trial) time.Duration {
	warmup := time.Duration(t.WarmupSeconds) * time.Second
	settle := time.Duration(t.SettleSeconds * float64(time.Second))
	switch {
	case !o.Timed:
		return warmup + settle
	case o.WarmsUp || t.WarmupSeconds == 0:
		return warmup + o.Lead
	}
	return o.Lead + warmup + settle + o.Lead
}

// Length is how long the measurements of a trial take together, warm-ups included.
type Length struct {
	// Least is the sum of those that are measured for a time; 0 where none is.
	Least time.Duration
	// Most is the longest that all of them may take before the trial has failed.
	Most time.Duration
}

// AnyHeadline says that one measurement is as good as another.
const AnyHeadline = "*"

// Expectations that the result of a trial is checked against (internal/trial/validity). They are
// numbers that do not name the tool. A zero means that nothing is known, so nothing is checked.
type Expectations struct {
	// Headline is the name of the measurement that a result has to have; empty for the
	// throughput, AnyHeadline for any.
	Headline string
	// DurationSeconds is the length of the measured window that was asked for; 0
	// when the workload counts operations.
	DurationSeconds int64
	// Operations that were asked for; 0 when the workload is bounded by time.
	Operations int64
	// Rate of operations per second that was offered (open loop); 0 for a closed
	// loop.
	Rate float64
	// RandomArrivals: the times of the operations of an open loop are drawn at random, as in
	// a Poisson process, so that the number offered in a window varies by its square root.
	RandomArrivals bool
	// Pacers is how many threads keep the rate of an open loop together, each by a schedule
	// of its own, which begins and ends within a gap of the window: each may be two
	// operations short without having fallen behind.
	Pacers int32
	// Threads is how many operations are under way at any moment: the tool is a
	// closed loop without think time. 0 when it is not.
	Threads int32
	// QueriesPerOperation is how many statements an operation without errors has.
	QueriesPerOperation int32
	// WritesPerOperation is how many of them the tool counts as kind write when each of them
	// changes a row; one that changes none the tool counts as another kind.
	WritesPerOperation float64
	// Rows that an operation without errors is to change.
	Rows Rows
	// RowsOf is Rows for tools that count kinds of operations: by the label operation.
	RowsOf map[string]Rows
	// Verified: the tool's operations are looked at one by one, so that nothing else has to be
	// asked of what they changed.
	Verified bool
	// StorageEngine of the tables, such as InnoDB; empty for the server's default.
	StorageEngine string
	// Clients of the trial, whose work the server's counters hold together; 0 is 1.
	Clients int32
	// Shared: another load is at work beside the operations, so that the server's counters are not of these alone. The manager
	// sets it for a second load, and a tool for one that it makes itself.
	Shared bool
	// Delay that is added to every round trip (Delay). The manager sets it.
	Delay time.Duration
	// Mix is the share (0 to 1) of all operations in which the tool counts operations of a
	// kind, by the label operation, where each is chosen at random. Shares may add up to
	// more than 1: an operation that reads and writes counts as both.
	Mix map[string]float64
	// WarmupSeconds is how long the process that measures is to warm up before its window; 0
	// where it does not.
	WarmupSeconds int64
	// Straddling is how many operations at most were under way when the window was cut out of
	// a process that went on: those that are counted as several kinds may lie in the window as one
	// kind and before it as another.
	Straddling int64
	// ReportIntervalSeconds is the length of the intervals of the time series.
	ReportIntervalSeconds int32
	// QuantileError is the relative width of the buckets from which the tool
	// reads percentiles: 0.018 means that one may be 1.8 % beside the true value.
	QuantileError float64
	// TLSRequired: every connection has to be encrypted.
	TLSRequired bool
	// Judged is how many results of the whole run are checked like this one: planned
	// trials times clients. The more there are, the less chance a check may leave to each;
	// 0 for 1. The manager sets it.
	Judged int
	// Connections is how many connections one client may have at once, open loop or closed; 0
	// where that is not known. The manager sets it.
	Connections int64
}

// Rows are numbers of rows that are changed in one way or another.
type Rows struct {
	Inserted, Updated, Deleted float64
}

// Plus is the sum of both, each kind for itself.
func (r Rows) Plus(o Rows) Rows {
	return Rows{Inserted: r.Inserted + o.Inserted, Updated: r.Updated + o.Updated, Deleted: r.Deleted + o.Deleted}
}

// Times is n times as many.
func (r Rows) Times(n float64) Rows {
	return Rows{Inserted: n * r.Inserted, Updated: n * r.Updated, Deleted: n * r.Deleted}
}

// Sum of all kinds.
func (r Rows) Sum() float64 { return r.Inserted + r.Updated + r.Deleted }

// Runner adapts one tool. Every tool has the first six fields. The others are optional: a
// simple tool leaves them out. The methods of Runner answer for them, and say what it means
// that one is left out; nobody else looks whether a function is nil.
type Runner struct {
	// Name in the API (spec.workload.<name>) and in the catalogue of images.
	Name string
	// Headline is the name of the measurement that stands for a trial.
	Headline string
	// Summary are the names of the measurements that go into the run's status,
	// the headline first.
	Summary []string
	// Facts are those of the summary of which neither higher nor lower values are better, whatever the workload is. A gate
	// cannot judge them.
	Facts []string
	// Command builds the command line of a phase. It fails when the workload
	// cannot be expressed; the message names the field.
	Command func(t contract.Trial, p contract.Phase, c Credentials) (Command, error)
	// Parse reads the output of a phase. It never fails: what it cannot read is a
	// Problem, what the tool could not do is a Failure.
	Parse func(t contract.Trial, p contract.Phase, o Output) Report
	// Expectations of the result of one client. It fails when the workload cannot be
	// understood.
	Expectations func(t contract.Trial) (Expectations, error)

	// Data that the tool loads.
	Data Data
	// Connection of the tool with servers.
	Connection Connection
	// Phases of the tool.
	Phases Phases
	// Design of the tool's experiments.
	Design Design
	// Pods of the clients.
	Pods func(workload json.RawMessage) (Pods, error)
	// Quote parses output that somebody published: whatever of it is there, however it was
	// copied.
	Quote func(text []byte) Report
}

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

	"github.com/assay-bench/assay/internal/result"
)

// TrialVersion names the format of Trial. A reader refuses any other.
const TrialVersion = "assay.dev/trial/v1"

// Phase is a stage of a tool's work on a target.
type Phase string

// Phases in the order in which a run goes through them.
const (
	// Prepare creates the schema and loads the data.
	Prepare Phase = "Prepare"
	// Warmup is the discarded start of a trial: the same as Run, for
	// Trial.WarmupSeconds. It is never a phase of a Trial of its own.
	Warmup Phase = "Warmup"
	// Run measures.
	Run Phase = "Run"
	// Cleanup drops what Prepare created.
	Cleanup Phase = "Cleanup"
)

// Trial is everything a client needs to know, and no more: the message from the
// manager to the agent. Credentials are not in it; they are mounted as files.
type Trial struct {
	// Version is always TrialVersion.
	Version string `json:"version"`
	// Ref is the identity, copied into the result.
	Ref result.TrialRef `json:"ref"`
	// Runner is the name of the tool's adapter, such as sysbench.
	Runner string `json:"runner"`
	// Workload is the runner's part of the spec, verbatim (spec.workload.<runner>).
	Workload json.RawMessage `json:"workload"`
	// Clients is the number of client pods of the trial, at least 1. Each runs the
	// same workload: concurrency and rates are per client.
	Clients int `json:"clients"`
	// WarmupSeconds is the length of the discarded warm-up; 0 for none.
	WarmupSeconds int64 `json:"warmupSeconds"`
	// DurationSeconds is the length of the measured window; for a workload that
	// counts operations, the longest that it may take.
	DurationSeconds int64 `json:"durationSeconds"`
	// SettleSeconds is the pause between the end of the warm-up and the start of the
	// measured window, in which clients that are late catch up; 0 for none.
	SettleSeconds float64 `json:"settleSeconds,omitempty"`
	// Endpoint is where the target answers.
	Endpoint Endpoint `json:"endpoint"`
	// Seed of the run, 0 to 9007199254740991. Those that tools are given are of Seed.
	Seed int64 `json:"seed"`
	// SharedServer: another target of the run is on the same server.
	SharedServer bool `json:"sharedServer,omitempty"`
	// Demand of all clients together, the largest of all cells of the plan.
	Demand Demand `json:"demand,omitzero"`
	// Begin is when the measured window is to begin, for a tool that is told so (see Opening);
	// the agent fills it in when the barrier has opened. Zero for other tools and phases.
	Begin time.Time `json:"-"`
	// Inputs are the files that the workload names, by name: the ConfigMap of the user,
	// as it was when the run was accepted. The agent fills them in from the mounted copy.
	Inputs map[string][]byte `json:"-"`
	// Replicas are host:port of the agents of the target's replicas.
	Replicas []string `json:"replicas,omitempty"`
	// Agent is host:port of the target's agent; empty for an external target.
	Agent string `json:"agent,omitempty"`
	// Snapshot: after Prepare, a snapshot of the loaded data is taken.
	Snapshot bool `json:"snapshot,omitempty"`
	// Reset says how the data is put back before the trial; nil if it stays as the
	// last trial left it.
	Reset *Reset `json:"reset,omitempty"`
	// Deadline is when the agent ends the tool and reports DeadlineExceeded.
	Deadline time.Time `json:"deadline"`
}

// Reset puts the data back into the state that Prepare left.
type Reset struct {
	// Method is result.ResetSnapshot or result.ResetReload.
	Method string `json:"method"`
	// Tables that have to be there afterwards, with these rows and checksums.
	Tables []result.Table `json:"tables"`
}

// Endpoint is the address of a target.
type Endpoint struct {
	// Host name or IP address.
	Host string `json:"host"`
	// Port, 1 to 65535.
	Port int32 `json:"port"`
	// Database is the name of the schema that the tool works in.
	Database string `json:"database"`
	// TLS says whether connections are encrypted.
	TLS TLSMode `json:"tls"`
	// StorageEngine for the tables, such as InnoDB; empty for the server's default.
	StorageEngine string `json:"storageEngine,omitempty"`
	// JDBC is set for a database that does not speak the protocol of MySQL; host, port
	// and database are then empty.
	JDBC *JDBC `json:"jdbc,omitempty"`
}

// JDBC is a database behind a JDBC driver.
type JDBC struct {
	// URL without credentials.
	URL string `json:"url"`
	// Driver is a class name.
	Driver string `json:"driver"`
}

// Demand is what a workload needs of the limits of a server and of a client.
type Demand struct {
	// Connections that are open at the same time.
	Connections int64 `json:"connections,omitempty"`
	// PreparedStatements that are open at the same time.
	PreparedStatements int64 `json:"preparedStatements,omitempty"`
	// Tables that are in use.
	Tables int64 `json:"tables,omitempty"`
}

// TLSMode says whether connections are encrypted. Drivers differ in their
// defaults, so it is always pinned.
type TLSMode string

// TLS modes. A runner never sees TLSPreferred: the agent has found out by then whether
// the server offers TLS.
const (
	TLSDisabled  TLSMode = "Disabled"
	TLSPreferred TLSMode = "Preferred"
	TLSRequired  TLSMode = "Required"
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
	Measurements []result.Measurement
	// Errors that the tool counted.
	Errors []result.ErrorCount
	// Problems are lines that could not be understood.
	Problems []result.Problem
	// Window is the measured window on the wall clock, where the tool tells; nil: it ends with
	// the process and is as long as the tool says.
	Window *Span `json:",omitempty"`
	// Warmup are the measurements of a warm-up in the same process, and WarmupSeconds how long
	// it really took; nil without one.
	Warmup        []result.Measurement `json:",omitempty"`
	WarmupSeconds *float64             `json:",omitempty"`
	// Failure is nil when the phase did its work: exit codes alone prove nothing.
	Failure *result.Failure
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
func (o Opening) Delay(t Trial) time.Duration {
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

// AnyHeadline says that one measurement is as good as another.
const AnyHeadline = "*"

// Facts are what a trial lets one expect of its result, in numbers that do not
// name the tool. A zero means: nothing is known, so nothing is checked.
type Facts struct {
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

// Runner adapts one tool.
type Runner struct {
	// Name in the API (spec.workload.<name>) and in the catalogue of images.
	Name string
	// Headline is the name of the measurement that stands for a trial.
	Headline string
	// Summary are the names of the measurements that go into the run's status,
	// the headline first.
	Summary []string
	// Command builds the command line of a phase. It fails when the workload
	// cannot be expressed; the message names the field.
	Command func(t Trial, p Phase, c Credentials) (Command, error)
	// Parse reads the output of a phase. It never fails: what it cannot read is a
	// Problem, what the tool could not do is a Failure.
	Parse func(t Trial, p Phase, o Output) Report
	// Facts are the expectations that internal/validity holds the result of one
	// client against. It fails when the workload cannot be understood.
	Facts func(t Trial) (Facts, error)
	// DataFields are the fields and parameters of the workload that decide what Prepare
	// loads. They cannot be axes of a matrix: a run loads one data set. Nil: there are none.
	DataFields func(workload json.RawMessage) ([]string, error)
	// Demand is what one client needs of the limits of a server. It fails when the
	// workload cannot be understood. Nil: nothing is known.
	Demand func(t Trial) (Demand, error)
	// Rows that Prepare has to leave, all clients together, by the name of the table. Nil,
	// or an empty answer: nothing is known.
	Rows func(t Trial) (map[string]int64, error)
	// Wears is what the operations of one client of the trial do to the rows that Rows counts.
	// Nil: nothing is known.
	Wears func(t Trial) (Wear, error)
	// SameBytes says that every Prepare of the trial's workload leaves the same rows, byte by
	// byte, so that checksums of two loads can be compared. Nil: nothing is known.
	SameBytes func(t Trial) bool
	// Quote parses output that somebody published: whatever of it is there, however it was
	// copied. Nil: there is none to parse.
	Quote func(text []byte) Report
	// JDBC: the tool reaches targets whose Endpoint.JDBC is set.
	JDBC bool
	// NeedsCertificate: the tool encrypts only with a CA and a certificate and key of
	// its own, so that with TLSRequired all three have to be in Credentials.
	NeedsCertificate bool
	// Pods is what the pods of the clients are made of. Nil: of the one image of the tool in
	// the catalogue, without files of the user.
	Pods func(workload json.RawMessage) (Pods, error)
	// Axis is a field of the workload that every run varies, though its matrix does not say
	// so, and the values; no values: nothing is varied. Nil: there is none.
	Axis func(workload json.RawMessage) (field string, values []string, err error)
	// Delay is by how much longer every round trip between tool and server shall take; 0 for as
	// it is. Nil: as it is.
	Delay func(workload json.RawMessage) (time.Duration, error)
	// Skips says that the phase has nothing to do, and no command. Nil: no phase.
	Skips func(t Trial, p Phase) bool
	// Opening is how the process that measures comes to its window. Nil: it is started at the
	// instant at which the window is to begin.
	Opening func(t Trial) Opening
	// SharesLoad: Prepare does Trial.Ref.Client's part of Trial.Clients, so that all
	// clients load together. False: the first client loads alone.
	SharesLoad bool
}

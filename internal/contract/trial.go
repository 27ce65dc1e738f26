package contract

import (
	"encoding/json"
	"time"
)

// TrialVersion names the format of Trial. A reader refuses any other.
const TrialVersion = "assay.dev/trial/v1"

// Phase is a stage of a tool's work on a target.
type Phase string

// Phases in the order in which a run goes through them.
const (
	// PhasePrepare creates the schema and loads the data.
	PhasePrepare Phase = "Prepare"
	// PhaseWarmup is the discarded start of a trial: the same as Run, for
	// Trial.WarmupSeconds. It is never a phase of a Trial of its own.
	PhaseWarmup Phase = "Warmup"
	// PhaseRun measures.
	PhaseRun Phase = "Run"
	// PhaseCheck checks the data after the measured window, for tools that can
	// (runner.Runner.Checks). It is never a phase of a Trial of its own.
	PhaseCheck Phase = "Check"
	// PhaseCleanup drops what Prepare created.
	PhaseCleanup Phase = "Cleanup"
)

// Measuring is how long, or how often, each of the measurements of a trial is made.
type Measuring struct {
	// WarmupSeconds is the length of the warm-up, which is not counted; 0 for none.
	WarmupSeconds float64 `json:"warmupSeconds"`
	// DurationSeconds is the length of the measured window, more than 0.
	DurationSeconds float64 `json:"durationSeconds"`
	// WarmupRounds is the number of operations that are not counted, for what is measured
	// by rounds; 0 for none.
	WarmupRounds int `json:"warmupRounds"`
	// Rounds is the number of operations that are counted, at least 1.
	Rounds int `json:"rounds"`
}

// Trial is everything a client needs to know, and no more: the message from the
// manager to the agent. Credentials are not in it; they are mounted as files.
type Trial struct {
	// Version is always TrialVersion.
	Version string `json:"version"`
	// Ref is the identity, copied into the result.
	Ref TrialRef `json:"ref"`
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
	// Measurement is the design of each measurement, for a tool that makes many of them in a
	// trial; nil for others. WarmupSeconds is then 0, and DurationSeconds the longest that the
	// trial may take.
	Measurement *Measuring `json:"measurement,omitempty"`
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
	// Method is ResetSnapshot or ResetReload.
	Method string `json:"method"`
	// Tables that have to be there afterwards, with these rows and checksums.
	Tables []Table `json:"tables"`
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

package contract

import (
	"encoding/json"
	"time"
)

// TrialVersion names the format of Trial. A reader refuses any other.
const TrialVersion = "assay.dev/trial/v1"

// Phase is a stage of a workload on a target.
type Phase string

// Phases in the order of a run.
const (
	// PhasePrepare creates the schema and loads the data.
	PhasePrepare Phase = "Prepare"
	// PhaseWarmup is the warm-up of a trial: the same as Run, for Trial.WarmupSeconds. It is
	// never the phase of a Trial.
	PhaseWarmup Phase = "Warmup"
	// PhaseRun measures.
	PhaseRun Phase = "Run"
	// PhaseCheck checks the data after the measured window, for tools that can
	// (runner.Phases.CheckTime). It is never a phase of a Trial of its own.
	PhaseCheck Phase = "Check"
	// PhaseCleanup drops what Prepare created.
	PhaseCleanup Phase = "Cleanup"
)

// Measuring is the length or the number of operations of each measurement of a trial.
type Measuring struct {
	// WarmupSeconds is the length of the uncounted warm-up; 0 for none.
	WarmupSeconds float64 `json:"warmupSeconds"`
	// DurationSeconds is the length of the measured window, more than 0.
	DurationSeconds float64 `json:"durationSeconds"`
	// WarmupRounds is the number of uncounted operations of a measurement by rounds; 0 for none.
	WarmupRounds int `json:"warmupRounds"`
	// Rounds is the number of counted operations of a measurement by rounds, at least 1.
	Rounds int `json:"rounds"`
}

// Trial is the message from the manager to a client's agent. Credentials are not part of it; they are mounted as files.
type Trial struct {
	// Version is always TrialVersion.
	Version string `json:"version"`
	// Ref is the identity, copied into the result.
	Ref TrialRef `json:"ref"`
	// Runner is the name of the tool's adapter, such as sysbench.
	Runner string `json:"runner"`
	// Workload is the runner's part of the spec (spec.workload.<runner>).
	Workload json.RawMessage `json:"workload"`
	// Clients is the number of client pods of the trial, at least 1. Each runs the
	// same workload: concurrency and rates are per client. As one client knows the trial (Of), those that share its data.
	Clients int `json:"clients"`
	// Groups divide the clients, in their order. None: all of them are one group.
	Groups []Group `json:"groups,omitempty"`
	// Tenant is the number of the tenant of the client that knows the trial so (Of), from 1; 0 in a trial without tenants.
	Tenant int `json:"-"`
	// Idle: the client that knows the trial so (Of) does nothing in it.
	Idle bool `json:"-"`
	// WarmupSeconds is the length of the discarded warm-up; 0 for none.
	WarmupSeconds int64 `json:"warmupSeconds"`
	// DurationSeconds is the length of the measured window; for a workload with a fixed number
	// of operations, its time limit.
	DurationSeconds int64 `json:"durationSeconds"`
	// Measurement is the design of each measurement, for a tool that makes many measurements in a trial; nil for
	// others. WarmupSeconds is then 0, and DurationSeconds the time limit of the trial.
	Measurement *Measuring `json:"measurement,omitempty"`
	// SettleSeconds is the pause between the end of the warm-up and the start of the measured
	// window, which late clients need; 0 for none.
	SettleSeconds float64 `json:"settleSeconds,omitempty"`
	// Endpoint is the address of the target.
	Endpoint Endpoint `json:"endpoint"`
	// Seed of the run, 0 to 9007199254740991. The seeds of tools are derived from it.
	Seed int64 `json:"seed"`
	// SharedServer: another target of the run is on the same server.
	SharedServer bool `json:"sharedServer,omitempty"`
	// Demand of all clients together, the largest of all cells of the plan.
	Demand Demand `json:"demand,omitzero"`
	// Begin is the planned start of the measured window, for a tool that gets it (see
	// Opening). The agent sets it after the barrier. Zero for other tools and phases.
	Begin time.Time `json:"-"`
	// Inputs are the files of the workload by name: the user's ConfigMap as it was when the
	// run was accepted. The agent reads them from the mounted copy.
	Inputs map[string][]byte `json:"-"`
	// Replicas are host:port of the agents of the target's replicas.
	Replicas []string `json:"replicas,omitempty"`
	// Agent is host:port of the target's agent; empty for an external target.
	Agent string `json:"agent,omitempty"`
	// CPUs that the tool keeps to; nil for all.
	CPUs *CPUs `json:"cpus,omitempty"`
	// Existing: the data is there before the run, and stays: no phase prepares or drops it.
	Existing bool `json:"existing,omitempty"`
	// Snapshot: take a snapshot of the loaded data after Prepare.
	Snapshot bool `json:"snapshot,omitempty"`
	// DataSet is the name of what Prepare restores from the object store, or loads and brings there; empty without one. Its key, and
	// whether it is restored, are in the Secret of DataOfferName.
	DataSet string `json:"dataSet,omitempty"`
	// Reset is how the data is restored before the trial; nil without a reset.
	Reset *Reset `json:"reset,omitempty"`
	// Restart: the server is started again before the trial, with its data.
	Restart bool `json:"restart,omitempty"`
	// Loads: the phase Run is one load of the data, which the tool does as otherwise in the phase Prepare. That does nothing, so that the schema
	// is empty before.
	Loads bool `json:"loads,omitempty"`
	// Settings of the server that vary between trials, with their values in this one. They are set before it, and are in force until its
	// window has ended. In the phase Prepare they are all values that a running server will be asked to take: each is tried before the load.
	Settings []VariedSetting `json:"settings,omitempty"`
	// MaxResultBytes is what the result may take in its ConfigMap with its raw files, in bytes; 0 for as much as fits.
	MaxResultBytes int64 `json:"maxResultBytes,omitempty"`
	// Store is set where an object store takes the raw files, and results that are too large.
	Store *Store `json:"store,omitempty"`
	// Deadline of the trial. The agent then ends the tool and reports DeadlineExceeded.
	Deadline time.Time `json:"deadline"`
}

// Reset restores the data to its state after Prepare.
type Reset struct {
	// Method is ResetSnapshot or ResetReload.
	Method string `json:"method"`
	// Tables that must exist afterwards, with these rows and checksums.
	Tables []Table `json:"tables"`
}

// VariedSetting is a setting of the server that varies between trials.
type VariedSetting struct {
	// Name of the variable, and its Value, which is not empty.
	Name  string `json:"name"`
	Value string `json:"value"`
	// Restart: the server is started with it. False: the running server is changed.
	Restart bool `json:"restart,omitempty"`
}

// SettingsBy are those settings of the trial that the server is started with (restart), or that it takes while it runs.
func (t Trial) SettingsBy(restart bool) (out []Setting) {
	for _, s := range t.Settings {
		if s.Restart == restart {
			out = append(out, Setting{Name: s.Name, Value: s.Value})
		}
	}
	return out
}

// Endpoint is the address of a target.
type Endpoint struct {
	// Host name or IP address.
	Host string `json:"host"`
	// Port, 1 to 65535.
	Port int32 `json:"port"`
	// Database is the name of the schema that the tool works in.
	Database string `json:"database"`
	// TLS is the encryption of connections.
	TLS TLSMode `json:"tls"`
	// InsecureSkipVerify allows TLS without a CA, so that any certificate is accepted.
	InsecureSkipVerify bool `json:"insecureSkipVerify,omitempty"`
	// StorageEngine for the tables, such as InnoDB; empty for the server's default.
	StorageEngine string `json:"storageEngine,omitempty"`
	// JDBC is set for a database without the MySQL protocol; host, port and database are then empty.
	JDBC *JDBC `json:"jdbc,omitempty"`
}

// JDBC is a database behind a JDBC driver.
type JDBC struct {
	// URL without credentials.
	URL string `json:"url"`
	// Driver is a class name.
	Driver string `json:"driver"`
}

// Demand has the numbers that a workload needs of the limits of a server and of a client.
type Demand struct {
	// Connections that are open at the same time.
	Connections int64 `json:"connections,omitempty"`
	// PreparedStatements that are open at the same time.
	PreparedStatements int64 `json:"preparedStatements,omitempty"`
	// Tables that are open at the same time.
	Tables int64 `json:"tables,omitempty"`
}

// On one of so many servers that have equal parts of the demand.
func (d Demand) On(servers int64) Demand {
	return Demand{Connections: d.Connections / servers, PreparedStatements: d.PreparedStatements / servers, Tables: d.Tables / servers}
}

// SpareFiles is the number of a tool's open files in addition to its connections: libraries, archives of classes, its output.
const SpareFiles = 256

// TLSMode is the encryption of connections. Drivers have different defaults, so it is always set.
type TLSMode string

// TLS modes. A runner never gets TLSPreferred, because the agent has checked before whether the server offers TLS.
const (
	TLSDisabled  TLSMode = "Disabled"
	TLSPreferred TLSMode = "Preferred"
	TLSRequired  TLSMode = "Required"
)

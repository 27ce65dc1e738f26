package client

import (
	"context"
	"log/slog"
	"time"

	"github.com/assay-bench/assay/internal/agent/clock"
	"github.com/assay-bench/assay/internal/agent/dialogue"
	"github.com/assay-bench/assay/internal/agent/live"
	"github.com/assay-bench/assay/internal/agent/transfer"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// ConfigMap has the parts of a ConfigMap that the agent needs.
type ConfigMap struct {
	ResourceVersion string
	Annotations     map[string]string
	Data            map[string]string
	BinaryData      map[string][]byte
}

// ErrRefused marks a permanent error: a retry cannot help.
var ErrRefused = transfer.ErrRefused

// API is the agent's access to the ConfigMaps of its trial, and to the Secret of its upload.
type API interface {
	Get(ctx context.Context, name string) (ConfigMap, error)
	// Follow calls show with later versions until it returns true, and then returns nil.
	Follow(ctx context.Context, name, resourceVersion string, show func(ConfigMap) bool) error
	// Secret reads a Secret, of which nothing was said before it is written.
	Secret(ctx context.Context, name string) (map[string][]byte, error)
	// Patch is a JSON merge patch. One that names a resourceVersion fails when the object
	// has another.
	Patch(ctx context.Context, name string, patch []byte) error
}

// Server answers queries about itself, and is probed before the measurement.
type Server interface {
	Version(ctx context.Context) (version, comment string, err error)
	Variables(ctx context.Context) (map[string]string, error)
	Status(ctx context.Context) (map[string]string, error)
	// NonDefault are the variables that a statement of the flavor lists.
	NonDefault(ctx context.Context, statement string) (map[string]string, error)
	// Tables of the benchmark's schema in the order of their names.
	Tables(ctx context.Context) (tables []contract.Table, unchecked string, err error)
	// Count the rows of these tables, without their checksums.
	Count(ctx context.Context) ([]contract.Table, error)
	// Look at those of some tables that exist: their rows are estimated where it would take long to count them. They are only read.
	Look(ctx context.Context, names []string) ([]contract.Table, error)
	// Analyze takes the statistics of the tables, and says which have none and why; empty where all have some.
	Analyze(ctx context.Context, tables []contract.Table) (without string)
	// Session has the TLS version and the cipher of a connection; both are empty without TLS.
	Session(ctx context.Context) (tlsVersion, cipher string, err error)
	// AccountConnections is how many connections the server allows to the account at a time; 0 for no limit.
	AccountConnections(ctx context.Context) (int64, error)
	// RoundTrip times COM_PING requests.
	RoundTrip(ctx context.Context) (*contract.Probe, error)
	// Clock makes exchanges with the server's clock until the context ends.
	Clock(ctx context.Context, exchanges int) ([]clock.Exchange, error)
	// Durability makes some commits in its own table, and drops it.
	Durability(ctx context.Context, table, storageEngine string) (*contract.Durability, error)
	// Workbench opens a connection for the dialogue with a tool.
	Workbench(ctx context.Context) (dialogue.Workbench, error)
}

// Options are the names and paths of `agent client`; see Defaults.
type Options struct {
	// Trial and Result are the names of the two ConfigMaps; empty for a client that stands.
	Trial, Result string
	// Standing is the name of the ConfigMap that says which trial a client that stands carries out; empty for one of a single trial.
	Standing string
	// Index of this client, from 0.
	Index int
	// Credentials is a directory with the files username and password, and
	// perhaps ca.crt, tls.crt and tls.key; for a client that stands, with such a directory for each target.
	Credentials string
	// Inputs is a directory with the files of the workload; it may be missing.
	Inputs string
	// Work is the directory where the output of the tool is kept until delivery.
	Work string
	// Socket is where the agent waits for the supervisor of the tool's container.
	Socket string
	// TerminationLog is the file with the termination message.
	TerminationLog string
	// Node is the name of the node; empty if unknown.
	Node string
	// Pod is the name of the pod; empty if not known.
	Pod string
}

// Defaults are the paths that internal/ground/resources mounts.
func Defaults() Options {
	return Options{
		Credentials: contract.DirCredentials, Inputs: contract.DirInputs, Work: contract.DirWork, Socket: contract.ToolSocket, TerminationLog: contract.TerminationLog,
	}
}

// Timeouts of the agent.
type Timeouts struct {
	// TrialRead is the timeout to read the trial, which has the deadline for all later steps.
	TrialRead time.Duration
	// Connect is the timeout for the first connection to a server, whose DNS name may be new.
	Connect time.Duration
	// Ask is the timeout for a request to the target's agent.
	Ask time.Duration
	// Poll is the interval of reads of the start where a watch fails.
	Poll time.Duration
	// Silence is the longest silence of a watch before the ConfigMap is read again.
	Silence time.Duration
	// Peers is the interval of reads of another client's result.
	Peers time.Duration
	// Yield is how long the first client waits for its termination when another client has
	// failed.
	Yield time.Duration
	// Retry is the first pause after an API error; it doubles up to RetryMax.
	Retry, RetryMax time.Duration
	// ToolGrace is the time for the tool to end after SIGTERM.
	ToolGrace time.Duration
	// ToolAnswer is the timeout of orders to the tool's container that do not wait for the tool.
	ToolAnswer time.Duration
	// Deliver is the time for the delivery of the result after the deadline.
	Deliver time.Duration
	// Interrupted is the time for the delivery after the pod was terminated: its grace period
	// is 30 s.
	Interrupted time.Duration
}

// DefaultTimeouts are the timeouts of production.
func DefaultTimeouts() Timeouts {
	return Timeouts{
		TrialRead: 5 * time.Minute, Connect: time.Minute, Ask: 2 * time.Second, Poll: 200 * time.Millisecond, Silence: 5 * time.Second,
		Peers: time.Second, Yield: 15 * time.Second,
		Retry: 25 * time.Millisecond, RetryMax: 5 * time.Second, ToolGrace: 5 * time.Second, ToolAnswer: 10 * time.Second,
		Deliver: 2 * time.Minute, Interrupted: 20 * time.Second,
	}
}

// Agent is one client.
type Agent struct {
	Options
	Timeouts
	API API
	// Runner finds the adapter of a tool.
	Runner func(name string) (runner.Runner, bool)
	// Connect prepares the queries to a server.
	Connect func(contract.Endpoint, runner.Credentials) (Server, error)
	Log     *slog.Logger
	// Figures are the live ones of the tool; nil where nobody reads them.
	Figures *live.Figures

	meter meter
}

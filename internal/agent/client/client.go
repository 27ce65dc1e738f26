package client

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/assay-bench/assay/internal/agent/clock"
	"github.com/assay-bench/assay/internal/agent/dialogue"
	"github.com/assay-bench/assay/internal/agent/supervise"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

// ConfigMap is what the agent needs to know of one.
type ConfigMap struct {
	ResourceVersion string
	Annotations     map[string]string
	Data            map[string]string
	BinaryData      map[string][]byte
}

// ErrRefused marks an answer that asking again cannot change.
var ErrRefused = errors.New("refused")

// API is the agent's access to the ConfigMaps of its trial.
type API interface {
	Get(ctx context.Context, name string) (ConfigMap, error)
	// Follow shows later versions until show returns true, and then returns nil.
	Follow(ctx context.Context, name, resourceVersion string, show func(ConfigMap) bool) error
	// Patch is a JSON merge patch. One that names a resourceVersion fails when the object
	// has another.
	Patch(ctx context.Context, name string, patch []byte) error
}

// Server is asked about itself, and tried out before anything is measured.
type Server interface {
	Questions
	Probes
}

// Probes are small trials of a server.
type Probes interface {
	// Session says how a connection is encrypted; both are empty when it is not.
	Session(ctx context.Context) (tlsVersion, cipher string, err error)
	// RoundTrip times questions that the server answers without work.
	RoundTrip(ctx context.Context) (*contract.Probe, error)
	// Clock makes exchanges with the server's clock, as many as the context has time for.
	Clock(ctx context.Context, exchanges int) ([]clock.Exchange, error)
	// Durability makes some commits in a table of its own, which it drops.
	Durability(ctx context.Context, table, storageEngine string) (*contract.Durability, error)
}

// Questions to a server about itself.
type Questions interface {
	Version(ctx context.Context) (version, comment string, err error)
	Variables(ctx context.Context) (map[string]string, error)
	Status(ctx context.Context) (map[string]string, error)
	// NonDefault are the variables that are not the server's own default.
	NonDefault(ctx context.Context, version string) (map[string]string, error)
	// Tables of the benchmark's schema in the order of their names.
	Tables(ctx context.Context) (tables []contract.Table, unchecked string, err error)
}

// Options are the names and places of `agent client`; see Defaults.
type Options struct {
	// Trial and Result are the names of the two ConfigMaps.
	Trial, Result string
	// Index of this client, from 0.
	Index int
	// Credentials is a directory with the files username and password, and
	// perhaps ca.crt, tls.crt and tls.key.
	Credentials string
	// Inputs is a directory with the files that the workload names; it may be missing.
	Inputs string
	// Work is where the tool runs and its output is kept until it is delivered.
	Work string
	// TerminationLog is the file with the termination message.
	TerminationLog string
	// Node is the name of the node; empty if not known.
	Node string
	// Pod is the name of the pod; empty if not known.
	Pod string
}

// Defaults are the places that internal/resources mounts.
func Defaults() Options {
	return Options{
		Credentials: contract.DirCredentials, Inputs: contract.DirInputs, Work: contract.DirWork, TerminationLog: contract.TerminationLog,
	}
}

// Limits are the waits of the agent.
type Limits struct {
	// TrialRead is how long the trial may be unreadable: its deadline is in it.
	TrialRead time.Duration
	// Connect is how long a server may be unreachable at first: its name may be
	// newer than the DNS knows.
	Connect time.Duration
	// Ask is how long the target's agent may take to describe itself.
	Ask time.Duration
	// Poll is the time between two looks for the start where a watch fails.
	Poll time.Duration
	// Look is how long a silent watch is trusted.
	Look time.Duration
	// Peers is the time between two looks for the result of another client.
	Peers time.Duration
	// Yield is how long the first client waits to be told to stop when another one has
	// failed.
	Yield time.Duration
	// Retry is the first pause after an API error; it doubles up to RetryMax.
	Retry, RetryMax time.Duration
	// ToolGrace is how long the tool may take to end after SIGTERM.
	ToolGrace time.Duration
	// Deliver is how long after the deadline delivery is tried.
	Deliver time.Duration
	// Interrupted is the same, after the pod was told to stop: its grace is 30 s.
	Interrupted time.Duration
}

// DefaultLimits are those of production.
func DefaultLimits() Limits {
	return Limits{
		TrialRead: 5 * time.Minute, Connect: time.Minute, Ask: 2 * time.Second, Poll: 200 * time.Millisecond, Look: 5 * time.Second,
		Peers: time.Second, Yield: 15 * time.Second,
		Retry: 200 * time.Millisecond, RetryMax: 5 * time.Second, ToolGrace: 5 * time.Second,
		Deliver: 2 * time.Minute, Interrupted: 20 * time.Second,
	}
}

// Agent is one client.
type Agent struct {
	Options
	Limits
	API API
	// Runner finds the adapter of a tool.
	Runner func(name string) (runner.Runner, bool)
	// Connect prepares the questions to a server.
	Connect func(contract.Endpoint, runner.Credentials) (Server, error)
	// Bench opens a connection beside a tool that is spoken with.
	Bench func(context.Context, contract.Endpoint, runner.Credentials) (dialogue.Workbench, error)
	Log   *slog.Logger

	children supervise.Children
	meter    meter
}

// Package engine is the contract between Assay and a database flavor.
//
// An engine is a table of facts about one flavor: which binaries it has, how a
// data directory is initialised, which settings Assay owns, and which SQL makes
// the benchmark's account. It is pure: the agent (internal/agent) writes the
// files and starts the processes.
package engine

import (
	"github.com/assay-bench/assay/internal/contract"
)

// Shape is the machine that a server gets.
type Shape struct {
	// CPUs, 1 for one core.
	CPUs float64
	// MemoryBytes of the container.
	MemoryBytes int64
	// DataBytes is the size of the data directory's volume; 0 for not known.
	DataBytes int64
	// DataInMemory: that volume lies in the memory of the container too.
	DataInMemory bool
}

// Paths are the places that a server may write to. Everything else is read-only.
type Paths struct {
	// Data is the data directory, on the target's volume.
	Data string
	// Run holds the socket, the pid file and the written configuration. It is
	// never on disk, and empty when the pod starts.
	Run string
	// TLS holds ca.crt, tls.crt and tls.key, the server's certificate; nothing is there with
	// TLS Disabled.
	TLS string
	// Tmp is for temporary files.
	Tmp string
}

// Command is one process to start: a program looked up in PATH and the usual
// server directories, and its arguments.
type Command struct {
	// Programs are the candidates, the first one found is taken.
	Programs []string
	Args     []string
}

// Engine is one flavor.
type Engine struct {
	// Flavor is the name in the API.
	Flavor string
	// StorageEngines that the flavor can use, the default first.
	StorageEngines []string
	// Owned are the names of the settings that Assay sets itself, to the reason;
	// a user's setting of that name is refused.
	Owned map[string]string
	// Version is the command that prints the version of the server's binary.
	Version func() Command
	// Recognise reads what that command printed: the version, such as 10.11.6. It fails for
	// the server of another flavor, and says which one it is.
	Recognise func(printed string) (version string, err error)
	// Defaults are the settings that Assay derives from the shape, for the storage engine;
	// each replaces a default of the server that suits a small machine only.
	Defaults func(s Shape, storageEngine string) []contract.Setting
	// Limits are the settings that give the workload what it needs; only where the
	// server's own default is too low.
	Limits func(d contract.Demand) []contract.Setting
	// Config renders the server's configuration file.
	Config func(t contract.Target, p Paths) []byte
	// Initialise makes an empty data directory into one that can be started. Nil: the
	// server does it itself when it starts for the first time.
	Initialise func(configFile string, p Paths) Command
	// Serve starts the server in the foreground; before it accepts connections, it runs
	// the statements of the init file.
	Serve func(configFile, initFile string, p Paths) Command
	// BootstrapSQL creates the schema and the benchmark's account with the least
	// privileges the tools need. Each statement is one line. They run as the
	// server's init file at every start, before it accepts connections, so they
	// can be run again; without Initialise they run at the first start only.
	BootstrapSQL func(t contract.Target, password string) []string
	// Replicated are the settings that every server in replication needs, whatever its
	// part; a user's setting of that name is refused then. Nil: the flavor has no
	// replication.
	Replicated func(t contract.Target) []contract.Setting
	// Follow are the statements that make a replica follow its primary from its own
	// position, from wherever it was before. The agent runs them at every start, as
	// Replication.Username.
	Follow func(t contract.Target, password string) []string
	// ReplicaStatus is the statement that tells of replication, such as SHOW REPLICA
	// STATUS, for the version.
	ReplicaStatus func(t contract.Target) string
	// AwaitPosition is the statement that waits until a replica has applied what its
	// primary had at a position: its parameters are the position and a time in seconds, its
	// answer is 0 when that much is applied.
	AwaitPosition string
}

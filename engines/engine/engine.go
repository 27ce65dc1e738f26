// Package engine is the contract between Assay and a database flavor.
//
// An engine is a table of facts about one flavor: how Assay provides it (its binaries, the
// initialisation of a data directory, the settings that Assay owns, and the SQL for the
// benchmark's account), and what is known of its running servers, also of external ones (Facts).
// In: the shape, the paths and the target. Out: settings, files, commands and statements. It is
// pure: the agent (internal/agent) writes the files and starts the processes. An engine refuses
// servers of another flavor and settings that Assay owns.
package engine

import "github.com/assay-bench/assay/internal/ground/contract"

// Shape is the machine size of a server.
type Shape struct {
	// MemoryBytes of the container.
	MemoryBytes int64
	// DataBytes is the size of the data directory's volume; 0 if unknown.
	DataBytes int64
	// DataInMemory: the volume is a tmpfs within the memory of the container.
	DataInMemory bool
}

// Paths are the writable directories of a server. Everything else is read-only.
type Paths struct {
	// Data is the data directory, on the target's volume.
	Data string
	// Run holds the socket, the pid file and the written configuration. It is
	// never on disk, and empty when the pod starts.
	Run string
	// TLS holds ca.crt, tls.crt and tls.key of the server; empty with TLS Disabled.
	TLS string
	// Tmp is for temporary files.
	Tmp string
	// Config is the configuration file, and Init the file of BootstrapSQL.
	Config, Init string
}

// Command is one process to start: a program looked up in PATH and the usual
// server directories, and its arguments.
type Command struct {
	// Programs are the candidates; the first one found is used.
	Programs []string
	Args     []string
	// Env are variables of its environment, as NAME=value, beside those of the agent.
	Env []string
}

// Engine is one flavor.
type Engine struct {
	// Flavor is the name in the API.
	Flavor string
	// About is what Assay provides, and how it differs from what the name promises: a sentence
	// for the reference.
	About string
	// Facts of its servers.
	Facts Facts
	// StorageEngines that the flavor can use, the default first.
	StorageEngines []string
	// Owned maps the names of settings that Assay sets to the reason. A user's setting of such
	// a name is refused.
	Owned map[string]string
	// Version is the command that prints the version of the server's binary.
	Version func() Command
	// Oldest version that Assay provides, such as 10, 6.
	Oldest []int
	// ForRepetitions are versions of the catalogue for those who repeat published numbers, and why nobody else should take one.
	// No default, sample or suggestion names them.
	ForRepetitions map[string]string
	// Defaults are the settings that Assay derives from the shape, for the storage engine.
	// Each replaces a default of the server that suits only a small machine.
	Defaults func(s Shape, storageEngine string) []contract.Setting
	// Limits are the settings that raise the server's limits for the workload, where the
	// server's own default is too low.
	Limits func(d contract.Demand) []contract.Setting
	// Restarts are the settings with which a server that is started again has its caches as they were, where its defaults
	// leave some of them out.
	Restarts []contract.Setting
	// Config renders the server's configuration file.
	Config func(t contract.Target, p Paths) []byte
	// Initialise initialises an empty data directory. Nil: the server does it at its first
	// start.
	Initialise func(p Paths) Command
	// Serve starts the server in the foreground.
	Serve func(t contract.Target, p Paths) Command
	// Portable: another server of the same image can go on with the data directory of one that was stopped. Serve has to run the
	// init file at every start, which gives the benchmark's account the password of the server that has the data now.
	Portable bool
	// BootstrapSQL creates the schema and the benchmark's account with the minimum privileges
	// for the tools. Each statement is one line. Serve has the server run them as its init file at
	// every start, before it accepts connections, so they are repeatable; without Initialise
	// it runs them only at the first start. Or Initialise runs them, once for all.
	BootstrapSQL func(t contract.Target, password string) []string
	// Replicated are the settings of every server in replication, primary or replica; a user's
	// setting of such a name is refused then. Nil: no replication with this flavor.
	Replicated func(t contract.Target) []contract.Setting
	// UndoesReplication reports whether a setting, by its name in lower case, would undo what Assay sets for replication,
	// beside those of Replicated. A user's setting of such a name is refused with replicas.
	UndoesReplication func(name string) bool
	// Follow are the statements that start replication from the primary at the replica's own
	// position. The agent runs them at every start, as Replication.Username.
	Follow func(t contract.Target, password string) []string
	// ReplicaStatus is the statement for the status of replication, such as SHOW REPLICA
	// STATUS, for the version.
	ReplicaStatus func(t contract.Target) string
	// AwaitPosition is the statement that waits until a replica has applied a position of its
	// primary. Its parameters are the position and a timeout in seconds; its result is 0 when
	// the position is applied.
	AwaitPosition string
}

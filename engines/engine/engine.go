// Package engine is the contract between Assay and a database flavor.
//
// An engine is a table of facts about one flavor: which binaries it has, how a
// data directory is initialised, which settings Assay owns, and which SQL makes
// the benchmark's account. It is pure: the agent (internal/agent) writes the
// files and starts the processes.
package engine

// TargetVersion names the format of Target. A reader refuses any other.
const TargetVersion = "assay.dev/target/v1"

// Target is the message from the manager to `agent target`: what server to
// provide. The password is not in it; it is mounted as a file.
type Target struct {
	// Version is always TargetVersion.
	Version string `json:"version"`
	// Flavor is the name of the engine: MySQL, MariaDB.
	Flavor string `json:"flavor"`
	// StorageEngine is the default storage engine, such as InnoDB.
	StorageEngine string `json:"storageEngine"`
	// Database is the schema to create for the benchmark.
	Database string `json:"database"`
	// Username of the benchmark's account.
	Username string `json:"username"`
	// Port the server listens on.
	Port int32 `json:"port"`
	// BindAddress the server listens on; empty for all.
	BindAddress string `json:"bindAddress,omitempty"`
	// Settings of the user, in the order in which they are written; a later one
	// of the same name has replaced an earlier one already (see Merge).
	Settings []Setting `json:"settings,omitempty"`
}

// Setting is one server option of the group [mysqld].
type Setting struct {
	// Name as in my.cnf, with underscores.
	Name string `json:"name"`
	// Value; empty for an option without one, such as skip_log_bin. The empty
	// string is written as two single quotes, as in sql_mode = ''.
	Value string `json:"value,omitempty"`
}

// Paths are the places that a server may write to. Everything else is read-only.
type Paths struct {
	// Data is the data directory, on the target's volume.
	Data string
	// Run holds the socket, the pid file and the written configuration. It is
	// never on disk, and empty when the pod starts.
	Run string
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
	// Config renders the server's configuration file.
	Config func(t Target, p Paths) []byte
	// Initialise makes an empty data directory into one that can be started.
	Initialise func(configFile string, p Paths) Command
	// Serve starts the server in the foreground.
	Serve func(configFile string, p Paths) Command
	// BootstrapSQL creates the schema and the benchmark's account with the least
	// privileges the tools need. Each statement is one line. They run as the
	// server's --init-file at every start, before it accepts connections, so they
	// can be run again.
	BootstrapSQL func(t Target, password string) []string
}

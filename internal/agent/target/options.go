// Package target is `agent target`, process 1 of a database pod. In this order it
// reads what server to provide, writes its configuration, initialises the data
// directory if there is none, starts the server, waits for the first login of the
// benchmark's account, and then supervises the server until it is told to stop.
//
// The account is made by the server itself from an init file, at every start and
// before it accepts connections. Considered and dropped: a session of root through
// the socket, because it needs a root without a password, leaves a moment in
// which the server answers without the account, and differs between images.
//
// It refuses to start a second server on the same volume, and never repairs or
// empties a data directory that exists.
package target

import (
	"io"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/assay-bench/assay/engines/engine"
)

// Options are the places and limits of `agent target`; see Defaults.
type Options struct {
	// TargetFile holds the engine.Target as JSON.
	TargetFile string
	// PasswordFile holds the password of the benchmark's account.
	PasswordFile string
	// Data is the target's volume. It may hold files of others, such as lost+found.
	Data string
	// Run is for the socket, the configuration and, until the first login, the
	// init file; it should not be on disk.
	Run string
	// Tmp is for the server's temporary files.
	Tmp string
	// Listen is the address of the HTTP server.
	Listen string
	// TerminationLog is the file from which Kubernetes takes the last message.
	TerminationLog string
	// Grace is how long the server may take to shut down before it is killed.
	Grace time.Duration
	// Out is where the server's log goes.
	Out io.Writer
	// Log of the agent itself.
	Log *slog.Logger
	// Engine finds a flavor.
	Engine func(flavor string) (engine.Engine, bool)
}

// Defaults are the places that internal/resources mounts. The grace is a little
// shorter than the pod's.
func Defaults() Options {
	return Options{
		TargetFile:     "/etc/assay/target/target.json",
		PasswordFile:   "/etc/assay/credentials/password",
		Data:           "/var/lib/assay/data",
		Run:            "/run/assay",
		Tmp:            "/tmp",
		Listen:         ":8306",
		TerminationLog: "/dev/termination-log",
		Grace:          110 * time.Second,
	}
}

func (o Options) paths() engine.Paths {
	return engine.Paths{Data: filepath.Join(o.Data, "db"), Run: o.Run, Tmp: o.Tmp}
}

func (o Options) configFile() string { return filepath.Join(o.Run, "server.cnf") }

func (o Options) initFile() string { return filepath.Join(o.Run, "bootstrap.sql") }

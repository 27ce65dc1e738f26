// Package target is `agent target`, process 1 of a database pod. In: a target, a password and
// certificates. Out: a running server, an HTTP interface and a termination message. In this
// order it reads its target, reads the version of the image's server, writes its
// configuration, initialises the data directory if there is none, starts the server, waits for
// the first login of the benchmark's account, and then supervises the server until its own
// termination.
//
// The server itself creates the account from an init file, at every start and before it
// accepts connections. Considered and dropped: a session of root through the socket. It needs
// a root without a password, the server would accept connections before the account exists,
// and images differ.
//
// Over HTTP, with a signature on each request, it reports the environment of
// the server (contract.PathEnvironment), takes a snapshot of the data directory
// (contract.PathSnapshot) and restores it (contract.PathRestore), one operation at a time. For
// both operations it stops the server, copies, starts the server and waits for a login; the
// pod is not ready meanwhile.
// It also starts the server again (contract.PathRestart), and changes its settings: by a start with other ones, or of
// the running server (contract.PathSettings), with an account whose password it alone knows. It never tells whether they are in force: who
// asks for them reads that back.
//
//   - A snapshot is taken of a server that shut down cleanly, never of one that was
//     killed. It has its name only when it is complete and on disk. An older one is
//     removed before, so a snapshot that fails leaves none.
//   - A restore writes a marker first, removes the data directory, and makes a new
//     one, so that the volume never holds more than two copies. As long as the
//     marker is there, a start of the agent finishes the restore before anything
//     else. A restore that fails with the data directory gone ends the agent.
//   - The same operation asked for again gets the same answer. The last one that
//     went well is remembered on the volume, so that holds after a restart of the
//     container too; so does an interrupted restore. A snapshot that was interrupted,
//     and an operation that failed, are tried anew after a restart.
//
// A server that ends without being told to ends the agent, at any time.
//
// It refuses to start a second server on the same volume. It never repairs a data
// directory that exists, and replaces it only with a snapshot that somebody asked
// to restore.
package target

import (
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// Options are the paths and timeouts of `agent target`; see Defaults.
type Options struct {
	// TargetFile holds the contract.Target as JSON.
	TargetFile string
	// PasswordFile holds the password of the benchmark's account.
	PasswordFile string
	// KeyFile holds the secret that requests to this agent are signed with.
	KeyFile string
	// TLS is a directory with ca.crt, tls.crt and tls.key of the server; it may be missing
	// with TLS Disabled.
	TLS string
	// Data is the target's volume: the data directory, its snapshot, and the agent's records.
	// It may hold other files, such as lost+found.
	Data string
	// Run is the directory of the socket, the configuration and, until the first login, the
	// init file; it should not be on disk.
	Run string
	// Tmp is for the server's temporary files.
	Tmp string
	// Listen is the address of the HTTP server.
	Listen string
	// TerminationLog is the file with the termination message.
	TerminationLog string
	// Grace is the time for the server to shut down before it is killed, at the end and for
	// every operation.
	Grace time.Duration
	// Out is where the server's log goes.
	Out io.Writer
	// Log of the agent itself.
	Log *slog.Logger
	// Engine finds a flavor.
	Engine func(flavor string) (engine.Engine, bool)
}

// Defaults are the paths that internal/ground/resources mounts. The grace is a little shorter than
// the pod's.
func Defaults() Options {
	return Options{
		TargetFile:     filepath.Join(contract.DirTarget, contract.KeyTarget),
		PasswordFile:   filepath.Join(contract.DirCredentials, contract.KeyPassword),
		KeyFile:        filepath.Join(contract.DirCredentials, contract.KeyAgent),
		TLS:            contract.DirTLS,
		Data:           contract.DirData,
		Run:            contract.DirRun,
		Tmp:            contract.DirTmp,
		Listen:         fmt.Sprintf(":%d", contract.AgentPort),
		TerminationLog: contract.TerminationLog,
		Grace:          110 * time.Second,
	}
}

func (o Options) paths() engine.Paths {
	return engine.Paths{Data: filepath.Join(o.Data, "db"), Run: o.Run, TLS: o.TLS, Tmp: o.Tmp, Config: o.configFile(), Init: o.initFile()}
}

func (o Options) configFile() string { return filepath.Join(o.Run, "server.cnf") }

func (o Options) initFile() string { return filepath.Join(o.Run, "bootstrap.sql") }

// firstStartFile marks the incomplete data directory of a server that initialises it itself.
func (o Options) firstStartFile() string { return filepath.Join(o.Data, "db.first-start") }

package target

import (
	"database/sql"
	"os"
	"sync"
	"sync/atomic"

	"github.com/assay-bench/assay/internal/agent/control"
	"github.com/assay-bench/assay/internal/agent/environment"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// server starts and stops the database server.
type server struct {
	Options
	in    inputs
	login loginProbe
	// follower is nil for a server that is not a replica.
	follower *follower
	logged   logFindings
	// varied are the settings of the last start in place of those of the target. Only who operates reads and writes them.
	varied []contract.Setting
	// changed are the variables that were set since the start of the server. Only who operates reads and writes them.
	changed changes
	// serving is true from the first login until the stop of the server begins.
	serving atomic.Bool
	// pid of the server; 0 while there is none.
	pid atomic.Int64
}

// agent holds the parts of `agent target`.
type agent struct {
	server
	volume     *volume
	operations *operations
	// setter has connections of the account that may set variables; nil where the target has none.
	setter *sql.DB
	// sampler of the counters of this container.
	sampler environment.Sampler
	// storage of the data directory; nil before the probe.
	storage atomic.Pointer[contract.Storage]
	// held is a file of the volume of an earlier run, locked; nil for a volume of the run's own.
	held *os.File
	// gate before the HTTP server.
	gate *control.Gate
	// speeding is locked while the speed of the machine is measured.
	speeding sync.Mutex
}

func newAgent(o Options, in inputs, login loginFunc) *agent {
	a := &agent{volume: newVolume(o), operations: newOperations()}
	a.Options, a.in, a.login.try, a.logged.log = o, in, login, in.engine.Facts.Log
	if from := in.target.Retained; from != nil {
		a.volume.user = from.RunUID
	}
	a.gate = control.NewGate(in.key, a.turnAway)
	return a
}

// down says that there is no server from now on.
func (s *server) down() {
	s.serving.Store(false)
	s.pid.Store(0)
}

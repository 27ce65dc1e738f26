package target

import (
	"sync"
	"sync/atomic"

	"github.com/assay-bench/assay/internal/agent/control"
	"github.com/assay-bench/assay/internal/agent/environment"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// agent holds the parts of `agent target`.
type agent struct {
	Options
	in         inputs
	login      loginProbe
	volume     *volume
	operations *operations
	// follower is nil for a server that is not a replica.
	follower *follower
	// sampler of the counters of this container.
	sampler environment.Sampler
	// serving is true from the first login until the stop of the server begins.
	serving atomic.Bool
	// pid of the server; 0 while there is none.
	pid    atomic.Int64
	logged logFindings
	// storage of the data directory; nil before the probe.
	storage atomic.Pointer[contract.Storage]
	// gate before the HTTP server.
	gate *control.Gate
	// speeding is locked while the speed of the machine is measured.
	speeding sync.Mutex
}

func newAgent(o Options, in inputs, login loginFunc) *agent {
	a := &agent{Options: o, in: in, login: loginProbe{try: login}, volume: newVolume(o), operations: newOperations()}
	a.logged.log = in.engine.Facts.Log
	a.gate = control.NewGate(in.key, a.turnAway)
	return a
}

// down says that there is no server from now on.
func (a *agent) down() {
	a.serving.Store(false)
	a.pid.Store(0)
}

package target

import (
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/assay-bench/assay/internal/agent/control"
	"github.com/assay-bench/assay/internal/agent/environment"
	"github.com/assay-bench/assay/internal/agent/supervise"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// agent holds the parts of `agent target`.
type agent struct {
	Options
	in         inputs
	login      *loginProbe
	children   *supervise.Children
	volume     *volume
	operations *operations
	// follower is nil for a server that is not a replica.
	follower *follower
	// sampler of the counters of this container.
	sampler environment.Sampler
	live    serverState
	logged  logFindings
	// storage of the data directory; nil before the probe.
	storage atomic.Pointer[contract.Storage]
	// gate before the HTTP server.
	gate *control.Gate
	// speeding is locked while the speed of the machine is measured.
	speeding sync.Mutex
}

func newAgent(o Options, in inputs, login loginFunc) *agent {
	a := &agent{Options: o, in: in, login: &loginProbe{try: login}, children: &supervise.Children{}, volume: newVolume(o), operations: newOperations()}
	a.logged.log = in.engine.Facts.Log
	a.gate = control.NewGate(in.key, func(w http.ResponseWriter, err error) { a.api().turnAway(w, err) })
	if in.target.IsReplica() {
		a.follower = &follower{in: in}
	}
	return a
}

// serverState is the present state of the server's process.
type serverState struct {
	// serving is true from the first login until the stop of the server begins.
	serving atomic.Bool
	// pid of the server; 0 while there is none.
	pid atomic.Int64
}

func (s *serverState) up(pid int) {
	s.pid.Store(int64(pid))
	s.serving.Store(true)
}

// down says that there is no server from now on.
func (s *serverState) down() {
	s.serving.Store(false)
	s.pid.Store(0)
}

// programs starts those of the engine.
func (a *agent) programs() programs {
	return programs{Options: a.Options, flavor: a.in.engine.Flavor, children: a.children, observe: a.logged.observe}
}

// server is the database server of a version that is known.
func (a *agent) server(in inputs) server {
	return server{Options: a.Options, in: in, programs: a.programs(), login: a.login, follower: a.follower, state: &a.live}
}

// api answers over HTTP.
func (a *agent) api() api {
	return api{
		Options: a.Options, gate: a.gate, flavor: a.in.target.Flavor, login: a.login, volume: a.volume, operations: a.operations,
		follower: a.follower, sampler: &a.sampler, state: &a.live, logged: &a.logged, storage: &a.storage, speeding: &a.speeding,
	}
}

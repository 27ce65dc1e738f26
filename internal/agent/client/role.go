package client

import (
	"time"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

// role is what this client does in its trial. All of it follows from the trial and from
// the tool's adapter.
type role struct {
	trial  contract.Trial
	runner runner.Runner
}

func (r role) phase() contract.Phase { return contract.Phase(r.trial.Ref.Phase) }

// first: only one client speaks with the server and the target's agent, so that
// the number of clients changes nothing but the load. All of them ask for the time.
func (r role) first() bool { return r.trial.Ref.Client == 0 }

// waits: the phase begins with the other clients.
func (r role) waits() bool { return r.phase() == contract.PhaseRun }

// warms: a process of its own warms up before the one that measures.
func (r role) warms() bool {
	return r.waits() && r.trial.WarmupSeconds > 0 && !r.opening().WarmsUp
}

func (r role) loads() bool { return r.phase() == contract.PhasePrepare && r.first() }

// helps: this client loads a part of the data beside the first.
func (r role) helps() bool { return r.phase() == contract.PhasePrepare && !r.first() }

// speaks: the target answers questions in the protocol of MySQL.
func (r role) speaks() bool { return r.trial.Endpoint.JDBC == nil }

// asks: this client queries the server about itself.
func (r role) asks() bool { return r.first() && r.speaks() }

// replicated: the target has replicas, and this client looks after them.
func (r role) replicated() bool { return r.first() && len(r.trial.Replicas) > 0 }

// prefersTLS: whether connections are encrypted is up to the server.
func (r role) prefersTLS() bool {
	return r.speaks() && r.trial.Endpoint.TLS == contract.TLSPreferred
}

// skips: the tool has no command for the phase.
func (r role) skips(p contract.Phase) bool {
	return r.runner.Skips(r.trial, p)
}

// checks: the tool checks the data after the window, once for all clients.
func (r role) checks() bool {
	return r.waits() && r.first() && r.runner.CheckTime(r.trial) > 0
}

// resets says whether this client puts the data back in this way.
func (r role) resets(method string) bool {
	return r.first() && r.trial.Reset != nil && r.trial.Reset.Method == method
}

// opening is how the process that measures comes to its window.
func (r role) opening() runner.Opening {
	if !r.waits() {
		return runner.Opening{}
	}
	return r.runner.Opening(r.trial)
}

// timed: the process that measures is told when its window begins, and is started before.
func (r role) timed() bool { return r.opening().Timed }

// phases are those of the tool in this trial.
func (r role) phases() []contract.Phase {
	phases := []contract.Phase{r.phase()}
	if r.warms() {
		phases = append(phases, contract.PhaseWarmup)
	}
	if r.checks() {
		phases = append(phases, contract.PhaseCheck)
	}
	if r.resets(contract.ResetReload) {
		phases = append(phases, contract.PhaseCleanup, contract.PhasePrepare)
	}
	return phases
}

// demand of this client and of all of them: what the manager said, or else this cell's.
func (r role) demand() (own, all contract.Demand, err error) {
	all = r.trial.Demand
	clients := int64(max(r.trial.Clients, 1))
	own, known, err := r.runner.Demand(r.trial)
	if err != nil {
		return own, all, err
	}
	if !known {
		own.Connections = (all.Connections + clients - 1) / clients
		return own, all, nil
	}
	if all == (contract.Demand{}) {
		all = contract.Demand{Connections: own.Connections * clients, PreparedStatements: own.PreparedStatements * clients, Tables: own.Tables}
	}
	return own, all, nil
}

// relays: the tool has a command, whose round trips may be delayed.
func (r role) relays() bool {
	return !r.skips(r.phase()) || r.warms() && !r.skips(contract.PhaseWarmup)
}

// beginning is the role with the instant at which a tool begins its window by itself.
func (r role) beginning(planned time.Time) role {
	if r.timed() {
		r.trial.Begin = planned
	}
	return r
}

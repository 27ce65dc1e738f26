package client

import (
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// role is what this client does in its trial, derived from the trial and the tool's adapter.
type role struct {
	// trial as this client knows it: the workload, the schema and the place of its group (contract.Trial.Of).
	trial contract.Trial
	// all is the trial of all clients, with the index of this one among them.
	all    contract.Trial
	runner runner.Runner
	// offer of the data set that a load is restored from, or makes; nil without one.
	offer *contract.DataOffer
}

func (r role) phase() contract.Phase { return contract.Phase(r.trial.Ref.Phase) }

// first: only the first client of a server queries it and its agent, so the number of
// clients changes only the load. All clients compare clocks.
func (r role) first() bool { return r.all.First(r.all.Ref.Client) }

// beside are the clients that use the same server, this one included.
func beside(r role) []int { return r.all.Beside(r.all.Ref.Client) }

// timesMachines: this client measures the speed of the machines. Only one does, because clients on one node, and servers on one, would disturb each
// other.
func timesMachines(r role) bool { return r.waits() && r.all.Ref.Client == 0 }

// waits: the phase starts with the other clients.
func (r role) waits() bool { return r.phase() == contract.PhaseRun }

// warms: a separate process warms up before the measuring process.
func (r role) warms() bool {
	return r.waits() && r.trial.WarmupSeconds > 0 && !r.opening().WarmsUp
}

func (r role) loads() bool { return r.phase() == contract.PhasePrepare && r.first() }

// helps: this client loads a part of the data.
func (r role) helps() bool { return r.phase() == contract.PhasePrepare && !r.first() }

// speaks: the target has the MySQL protocol.
func (r role) speaks() bool { return r.trial.Endpoint.JDBC == nil }

// asks: this client queries the server about itself.
func (r role) asks() bool { return r.first() && r.speaks() }

// replicated: the target has replicas, and this client queries them.
func (r role) replicated() bool { return r.first() && len(r.trial.Replicas) > 0 }

// prefersTLS: connections are encrypted if the server offers TLS.
func (r role) prefersTLS() bool {
	return r.speaks() && r.trial.Endpoint.TLS == contract.TLSPreferred
}

// skips: the tool has no command for the phase, or nothing to load.
func (r role) skips(p contract.Phase) bool {
	return p == contract.PhasePrepare && fetches(r) || r.runner.Skips(r.trial, p)
}

// fetches: the data is restored from an archive in the object store.
func fetches(r role) bool { return r.offer != nil && r.offer.Restore != nil }

// archives: the data is brought to the object store once it is loaded.
func archives(r role) bool { return r.offer != nil && r.offer.Restore == nil }

// checks: the tool checks the data after the window; only the first client of the data does.
func (r role) checks() bool {
	return r.waits() && r.trial.Ref.Client == 0 && r.runner.CheckTime(r.trial) > 0
}

// resets reports whether this client restores the data by this method.
func (r role) resets(method string) bool {
	return r.first() && r.trial.Reset != nil && r.trial.Reset.Method == method
}

// restarts reports whether this client has the server started again.
func (r role) restarts() bool { return r.first() && r.trial.Restart }

// opening is how the measuring process starts its window.
func (r role) opening() runner.Opening {
	if !r.waits() {
		return runner.Opening{}
	}
	return r.runner.Opening(r.trial)
}

// timed: the measuring process gets the start of its window, and is started before it.
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

// demand of this client and of all clients of its server: from the manager, or else of this cell.
func (r role) demand() (own, all contract.Demand, err error) {
	all = r.trial.Demand
	clients := int64(len(beside(r)))
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

// relays: round trips may be delayed, and the tool has a command. Nothing but what is measured is delayed, and what warms up for it.
func (r role) relays() bool {
	return r.waits() && (!r.skips(r.phase()) || r.warms() && !r.skips(contract.PhaseWarmup))
}

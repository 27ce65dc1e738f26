package client

import (
	"context"
	"fmt"

	"github.com/assay-bench/assay/internal/contract"
)

// adapt finds the runner and what it needs.
func (e *execution) adapt(context.Context) *contract.Failure {
	var known bool
	if e.runner, known = e.Runner(e.trial.Runner); !known {
		return invalid(fmt.Errorf("the agent has no runner %q", e.trial.Runner))
	}
	if !e.speaks() && !e.runner.JDBC {
		return invalid(fmt.Errorf("endpoint.jdbc: the runner %s reaches no database behind a JDBC driver: use one that does, such as ycsb", e.trial.Runner))
	}
	var err error
	if e.credentials, err = loadCredentials(e.Credentials); err != nil {
		return invalid(err)
	}
	if e.trial.Inputs, err = loadInputs(e.Inputs); err != nil {
		return invalid(err)
	}
	if e.first() && e.trial.Agent != "" {
		e.target = newTargetAgent(e.trial.Agent, e.credentials.Password)
	}
	if !e.speaks() {
		return nil
	}
	if e.server, err = e.Connect(e.trial.Endpoint, e.credentials); err != nil {
		return &contract.Failure{Reason: contract.ReasonTLSFailed, Message: err.Error()}
	}
	return nil
}

// settleTLS finds out whether the server offers TLS, and has the tool use it or not.
// The agent's own connections go on as this one went.
func (e *execution) settleTLS(ctx context.Context) *contract.Failure {
	var cipher string
	failure := e.reach(ctx, func(ctx context.Context) error {
		var err error
		_, cipher, err = e.server.Session(ctx)
		return err
	})
	if failure != nil {
		return failure
	}
	e.trial.Endpoint.TLS = contract.TLSRequired
	if cipher == "" {
		e.trial.Endpoint.TLS = contract.TLSDisabled
		e.problem("server/tls", "TLS is preferred, but the server does not offer it: the tool connects without")
	}
	return nil
}

// compose has the runner build every command line, so that a workload that cannot be
// expressed fails before anything runs.
func (e *execution) compose(context.Context) *contract.Failure {
	for _, phase := range e.phases() {
		if e.skips(phase) {
			continue
		}
		if _, err := e.runner.Command(e.trial, phase, e.credentials); err != nil {
			return invalid(err)
		}
	}
	return nil
}

// phases are those of the tool in this trial.
func (e *execution) phases() []contract.Phase {
	phases := []contract.Phase{e.phase()}
	if e.warms() {
		phases = append(phases, contract.PhaseWarmup)
	}
	if e.checks() {
		phases = append(phases, contract.PhaseCheck)
	}
	if e.resets(contract.ResetReload) {
		phases = append(phases, contract.PhaseCleanup, contract.PhasePrepare)
	}
	return phases
}

func invalid(err error) *contract.Failure {
	return &contract.Failure{Reason: contract.ReasonTrialInvalid, Message: err.Error()}
}

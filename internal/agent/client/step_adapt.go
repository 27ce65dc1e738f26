package client

import (
	"context"
	"fmt"

	"github.com/assay-bench/assay/internal/result"
	"github.com/assay-bench/assay/runners/runner"
)

// adapt finds the runner and what it needs, and has it build every command line,
// so that a workload that cannot be expressed fails before anything runs.
func (e *execution) adapt(context.Context) *result.Failure {
	var known bool
	if e.runner, known = e.Runner(e.trial.Runner); !known {
		return invalid(fmt.Errorf("the agent has no runner %q", e.trial.Runner))
	}
	var err error
	if e.credentials, err = loadCredentials(e.Credentials); err != nil {
		return invalid(err)
	}
	for _, phase := range e.phases() {
		if _, err := e.runner.Command(e.trial, phase, e.credentials); err != nil {
			return invalid(err)
		}
	}
	if !e.first() && !e.helps() {
		return nil
	}
	if e.first() && e.trial.Agent != "" {
		e.target = newTargetAgent(e.trial.Agent, e.credentials.Password)
	}
	if e.server, err = e.Connect(e.trial.Endpoint, e.credentials); err != nil {
		return &result.Failure{Reason: result.ReasonTLSFailed, Message: err.Error()}
	}
	return nil
}

// phases are those of the tool in this trial.
func (e *execution) phases() []runner.Phase {
	phases := []runner.Phase{e.phase()}
	if e.warms() {
		phases = append(phases, runner.Warmup)
	}
	if e.resets(result.ResetReload) {
		phases = append(phases, runner.Cleanup, runner.Prepare)
	}
	return phases
}

func invalid(err error) *result.Failure {
	return &result.Failure{Reason: result.ReasonTrialInvalid, Message: err.Error()}
}

package client

import (
	"context"
	"fmt"
	"time"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/result"
	"github.com/assay-bench/assay/runners/runner"
)

// execution is one trial under way, and what is known of it.
type execution struct {
	*Agent
	trial       runner.Trial
	runner      runner.Runner
	credentials runner.Credentials
	server      Server
	// statusBefore and cgroupBefore are from just before the measured window.
	statusBefore map[string]string
	cgroupBefore engine.Cgroup
	res          result.Result
}

func (e *execution) phase() runner.Phase { return runner.Phase(e.trial.Ref.Phase) }

// execute carries the trial out, one step after the other.
func (e *execution) execute(ctx context.Context) {
	steps := []func(context.Context) *result.Failure{e.adapt, e.ask}
	if e.phase() == runner.Run {
		steps = append(steps, e.ready, e.barrier, e.warmUp)
	}
	steps = append(steps, e.before, e.measure, e.after)
	if e.phase() == runner.Prepare {
		steps = append(steps, e.count)
	}
	e.res.State = result.Succeeded
	for _, step := range steps {
		if failure := step(ctx); failure != nil {
			e.res.State, e.res.Failure = result.Failed, e.explain(ctx, failure)
			return
		}
	}
}

// explain puts the end of the context before its consequences.
func (e *execution) explain(ctx context.Context, f *result.Failure) *result.Failure {
	switch ctx.Err() {
	case nil:
		return f
	case context.DeadlineExceeded:
		return &result.Failure{Reason: result.ReasonDeadlineExceeded, Message: fmt.Sprintf(
			"the deadline %s passed (%s)", e.trial.Deadline.UTC().Format(time.RFC3339), f.Message)}
	default:
		return &result.Failure{Reason: result.ReasonInterrupted, Message: fmt.Sprintf("the client pod was told to stop (%s)", f.Message)}
	}
}

// adapt finds the runner and what it needs, and has it build every command line,
// so that a workload that cannot be expressed fails before anything runs.
func (e *execution) adapt(context.Context) *result.Failure {
	invalid := func(err error) *result.Failure {
		return &result.Failure{Reason: result.ReasonTrialInvalid, Message: err.Error()}
	}
	var known bool
	if e.runner, known = e.Runner(e.trial.Runner); !known {
		return invalid(fmt.Errorf("the agent has no runner %q", e.trial.Runner))
	}
	var err error
	if e.credentials, err = loadCredentials(e.Credentials); err != nil {
		return invalid(err)
	}
	for _, phase := range []runner.Phase{runner.Warmup, e.phase()} {
		if phase == runner.Warmup && !e.warms() {
			continue
		}
		if _, err := e.runner.Command(e.trial, phase, e.credentials); err != nil {
			return invalid(err)
		}
	}
	if e.server, err = e.Connect(e.trial.Endpoint, e.credentials); err != nil {
		return &result.Failure{Reason: result.ReasonTLSFailed, Message: err.Error()}
	}
	return nil
}

func (e *execution) warms() bool { return e.phase() == runner.Run && e.trial.WarmupSeconds > 0 }

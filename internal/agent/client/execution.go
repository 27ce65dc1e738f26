package client

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/agent/database"
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

// ask makes sure that the server answers, and takes down what it is.
func (e *execution) ask(ctx context.Context) *result.Failure {
	patience, cancel := context.WithTimeout(ctx, e.Limits.Connect)
	defer cancel()
	server := &result.Server{}
	var final *result.Failure
	err := e.retry(patience, "reach the server", func(ctx context.Context) error {
		var err error
		server.Version, server.VersionComment, err = e.server.Version(ctx)
		if err == nil {
			server.Variables, err = e.server.Variables(ctx)
		}
		if err == nil {
			return nil
		}
		// Only a server that did not answer may answer later.
		if final = database.FailureOf(err); final.Reason != result.ReasonTargetUnreachable {
			return fmt.Errorf("%w: %w", ErrRefused, err)
		}
		return err
	})
	if err != nil {
		return final
	}
	e.res.Server = server
	return e.keep("server/variables-before.txt", server.Variables)
}

func (e *execution) ready(ctx context.Context) *result.Failure {
	now := time.Now()
	if err := e.reportReady(ctx, now); err != nil {
		return &result.Failure{Reason: result.ReasonInterrupted, Message: fmt.Sprintf("reporting ready: %v", err)}
	}
	e.res.Times.Ready = &now
	return nil
}

func (e *execution) barrier(ctx context.Context) *result.Failure {
	start, err := e.awaitStart(ctx)
	if err == nil {
		e.res.Times.Start = &start
		err = sleep(ctx, time.Until(start))
	}
	if err != nil {
		return &result.Failure{Reason: result.ReasonTrialInvalid, Message: fmt.Sprintf("waiting for the start: %v", err)}
	}
	return nil
}

func (e *execution) warmUp(ctx context.Context) *result.Failure {
	if !e.warms() {
		return nil
	}
	in, failure := e.runTool(ctx, runner.Warmup)
	if !in.started.IsZero() {
		e.res.Times.WarmupStarted = &in.started
	}
	if failure != nil {
		return &result.Failure{Reason: failure.Reason, Message: "during the warm-up: " + failure.Message}
	}
	report := e.runner.Parse(e.trial, runner.Warmup, in.output)
	e.res.Warmup = report.Measurements
	if report.Failure != nil {
		e.res.Problems = report.Problems
		return &result.Failure{Reason: report.Failure.Reason, Message: "during the warm-up: " + report.Failure.Message}
	}
	return nil
}

// runTool runs one phase of the tool.
func (e *execution) runTool(ctx context.Context, phase runner.Phase) (invocation, *result.Failure) {
	command, err := e.runner.Command(e.trial, phase, e.credentials)
	if err != nil {
		return invocation{}, &result.Failure{Reason: result.ReasonTrialInvalid, Message: err.Error()}
	}
	in, failure := e.invoke(ctx, rawName(phase), command, e.credentials.Password)
	if failure == nil && ctx.Err() != nil {
		// The tool was told to end: whatever it printed then is no result.
		failure = &result.Failure{Reason: result.ReasonInterrupted, Message: "the tool was ended"}
	}
	return in, failure
}

// rawName is the folder of a phase's raw output.
func rawName(p runner.Phase) string {
	names := map[runner.Phase]string{runner.Prepare: "prepare", runner.Warmup: "warmup", runner.Run: "run", runner.Cleanup: "cleanup"}
	return names[p]
}

// before reads the counters last, so that they hold as little else as possible.
func (e *execution) before(ctx context.Context) *result.Failure {
	status, err := e.server.Status(ctx)
	if err != nil {
		return lost(err)
	}
	e.statusBefore = status
	e.cgroupBefore = e.machine.Cgroup()
	return e.keep("server/status-before.txt", status)
}

func (e *execution) measure(ctx context.Context) *result.Failure {
	in, failure := e.runTool(ctx, e.phase())
	e.res.Tool.Args = in.args
	e.addThrottling()
	if in.started.IsZero() {
		return failure
	}
	e.res.Times.MeasureStarted, e.res.Times.MeasureEnded = &in.started, &in.ended
	e.res.Tool.Signal = in.output.Signal
	if in.output.ExitCode >= 0 {
		e.res.Tool.ExitCode = &in.output.ExitCode
	}
	report := e.runner.Parse(e.trial, e.phase(), in.output)
	e.res.Tool.Version = report.ToolVersion
	e.res.Measurements, e.res.Errors, e.res.Problems = report.Measurements, report.Errors, report.Problems
	if failure != nil {
		return failure
	}
	return report.Failure
}

func (e *execution) addThrottling() {
	now := e.machine.Cgroup()
	if then := e.cgroupBefore; then.Throttled != nil && now.Throttled != nil {
		e.res.Client.Throttled = new(*now.Throttled - *then.Throttled)
	}
	if then := e.cgroupBefore; then.ThrottledSeconds != nil && now.ThrottledSeconds != nil {
		e.res.Client.ThrottledSeconds = new(*now.ThrottledSeconds - *then.ThrottledSeconds)
	}
}

func (e *execution) after(ctx context.Context) *result.Failure {
	status, err := e.server.Status(ctx)
	if err != nil {
		return lost(err)
	}
	variables, err := e.server.Variables(ctx)
	if err != nil {
		return lost(err)
	}
	e.res.Server.StatusDelta = statusDelta(e.statusBefore, status)
	e.res.Server.VariablesChanged = changed(e.res.Server.Variables, variables)
	if failure := e.keep("server/variables-after.txt", variables); failure != nil {
		return failure
	}
	return e.keep("server/status-after.txt", status)
}

// count takes down what Prepare left in the schema.
func (e *execution) count(ctx context.Context) *result.Failure {
	tables, err := e.server.Tables(ctx)
	if err != nil {
		return lost(err)
	}
	e.res.Measurements = slices.Concat(e.res.Measurements, tableMeasurements(tables))
	return nil
}

// lost is the failure for a server that answered before and does not any more.
func lost(err error) *result.Failure {
	f := database.FailureOf(err)
	if f.Reason == result.ReasonTargetUnreachable {
		f.Reason = result.ReasonTargetLost
	}
	return f
}

// keep writes names and values among the raw files.
func (e *execution) keep(name string, values map[string]string) *result.Failure {
	path := filepath.Join(e.Work, "raw", name)
	err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, formatPairs(values), 0o600))
	if err != nil {
		return &result.Failure{Reason: result.ReasonToolFailed, Message: fmt.Sprintf("keeping what the server said: %v", err)}
	}
	return nil
}

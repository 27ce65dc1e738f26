package client

import (
	"context"
	"fmt"
	"time"

	"github.com/assay-bench/assay/internal/result"
	"github.com/assay-bench/assay/runners/runner"
)

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

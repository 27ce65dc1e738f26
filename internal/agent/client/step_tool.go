package client

import (
	"context"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/assay-bench/assay/internal/agent/toolwire"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// waitForTool waits for the tool's container.
func waitForTool(ctx context.Context, s session) (o outcome[toolwire.Hello]) {
	var err error
	if o.found, err = s.tool.side.Wait(ctx, s.trial.CPUs); err != nil {
		return o.failed(s.tool.failure("waiting for the tool's container", err))
	}
	return o
}

// reportReady reports to the manager that this client can start.
func reportReady(ctx context.Context, s session) (o outcome[*time.Time]) {
	now := time.Now()
	if err := s.annotateReady(ctx, now); err != nil {
		return o.failed(failed(contract.ReasonInterrupted, "reporting ready: %v", err))
	}
	o.found = &now
	return o
}

// start is the start of a trial.
type start struct {
	// published is the instant that the manager gave to all clients; own is the same instant on this
	// client's clock.
	published, own time.Time
	// planned is the planned start of the measured window, on this client's clock.
	planned time.Time
}

// agreeOnStart waits for the start that the manager publishes for all clients. The planned
// start of the measured window is derived from it.
func agreeOnStart(ctx context.Context, s session, c *contract.ClockOffset) (o outcome[*start]) {
	published, err := s.publishedStart(ctx)
	if err != nil {
		return o.failed(failed(contract.ReasonTrialUnreadable, "waiting for the start: %v", err))
	}
	own := ownTime(published, s.all.Clients, c)
	o.found = &start{published: published, own: own, planned: own.Add(s.opening().Delay(s.trial))}
	return o
}

// launch is the planned start of the measuring process; zero, which is at once, without a start
// that was agreed on. If it has passed, the process starts at once, and the times show the delay.
func (s *start) launch(o runner.Opening) time.Time {
	switch {
	case s == nil:
		return time.Time{}
	case !o.Timed:
		return s.planned
	case o.WarmsUp:
		return s.own
	}
	return s.planned.Add(-o.Lead)
}

// openRelay opens the relay to the server if round trips are delayed, and returns its port on
// loopback; 0 otherwise.
func openRelay(ctx context.Context, s session) (o outcome[int32]) {
	delay, err := runner.Delay(s.trial)
	if err != nil {
		return o.failed(invalid(err))
	}
	if delay == 0 {
		return o
	}
	target := net.JoinHostPort(s.trial.Endpoint.Host, strconv.Itoa(int(s.trial.Endpoint.Port)))
	if o.found, err = s.tool.side.OpenRelay(ctx, target, delay); err != nil {
		return o.failed(s.tool.failure("delaying round trips", err))
	}
	return o
}

// prepareTool makes the command of a phase ready to start; there may be none. The tool connects
// to the relay, if there is one, and else to the server.
func prepareTool(ctx context.Context, s session, phase contract.Phase, relay int32) (o outcome[preparedTool]) {
	if s.skips(phase) {
		return o
	}
	if relay != 0 {
		s.trial.Endpoint.Host, s.trial.Endpoint.Port = "127.0.0.1", relay
	}
	if o.found, o.failure = s.prepare(ctx, rawName(phase), phase); o.failure != nil || o.found.turns == nil {
		return o
	}
	// The connection is made now, so that none is made while the tool measures.
	bench, err := s.server.Workbench(ctx)
	if err != nil {
		return o.failed(lost(err))
	}
	if err := s.tool.arrange(ctx, &o.found, bench); err != nil {
		return o.failed(s.tool.failure("preparing the dialogue with "+o.found.program, err))
	}
	return o
}

// prepare makes the command of a phase ready to start; a folder of the raw files gets its output.
func (s session) prepare(ctx context.Context, folder string, phase contract.Phase) (preparedTool, *contract.Failure) {
	command, err := s.runner.Command(s.trial, phase, s.credentials)
	if err != nil {
		return preparedTool{}, invalid(err)
	}
	t, failure := s.tool.prepare(ctx, folder, command, s.credentials.Password)
	t.phase = phase
	return t, failure
}

// runPhase runs the tool for a phase beside the measured one, and reads its report.
func (s session) runPhase(ctx context.Context, folder string, phase contract.Phase) (invocation, runner.Report, *contract.Failure) {
	tool, failure := s.prepare(ctx, folder, phase)
	if failure != nil {
		return invocation{}, runner.Report{}, failure
	}
	in, failure := s.tool.run(ctx, tool, time.Time{})
	if failure != nil {
		return in, runner.Report{}, in.withLastWord(failure)
	}
	report := s.runner.Parse(s.trial, phase, in.output)
	return in, report, in.withLastWord(report.Failure)
}

// warmedUp is a warm-up in a separate process.
type warmedUp struct {
	// started is nil when it never was.
	started      *time.Time
	seeds        seeds
	measurements []contract.Measurement
	answers      *contract.Answers
	// seconds that it took; nil if unknown.
	seconds *float64
}

// warmUp runs the tool for the warm-up, from the published start on.
func warmUp(ctx context.Context, s session, tool preparedTool, at start) (o outcome[warmedUp]) {
	if s.skips(contract.PhaseWarmup) {
		return o
	}
	in, failure := s.tool.run(ctx, tool, at.own)
	if !in.started.IsZero() {
		o.found.started, o.found.seeds = &in.started, tool.seeds
	}
	if failure == nil {
		report := s.runner.Parse(s.trial, contract.PhaseWarmup, in.output)
		o.found.measurements, o.found.answers, o.found.seconds = report.Measurements, report.Answers, secondsOf(in, report.Measurements)
		if failure = report.Failure; failure != nil {
			o.problems = append(o.problems, report.Problems...)
		}
	}
	if failure != nil {
		return o.failed(&contract.Failure{Reason: failure.Reason, Message: "during the warm-up: " + in.withLastWord(failure).Message})
	}
	return o
}

// secondsOf is the length of a warm-up in a separate process.
func secondsOf(in invocation, measurements []contract.Measurement) *float64 {
	if m, ok := contract.Find(measurements, contract.NameTotalTime, nil); ok && m.Value != nil {
		return m.Value
	}
	return new(in.ended.Sub(in.started).Seconds())
}

// seeds are the seeds of a process. A phase that never ran has none.
type seeds struct {
	// seed is 0 for a tool that takes none.
	seed     int64
	unseeded bool
}

// rawName is the folder of a phase's raw output.
func rawName(p contract.Phase) string { return strings.ToLower(string(p)) }

package client

import (
	"context"
	"time"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/result"
)

// leastAsk is the time that the target's agent gets even when the planned instant
// is nearer.
const leastAsk = 100 * time.Millisecond

// before reads all counters, those of the server last, so that they hold as little
// else as possible.
func (e *execution) before(ctx context.Context) *result.Failure {
	if now, ok := e.askTarget(ctx); ok {
		e.res.Target.Before = &now
	}
	usage := e.machine.Usage(0)
	// The tool is not there yet.
	usage.VoluntarySwitches, usage.InvoluntarySwitches = new(int64(0)), new(int64(0))
	e.res.Client.Before = &usage
	if !e.asks() {
		return nil
	}
	status, err := e.server.Status(ctx)
	if err != nil {
		return lost(err)
	}
	e.statusBefore = status
	return e.keep("server/status-before.txt", status)
}

// usageAfter reads the counters of this container when the tool has ended.
func (e *execution) usageAfter(in invocation) {
	usage := e.machine.Usage(0)
	usage.VoluntarySwitches, usage.InvoluntarySwitches = in.voluntary, in.involuntary
	e.res.Client.After = &usage
	e.res.Client.ClockStepSeconds = new(clockStep(in.started, in.ended))
}

// clockStep is by how many seconds the wall clock advanced more than the monotonic
// one; both instants have to hold both readings.
func clockStep(from, to time.Time) float64 {
	return (to.Round(0).Sub(from.Round(0)) - to.Sub(from)).Seconds()
}

// askTarget takes down what the target's agent says of its environment, and returns
// its counters. Nothing fails for want of it.
func (e *execution) askTarget(ctx context.Context) (result.Usage, bool) {
	if e.target == nil {
		return result.Usage{}, false
	}
	ctx, cancel := context.WithTimeout(ctx, e.patience())
	defer cancel()
	var env engine.Environment
	if err := e.target.get(ctx, engine.PathEnvironment, &env); err != nil {
		e.problem("target/environment", "the target's agent does not answer: %v", err)
		return result.Usage{}, false
	}
	if env.Version != engine.EnvironmentVersion {
		e.problem("target/environment", "version: got %q, want %q: use agents of the same release", env.Version, engine.EnvironmentVersion)
		return result.Usage{}, false
	}
	if e.res.Target == nil {
		e.res.Target = &result.Environment{}
	}
	e.res.Target.Machine, e.res.Target.Limits, e.res.Target.Warnings = env.Machine, env.Limits, env.Warnings
	e.res.Target.Storage = env.Storage
	return env.Usage, true
}

// patience is how long the target's agent may take: half of what is left until the
// planned instant, so that one that does not answer delays no start.
func (e *execution) patience() time.Duration {
	planned := e.res.Times.Planned
	if planned == nil || e.res.Times.MeasureStarted != nil || e.timed() {
		return e.Ask // a tool that begins by itself waits for nobody
	}
	return min(max(time.Until(*planned)/2, leastAsk), e.Ask)
}

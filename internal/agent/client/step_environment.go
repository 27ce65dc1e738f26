package client

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/assay-bench/assay/internal/contract"
)

// leastAsk is the time that the target's agent gets even when the planned instant
// is nearer.
const leastAsk = 100 * time.Millisecond

// before reads all counters, those of the server last, so that they hold as little
// else as possible.
func (e *execution) before(ctx context.Context) *contract.Failure {
	e.around(ctx, e.machine.Frequency())
	return e.countBefore(ctx)
}

// around reads the counters of both sides.
func (e *execution) around(ctx context.Context, frequency *contract.Frequency) {
	if env := e.askTarget(ctx, contract.PathEnvironment); env != nil {
		e.res.Target.Before = &env.Usage
	}
	usage := e.machine.Usage(0)
	usage.CPUFrequency = frequency
	// The tool is not there yet.
	usage.VoluntarySwitches, usage.InvoluntarySwitches = new(int64(0)), new(int64(0))
	e.res.Client.Before = &usage
}

// countBefore reads the counters of the server.
func (e *execution) countBefore(ctx context.Context) *contract.Failure {
	if !e.asks() {
		return nil
	}
	status, err := e.server.Status(ctx)
	if err != nil {
		return lost(err)
	}
	e.statusBefore, e.res.Server.CountedFrom = status, new(time.Now())
	e.countRows(status)
	return e.keep("server/status-before.txt", status)
}

// usageAfter reads the counters of this container when the tool has ended.
func (e *execution) usageAfter(in invocation) {
	usage := e.machine.Usage(0)
	usage.CPUFrequency = e.machine.Frequency()
	usage.VoluntarySwitches, usage.InvoluntarySwitches = in.voluntary, in.involuntary
	e.res.Client.After = &usage
	e.res.Client.ClockStepSeconds = new(clockStep(e.measuredFrom(in), in.ended))
	e.sampler.Sample()
}

// measuredFrom is the begin of what counts, with both clocks: the start of the tool, or of the
// window that it begins by itself.
func (e *execution) measuredFrom(in invocation) time.Time {
	if e.begun.IsZero() {
		return in.started
	}
	return e.begun
}

// usageInside replaces the counters of this container around the tool by those inside its
// window: what the tool did to get ready is no part of it. Those around it stay where the
// window is too short for samples.
func (e *execution) usageInside() {
	from, to, measured := contract.MeasuredWindow(e.res)
	if !measured {
		return
	}
	if before, after, ok := e.sampler.Window(from, to); ok {
		e.res.Client.Before, e.res.Client.After = inside(e.res.Client.Before, before), inside(e.res.Client.After, after)
	}
}

// inside is a sample with the context switches and the CPU frequency of the reading around the
// window: nobody reads those of many threads and CPUs twice a second.
func inside(around *contract.Usage, sample contract.Usage) *contract.Usage {
	if around != nil {
		sample.VoluntarySwitches, sample.InvoluntarySwitches = around.VoluntarySwitches, around.InvoluntarySwitches
		sample.CPUFrequency = around.CPUFrequency
	}
	return &sample
}

// targetAfter takes down the counters of the target: those inside the window of this
// client, or else those of now.
func (e *execution) targetAfter(ctx context.Context) {
	if _, _, measured := contract.MeasuredWindow(e.res); e.target == nil || !measured {
		return
	}
	env := e.askTarget(ctx, e.windowPath())
	if env == nil {
		return
	}
	e.res.Target.After = &env.Usage
	if w := env.Window; w != nil {
		e.res.Target.Before, e.res.Target.After = inside(e.res.Target.Before, w.Before), inside(&env.Usage, w.After)
	}
}

// windowPath asks an agent for its environment with the counters inside the window of this
// client, in seconds before now.
func (e *execution) windowPath() string {
	from, to, measured := contract.MeasuredWindow(e.res)
	if !measured {
		return contract.PathEnvironment
	}
	ages := url.Values{"from": {seconds(time.Since(from))}, "to": {seconds(time.Since(to))}}
	return contract.PathEnvironment + "?" + ages.Encode()
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) }

// clockStep is by how many seconds the wall clock advanced more than the monotonic
// one; both instants have to hold both readings.
func clockStep(from, to time.Time) float64 {
	return (to.Round(0).Sub(from.Round(0)) - to.Sub(from)).Seconds()
}

// askTarget takes down what the target's agent says of its environment, and returns
// it; nil without an answer. Nothing fails for want of it.
func (e *execution) askTarget(ctx context.Context, path string) *contract.TargetEnvironment {
	if e.target == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, e.patience())
	defer cancel()
	var env contract.TargetEnvironment
	if err := e.target.get(ctx, path, &env); err != nil {
		e.problem("target/environment", "the target's agent does not answer: %v", err)
		return nil
	}
	if env.Version != contract.EnvironmentVersion {
		e.problem("target/environment", "version: got %q, want %q: use agents of the same release", env.Version, contract.EnvironmentVersion)
		return nil
	}
	if e.res.Target == nil {
		e.res.Target = &contract.Environment{}
	}
	e.res.Target.Machine, e.res.Target.Limits, e.res.Target.Warnings = env.Machine, env.Limits, env.Warnings
	e.res.Target.Storage = env.Storage
	return &env
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

package client

import (
	"context"
	"slices"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// measured has the findings of the tool's run in the measured phase; empty until it is
// started.
type measured struct {
	// started and ended are those of the process.
	started, ended *time.Time
	exitCode       *int
	signal         string
	seeds          seeds
	report         runner.Report
	// warmupCut is how the warm-up was separated from the window; only in the phase Run.
	warmupCut contract.WarmupCut
	// usage of the tool's container: inside the window where there are samples of it.
	usage usages
	// agent is the agent's own container.
	agent *contract.AgentContainer
	// clockStepSeconds is the difference between the progress of the wall clock and of the
	// monotonic clock.
	clockStepSeconds *float64
	// before are the counters at the start of the window, for a tool that begins it by itself;
	// nil otherwise.
	before *counters
}

// times are those of the process and of its window.
func (m measured) times() contract.Times {
	t := contract.Times{MeasureStarted: m.started, MeasureEnded: m.ended}
	if w := m.report.Window; w != nil {
		t.WindowStarted, t.WindowEnded = &w.From, &w.To
	}
	return t
}

// window is the measured one.
func (m measured) window() window {
	from, to, known := contract.MeasuredWindow(contract.Result{Times: m.times(), Measurements: m.report.Measurements})
	return window{from, to, known}
}

// warmupCut is how the warm-up is separated from the window; only in the phase Run.
func (r role) warmupCut() contract.WarmupCut {
	switch {
	case !r.waits():
		return ""
	case r.opening().WarmsUp:
		return contract.WarmupInProcess
	case r.warms() && !r.skips(contract.PhaseWarmup):
		return contract.WarmupSeparateProcess
	}
	return contract.WarmupNone
}

// measure runs the tool for the phase; a phase without a command has nothing to do.
func measure(ctx context.Context, s session, tool preparedTool, before counters, at time.Time) (o outcome[measured]) {
	if s.skips(s.phase()) {
		return o
	}
	limited, stop := ctx, func() {}
	if s.trial.Loads && s.waits() {
		limited, stop = context.WithTimeout(ctx, time.Until(at)+time.Duration(s.trial.DurationSeconds)*time.Second)
	}
	defer stop()
	in, failure := s.tool.run(limited, tool, at)
	if limited.Err() != nil && ctx.Err() == nil {
		failure = failed(contract.ReasonOperationsUnfinished, "the load was not done in %d s: raise design.duration, or load less", s.trial.DurationSeconds)
	}
	return evaluate(ctx, s, ran{tool: tool, in: in, failure: failure}, before)
}

// ran is one run of the tool, and why it failed.
type ran struct {
	tool    preparedTool
	in      invocation
	failure *contract.Failure
	// begin of the window, for a tool that begins it by itself, with both clocks, so that
	// steps of the wall clock during the warm-up do not count. Zero otherwise.
	begin time.Time
}

// from is when what counts began.
func (r ran) from() time.Time {
	if r.begin.IsZero() {
		return r.in.started
	}
	return r.begin
}

// measureTimed runs a tool that begins its window by itself at the planned start. The first
// counters are read at this start, while the tool runs, to exclude the warm-up in the same
// process.
func measureTimed(ctx context.Context, s session, tool preparedTool, facts serverFacts, at time.Time) (o outcome[measured]) {
	frequency := s.meter.machine.Frequency() // it takes a moment, which is none of the window's
	running, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan ran, 1)
	go func() {
		in, failure := s.tool.run(running, tool, at)
		done <- ran{tool: tool, in: in, failure: failure}
	}()
	timer := time.NewTimer(time.Until(s.trial.Begin))
	defer timer.Stop()
	select {
	case r := <-done:
		if r.failure == nil && r.in.output.ExitCode == 0 {
			r.failure = failed(contract.ReasonToolFailed, "the tool ended before its measured window was to begin: look at the raw output")
		}
		return evaluate(ctx, s, r, counters{})
	case <-timer.C:
	}
	begin := time.Now()
	var before counters
	failure := part(&o, &before, countersAtBegin(running, s, facts, frequency))
	if failure != nil {
		stop()
	}
	r := <-done
	if failure != nil {
		r.failure = failure
	}
	r.begin = begin
	o.failure = part(&o, &o.found, evaluate(ctx, s, r, before))
	o.found.before = &before
	return o
}

// countersAtBegin reads the counters at the start of the window: those of the server first,
// because work before the reading is not counted.
func countersAtBegin(ctx context.Context, s session, facts serverFacts, frequency *contract.Frequency) (o outcome[counters]) {
	var server statusBefore
	failure := part(&o, &server, snapshotStatus(ctx, s, facts))
	if failure == nil && s.replicated() {
		failure = note(&o, s.replicas.mark(ctx, s.Ask))
	}
	if failure == nil {
		failure = part(&o, &o.found, countersAround(ctx, s, frequency, s.Ask))
	}
	if failure == nil {
		// Context switches of the tool are known only for its whole lifetime.
		o.found.client.VoluntarySwitches, o.found.client.InvoluntarySwitches = nil, nil
	}
	o.found.server = server
	return o.failed(failure)
}

// evaluate what a run of the tool in the measured phase yielded.
func evaluate(ctx context.Context, s session, r ran, before counters) (o outcome[measured]) {
	in := r.in
	if in.started.IsZero() {
		return o.failed(r.failure)
	}
	m := measured{
		started: &in.started, ended: &in.ended, signal: in.output.Signal, seeds: r.tool.seeds,
		clockStepSeconds: new(clockStep(r.from(), in.ended)), usage: usages{before: before.client},
	}
	ctx = context.WithoutCancel(ctx) // the counters of a tool that was interrupted are wanted too
	part(&o, &m.usage.after, usageAfter(ctx, s, in))
	s.meter.sampler.Sample()
	if in.output.ExitCode >= 0 {
		m.exitCode = &in.output.ExitCode
	}
	m.report, m.warmupCut = s.runner.Parse(s.trial, s.phase(), in.output), s.warmupCut()
	switch {
	case !s.waits():
		m.report.Window = nil // only the phase Run has one
	case s.trial.Loads: // from the first table to the last row, whatever the tool says of its own time
		m.report.Window = &runner.Span{From: in.started, To: in.ended}
		m.report.Measurements = slices.Concat([]contract.Measurement{
			runner.Number(contract.NameLoadTime, "s", contract.LowerIsBetter, in.ended.Sub(in.started).Seconds()),
		}, m.report.Measurements)
	}
	o.problems = append(o.problems, m.report.Problems...)
	part(&o, &m.usage, usageInside(ctx, s, m.usage, m.window()))
	m.agent = s.meter.own(m.window())
	o.found = m
	if r.failure == nil {
		r.failure = m.report.Failure
	}
	return o.failed(in.withLastWord(r.failure))
}

package client

import (
	"context"
	"time"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

// opening is how the process that measures comes to its window.
func (e *execution) opening() runner.Opening {
	if e.runner.Opening == nil || !e.waits() {
		return runner.Opening{}
	}
	return e.runner.Opening(e.trial)
}

// timed: the process that measures is told when its window begins, and is started before.
func (e *execution) timed() bool { return e.opening().Timed }

// launch is when the process that measures is started.
func (e *execution) launch() time.Time {
	o := e.opening()
	switch {
	case !o.Timed:
		return *e.res.Times.Planned
	case o.WarmsUp:
		return e.ownTime(*e.res.Times.Start)
	}
	return e.res.Times.Planned.Add(-o.Lead)
}

// ran is one run of the tool, and why it is none.
type ran struct {
	in      invocation
	failure *contract.Failure
}

// measureTimed runs a tool that begins its window by itself. The counters from before the
// window are read when it begins, while the tool is at work: what the warm-up in the same
// process did is none of the window's.
func (e *execution) measureTimed(ctx context.Context) *contract.Failure {
	frequency := e.machine.Frequency() // it takes a moment, which is none of the window's
	running, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan ran, 1)
	go func() {
		in, failure := e.start(running, e.next)
		done <- ran{in, failure}
	}()
	begin := time.NewTimer(time.Until(*e.res.Times.Planned))
	defer begin.Stop()
	var tool ran
	select {
	case tool = <-done:
		if tool.failure == nil && tool.in.output.ExitCode == 0 {
			tool.failure = &contract.Failure{Reason: contract.ReasonToolFailed, Message: "the tool ended before its measured window was to begin: look at the raw output"}
		}
		return e.take(tool)
	case <-begin.C:
	}
	e.begun = time.Now()
	failure := e.atBegin(running, frequency)
	if failure != nil {
		stop()
	}
	tool = <-done
	if failure != nil {
		tool.failure = failure
	}
	return e.take(tool)
}

// beforeStart reads the server's counters before a tool that connects before its window: its
// handshakes are not among those that are counted inside.
func (e *execution) beforeStart(ctx context.Context) *contract.Failure {
	var err error
	if e.statusStarted, err = e.server.Status(ctx); err != nil {
		return lost(err)
	}
	return nil
}

// atBegin reads the counters that stand before the window: those of the server first, because
// what the tool does until then is missing in them.
func (e *execution) atBegin(ctx context.Context, frequency *contract.Frequency) *contract.Failure {
	if failure := e.countBefore(ctx); failure != nil {
		return failure
	}
	if e.replicated() {
		if failure := e.markReplicas(ctx); failure != nil {
			return failure
		}
	}
	e.around(ctx, frequency)
	// How often the tool was switched is known of its whole life alone.
	e.res.Client.Before.VoluntarySwitches, e.res.Client.Before.InvoluntarySwitches = nil, nil
	return nil
}

// take down what a run of the tool in the measured phase yielded.
func (e *execution) take(tool ran) *contract.Failure {
	in, failure := tool.in, tool.failure
	if in.started.IsZero() {
		return failure
	}
	e.res.Times.MeasureStarted, e.res.Times.MeasureEnded = &in.started, &in.ended
	e.draw(e.phase(), e.next)
	e.usageAfter(in)
	e.res.Tool.Signal = in.output.Signal
	if in.output.ExitCode >= 0 {
		e.res.Tool.ExitCode = &in.output.ExitCode
	}
	report := e.runner.Parse(e.trial, e.phase(), in.output)
	e.res.Tool.Version = report.ToolVersion
	e.res.Measurements, e.res.Errors = report.Measurements, report.Errors
	e.res.Problems = append(e.res.Problems, report.Problems...)
	if e.waits() {
		e.takeWindow(report)
	}
	e.usageInside()
	if failure == nil {
		failure = report.Failure
	}
	return in.withLastWord(failure)
}

// takeWindow says when the window was, and how the warm-up was kept out of it.
func (e *execution) takeWindow(report runner.Report) {
	times := &e.res.Times
	if report.Window != nil {
		times.WindowStarted, times.WindowEnded = &report.Window.From, &report.Window.To
	} else if from, to, ok := contract.MeasuredWindow(e.res); ok {
		times.WindowStarted, times.WindowEnded = &from, &to
	}
	switch {
	case e.opening().WarmsUp:
		e.res.Tool.WarmupCut, e.res.Tool.WarmupSeconds, e.res.Warmup = contract.WarmupInProcess, report.WarmupSeconds, report.Warmup
		if report.WarmupSeconds != nil && times.WindowStarted != nil {
			times.WarmupStarted = new(times.WindowStarted.Add(-time.Duration(*report.WarmupSeconds * float64(time.Second))))
		}
	case e.warms() && !e.skips(contract.PhaseWarmup):
		e.res.Tool.WarmupCut = contract.WarmupSeparateProcess
	default:
		e.res.Tool.WarmupCut = contract.WarmupNone
	}
}

// warmedUp is how long a warm-up in a process of its own took.
func warmedUp(in invocation, measurements []contract.Measurement) *float64 {
	if m, ok := contract.Find(measurements, contract.NameTotalTime, nil); ok && m.Value != nil {
		return m.Value
	}
	return new(in.ended.Sub(in.started).Seconds())
}

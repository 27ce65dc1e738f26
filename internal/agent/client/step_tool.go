package client

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/assay-bench/assay/internal/contract"
)

func (e *execution) ready(ctx context.Context) *contract.Failure {
	now := time.Now()
	if err := e.reportReady(ctx, now); err != nil {
		return &contract.Failure{Reason: contract.ReasonInterrupted, Message: fmt.Sprintf("reporting ready: %v", err)}
	}
	e.res.Times.Ready = &now
	return nil
}

// barrier waits for the start that the manager publishes, the same for all clients.
// What follows from it is the instant at which all of them measure.
func (e *execution) barrier(ctx context.Context) *contract.Failure {
	start, err := e.awaitStart(ctx)
	if err != nil {
		return &contract.Failure{Reason: contract.ReasonTrialInvalid, Message: fmt.Sprintf("waiting for the start: %v", err)}
	}
	planned := e.ownTime(start).Add(e.opening().Delay(e.trial))
	e.res.Times.Start, e.res.Times.Planned = &start, &planned
	if e.timed() {
		e.trial.Begin = planned
	}
	return nil
}

// aim sleeps until the process that measures is to be started. If that has passed, it starts
// at once, and the times show by how much it was late.
func (e *execution) aim(ctx context.Context) *contract.Failure {
	return waited(sleepUntil(ctx, e.launch()))
}

func waited(err error) *contract.Failure {
	if err == nil {
		return nil
	}
	return &contract.Failure{Reason: contract.ReasonInterrupted, Message: fmt.Sprintf("waiting for the start: %v", err)}
}

// delayed is the trial with the address that the tool connects to: the server's, or that of
// a relay in front of it.
func (e *execution) delayed() (contract.Trial, *contract.Failure) {
	trial := e.trial
	if e.runner.Delay == nil {
		return trial, nil
	}
	delay, err := e.runner.Delay(trial.Workload)
	if err != nil {
		return trial, invalid(err)
	}
	if delay == 0 {
		return trial, nil
	}
	if e.relay == nil {
		target := net.JoinHostPort(trial.Endpoint.Host, strconv.Itoa(int(trial.Endpoint.Port)))
		if e.relay, err = newRelay(target, delay); err != nil {
			return trial, &contract.Failure{Reason: contract.ReasonToolFailed, Message: fmt.Sprintf("delaying round trips: %v", err)}
		}
	}
	trial.Endpoint.Host, trial.Endpoint.Port = "127.0.0.1", e.relay.port()
	return trial, nil
}

// armWarmup makes the warm-up ready to start.
func (e *execution) armWarmup(ctx context.Context) *contract.Failure {
	return e.armPhase(ctx, contract.PhaseWarmup)
}

// arm makes the measured phase ready to start.
func (e *execution) arm(ctx context.Context) *contract.Failure {
	failure := e.armPhase(ctx, e.phase())
	e.res.Tool.Args = e.next.args
	return failure
}

func (e *execution) armPhase(ctx context.Context, phase contract.Phase) *contract.Failure {
	if e.skips(phase) {
		return nil
	}
	trial, failure := e.delayed()
	if failure != nil {
		return failure
	}
	command, err := e.runner.Command(trial, phase, e.credentials)
	if err != nil {
		return invalid(err)
	}
	if e.next, failure = e.prepare(rawName(phase), command, e.credentials.Password); failure != nil || command.Dialogue == nil {
		return failure
	}
	if err := e.arrange(ctx, &e.next, command.Dialogue); err != nil {
		return lost(err)
	}
	return nil
}

func (e *execution) warmUp(ctx context.Context) *contract.Failure {
	if failure := waited(sleepUntil(ctx, e.ownTime(*e.res.Times.Start))); failure != nil {
		return failure
	}
	if e.skips(contract.PhaseWarmup) {
		return nil
	}
	in, failure := e.start(ctx, e.next)
	if !in.started.IsZero() {
		e.res.Times.WarmupStarted = &in.started
		e.draw(contract.PhaseWarmup, e.next)
	}
	if failure == nil {
		report := e.runner.Parse(e.trial, contract.PhaseWarmup, in.output)
		e.res.Warmup, failure = report.Measurements, report.Failure
		e.res.Tool.WarmupSeconds = warmedUp(in, report.Measurements)
		if failure != nil {
			e.res.Problems = append(e.res.Problems, report.Problems...)
		}
	}
	if failure != nil {
		return &contract.Failure{Reason: failure.Reason, Message: "during the warm-up: " + in.withLastWord(failure).Message}
	}
	return nil
}

// rawName is the folder of a phase's raw output.
func rawName(p contract.Phase) string {
	names := map[contract.Phase]string{
		contract.PhasePrepare: "prepare", contract.PhaseWarmup: "warmup", contract.PhaseRun: "run",
		contract.PhaseCheck: "check", contract.PhaseCleanup: "cleanup",
	}
	return names[p]
}

// measure runs the tool for the phase; a phase without a command is done already.
func (e *execution) measure(ctx context.Context) *contract.Failure {
	if e.skips(e.phase()) {
		return nil
	}
	in, failure := e.start(ctx, e.next)
	return e.take(ran{in, failure})
}

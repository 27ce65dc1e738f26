package client

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/assay-bench/assay/internal/agent/toolside"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// Run executes the trial, delivers the result and writes the termination message. The error is
// the failure of the trial or of the delivery.
//
// It opens the socket for the tool's container, which starts meanwhile. That container is kept
// until the result is delivered: then both end at once. The kubelet looks once per second, and
// when it sees only one of them ended, the other is a second late.
func (a *Agent) Run(ctx context.Context) error {
	started := time.Now()
	side, err := toolside.Listen(a.Socket, a.ToolAnswer)
	if err != nil {
		return a.end(termination("", failed(contract.ReasonToolLost, "%v", err)))
	}
	message := a.measure(ctx, started, side)
	side.Close()
	return a.end(message)
}

// measure carries the trial out, beside samples of the agent's own container.
func (a *Agent) measure(ctx context.Context, started time.Time, side *toolside.Side) contract.Termination {
	background, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	go a.meter.sampler.Run(background)
	return a.conclude(ctx, started, side)
}

// end writes the termination message.
func (a *Agent) end(message contract.Termination) error {
	a.logUsage()
	if err := os.WriteFile(a.TerminationLog, message.Encode(), 0o600); err != nil {
		return fmt.Errorf("writing the termination message (%s %s): %w", message.Reason, message.Message, err)
	}
	if message.State != contract.Succeeded {
		return fmt.Errorf("%s: %s", message.Reason, message.Message)
	}
	return nil
}

// logUsage says what the agent's container needed, for whoever chooses its resources.
func (a *Agent) logUsage() {
	u := a.meter.machine.Usage(0)
	var needed []any
	for name, n := range map[string]*float64{"cpuSeconds": u.CPUSeconds, "throttledSeconds": u.ThrottledSeconds} {
		if n != nil {
			needed = append(needed, name, *n)
		}
	}
	if u.MemoryPeakBytes != nil {
		needed = append(needed, "memoryPeakBytes", *u.MemoryPeakBytes)
	}
	a.Log.Info("the agent's container needed", needed...)
}

// conclude goes from the trial to the termination message.
func (a *Agent) conclude(ctx context.Context, started time.Time, side *toolside.Side) contract.Termination {
	trial, failure := a.loadTrial(ctx)
	if failure == nil {
		failure = a.claim(ctx, a.Pod+"/"+rand.Text())
	}
	if failure != nil {
		// The result is not this client's, or nobody knows whose it is.
		if ctx.Err() != nil && failure.Reason != contract.ReasonAlreadyBegun {
			failure.Reason = contract.ReasonInterrupted
		}
		return termination("", failure)
	}
	if a.Standing != "" && a.Figures != nil && trial.Ref.Index != nil {
		a.Figures.Of(trial.Ref.Target, strconv.Itoa(*trial.Ref.Index))
	}
	blank := a.blank(trial, started)
	limited, cancel := context.WithDeadline(ctx, trial.Deadline)
	found := a.carryOut(limited, trial, side)
	cancel()
	return a.deliver(ctx, trial, assemble(blank, found))
}

// blank is a result with only its identity.
func (a *Agent) blank(t contract.Trial, started time.Time) contract.Result {
	return contract.Result{
		Version: contract.ResultVersion, Trial: t.Ref,
		Tool:   contract.Tool{Name: t.Runner},
		Times:  contract.Times{AgentStarted: &started},
		Client: contract.Client{Node: a.Node, Environment: contract.Environment{Machine: a.meter.machine.Machine()}},
	}
}

// deliver has its own timeout, so a trial after its deadline or an interruption still delivers
// its partial result.
func (a *Agent) deliver(ctx context.Context, t contract.Trial, res contract.Result) contract.Termination {
	until := time.Now().Add(a.Interrupted)
	if ctx.Err() == nil {
		until = latest(t.Deadline, time.Now()).Add(a.Deliver)
	}
	files, err := rawFiles(filepath.Join(a.Work, "raw"))
	var d delivery
	if err == nil {
		d, err = a.pack(res, files, t)
	}
	own, cancel := context.WithDeadline(context.WithoutCancel(ctx), until)
	defer cancel()
	if err == nil {
		err = a.store(own, d)
	}
	if err != nil {
		message := fmt.Sprintf("the result could not be delivered: %v", err)
		if res.Failure != nil {
			message += fmt.Sprintf(". The phase had failed with %s: %s", res.Failure.Reason, res.Failure.Message)
		}
		return termination("", &contract.Failure{Reason: contract.ReasonDeliveryFailed, Message: message})
	}
	told := termination(contract.Digest(d.encoded), d.res.Failure)
	if len(d.uploads) > 0 {
		told.NotUploaded = a.upload(ctx, t, d.uploads)
	}
	return told
}

// pack a delivery: into the ConfigMap alone, or with an object store beside it.
func (a *Agent) pack(res contract.Result, files []rawFile, t contract.Trial) (delivery, error) {
	if t.Store == nil {
		return newDelivery(res, files, room(t))
	}
	return newStored(res, files, storing{dir: a.Work, limits: *t.Store, room: room(t)})
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func termination(digest string, f *contract.Failure) contract.Termination {
	t := contract.Termination{Version: contract.TerminationVersion, SHA256: digest, State: contract.Succeeded}
	if f != nil {
		t.State, t.Reason, t.Message = contract.Failed, f.Reason, f.Message
	}
	return t
}

package client

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/assay-bench/assay/internal/agent/pause"
	"github.com/assay-bench/assay/internal/agent/toolside"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// stander is an agent that carries out many trials.
type stander struct{ *Agent }

// Stand carries out one trial after the other, as the manager says in the ConfigMap Standing, until it says that there are no more, or
// one fails. A trial that is done stands in its result (contract.AnnotationTold), and one that failed in the termination message too.
func Stand(ctx context.Context, agent *Agent) error {
	a := stander{agent}
	for done := ""; ; {
		// A socket whose listener is gone tells the tool's container that there are no more trials, also when this process is killed.
		side, err := toolside.Listen(a.Socket, a.ToolAnswer)
		if err != nil {
			return a.end(termination("", failed(contract.ReasonToolLost, "%v", err)))
		}
		next, err := a.nextTrial(ctx, done)
		switch {
		case err != nil:
			side.Close()
			return a.end(termination("", failed(contract.ReasonInterrupted, "waiting for the next trial: %v", err)))
		case next == contract.NoTrial:
			side.Close()
			a.logUsage()
			return nil
		}
		message, err := a.carryOutAlone(ctx, next, side)
		side.Close()
		if message.State != contract.Succeeded || err != nil {
			a.leaveSocket()
			// Where the word could not be written, the kubelet takes it along.
			return errors.Join(a.end(message), err)
		}
		done = next
	}
}

// leaveSocket without a listener, in the place of the one that the tool's container has connected to.
func (a stander) leaveSocket() {
	side, err := toolside.Listen(a.Socket, a.ToolAnswer)
	if err != nil {
		return // it is there, because nobody connected
	}
	side.Close()
}

// carryOutAlone one trial, with nothing of another one. The error is why there is no other one after it, beside a failure of the trial.
func (a stander) carryOutAlone(ctx context.Context, trial string, side *toolside.Side) (contract.Termination, error) {
	one := &Agent{Options: a.Options, Timeouts: a.Timeouts, API: a.API, Runner: a.Runner, Connect: a.Connect, Log: a.Log.With("trial", trial), Figures: a.Figures}
	one.Trial, one.Result, one.Work = trial, contract.ResultName(trial, a.Index), filepath.Join(a.Work, trial)
	// The peak of memory would be that of all trials so far.
	one.meter.machine.Reused = true
	one.meter.sampler.Reader = one.meter.machine
	if err := os.MkdirAll(one.Work, 0o700); err != nil {
		return termination("", failed(contract.ReasonToolFailed, "preparing the trial: %v", err)), nil
	}
	message := one.measure(ctx, time.Now(), side)
	if message.SHA256 == "" { // nothing was delivered, or the result is another client's
		return message, nil
	}
	if err := os.RemoveAll(one.Work); err != nil {
		return message, fmt.Errorf("removing what the trial left: %w", err)
	}
	return message, tell(ctx, one, message)
}

// nextTrial waits until the manager says another trial than the one that is done.
func (a stander) nextTrial(ctx context.Context, done string) (next string, err error) {
	err = await(ctx, a.Agent, a.Standing, func(cm ConfigMap) bool {
		next = cm.Annotations[contract.AnnotationNext]
		return next != "" && next != done
	})
	return next, err
}

// await what a ConfigMap shows. It is read, then watched, and read again whenever the watch fails or has been silent for a while,
// because a lost API server may never close the watch.
func await(ctx context.Context, a *Agent, name string, shows func(ConfigMap) bool) error {
	for {
		cm, err := a.API.Get(ctx, name)
		if err == nil && !shows(cm) {
			look, cancel := context.WithTimeout(ctx, a.Silence)
			err = a.API.Follow(look, name, cm.ResourceVersion, shows)
			cancel()
		}
		if err == nil {
			return nil
		}
		if err := pause.For(ctx, a.Poll); err != nil {
			return err
		}
	}
}

// tell the manager that this client is done with its trial.
func tell(ctx context.Context, a *Agent, told contract.Termination) error {
	most := a.Deliver
	if ctx.Err() != nil {
		most = a.Interrupted
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), most)
	defer cancel()
	told.At = new(time.Now().UTC())
	return a.retry(ctx, "say that the trial is done", func(ctx context.Context) error {
		return a.patch(ctx, map[string]any{"metadata": map[string]any{"annotations": map[string]string{contract.AnnotationTold: string(told.Encode())}}})
	})
}

// credentialsFor the target of a trial are in this directory.
func credentialsFor(a *Agent, t contract.Trial) (string, error) {
	if a.Standing == "" {
		return a.Credentials, nil
	}
	if !filepath.IsLocal(t.Ref.Target) {
		return "", fmt.Errorf("ref.target: %q is no name of a target", t.Ref.Target)
	}
	return filepath.Join(a.Credentials, t.Ref.Target), nil
}

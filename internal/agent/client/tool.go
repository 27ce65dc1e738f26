package client

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assay-bench/assay/internal/agent/live"
	"github.com/assay-bench/assay/internal/agent/toolside"
	"github.com/assay-bench/assay/internal/agent/toolwire"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// toolbox has the tool run in its container, and keeps its output.
type toolbox struct {
	// side is the tool's container.
	side *toolside.Side
	// work is where the agent keeps the output.
	work string
	// grace is how long the tool may take to end after SIGTERM.
	grace time.Duration
	// figures are the live ones; nil where nobody reads them.
	figures *live.Figures
	// intervals of an output that is not complete.
	intervals func(contract.Phase, runner.Output) []contract.Measurement
}

// preparedTool is a command that is ready to start.
type preparedTool struct {
	name  string
	phase contract.Phase
	// program as the adapter named it.
	program string
	// args without secrets.
	args    []string
	secrets []string
	seeds   seeds
	// turns of the conversation with a tool that answers line by line, and talk that conversation; nil for
	// others.
	turns []runner.Turn
	talk  *talk
}

// close may be called twice, and for a command that was never prepared.
func (t preparedTool) close() {
	if t.talk != nil {
		t.talk.close()
	}
}

// invocation is one run of the tool.
type invocation struct {
	started, ended time.Time
	output         runner.Output
	// voluntary and involuntary context switches of the tool, all its threads
	// included; nil if unknown.
	voluntary, involuntary *int64
	secrets                []string
}

// prepare makes a command ready to start. The name is also the folder of the raw files, where
// the output goes unchanged.
func (b toolbox) prepare(ctx context.Context, name string, c runner.Command, secrets ...string) (preparedTool, *contract.Failure) {
	t := preparedTool{
		name: name, program: c.Path, args: mask(c.Args, secrets), secrets: secrets, seeds: seeds{c.Seed, c.Unseeded}, turns: c.Dialogue,
	}
	err := b.side.Prepare(ctx, name, toolwire.Command{
		Path: c.Path, Args: c.Args, Env: c.Env, Files: c.Files, Collect: c.Collect, Dialogue: c.Dialogue != nil,
	})
	if errors.Is(err, toolside.ErrMissing) {
		return t, failed(contract.ReasonToolMissing, "the image has no program %s: use the runner's image", c.Path)
	}
	if err != nil {
		return t, b.failure("preparing "+c.Path, err)
	}
	if err := b.keepCommand(t, c.Env); err != nil {
		return t, failed(contract.ReasonToolFailed, "preparing %s: %v", c.Path, err)
	}
	return t, nil
}

// failure is that of an order to the tool's container.
func (b toolbox) failure(doing string, err error) *contract.Failure {
	reason := contract.ReasonToolLost
	switch {
	case errors.Is(err, toolside.ErrOutput):
		reason = contract.ReasonOutputTruncated
	case errors.Is(err, toolside.ErrRefused):
		reason = contract.ReasonToolFailed
	}
	return failed(reason, "%s: %v", doing, err)
}

// run starts the prepared command at an instant, or at once if it has passed, and waits until it
// or the context ends. The start is left to the tool's container, so that no other work of the
// agent delays it.
func (b toolbox) run(ctx context.Context, t preparedTool, at time.Time) (invocation, *contract.Failure) {
	defer t.close()
	in := invocation{secrets: t.secrets}
	var err error
	if in.started, err = b.side.Start(ctx, t.name, at); err != nil && ctx.Err() == nil {
		return invocation{}, b.failure("starting "+t.program, err)
	} else if err != nil {
		in.started = time.Now() // it may have been started, and nobody waited for the answer: what it left is wanted
	}
	b.showFigures(t)
	ended, err := b.await(ctx, t, in.started)
	b.figures.End()
	if err == nil {
		in.ended, in.voluntary, in.involuntary = ended.At, ended.Voluntary, ended.Involuntary
		in.output, err = b.fetch(ctx, t.name, ended.Files)
		in.output.ExitCode, in.output.Signal = max(ended.Code, -1), ended.Signal
	} else {
		in.ended, in.output.ExitCode = time.Now(), -1
	}
	if t.talk != nil {
		in.output.Exchanges = t.talk.Exchanges()
	}
	if err != nil {
		return in, b.failure("running "+t.program, err)
	}
	if ctx.Err() != nil {
		// The tool was terminated: its output is not a result.
		return in, failed(contract.ReasonInterrupted, "the tool was ended")
	}
	if t.talk != nil && t.talk.err != nil {
		return in, failed(contract.ReasonToolFailed, "speaking with %s: %v", t.program, t.talk.err)
	}
	return in, nil
}

// await the end of the tool or of the context; with a dialogue, first the end of the
// conversation.
func (b toolbox) await(ctx context.Context, t preparedTool, started time.Time) (toolside.Ended, error) {
	// What a tool left that was stopped is wanted too.
	waiting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	end := make(chan func() (toolside.Ended, error), 1)
	go func() {
		e, err := b.side.End(waiting, t.name, started)
		end <- func() (toolside.Ended, error) { return e, err }
	}()
	var over <-chan time.Time
	ended := make(<-chan struct{}) // never, without a conversation
	if t.talk != nil {
		t.talk.begin(ctx)
		ended = t.talk.ended
		defer t.talk.finish(b.side.Answer)
	}
	for {
		select {
		case how := <-end:
			return how()
		case <-ended:
			ended, over = nil, time.After(b.grace)
			continue
		case <-over:
		case <-ctx.Done():
		}
		if err := b.side.Stop(waiting, t.name, b.grace); err != nil {
			return toolside.Ended{}, err
		}
		select {
		case how := <-end:
			return how()
		case <-time.After(b.side.Answer):
			return toolside.Ended{}, fmt.Errorf("%w: it does not report the end of the tool", toolside.ErrLost)
		}
	}
}

// fetch the output of a command that has ended.
func (b toolbox) fetch(ctx context.Context, name string, files []toolwire.File) (runner.Output, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), b.side.Answer)
	defer cancel()
	return b.side.Fetch(ctx, name, files, b.rawDir(name))
}

// keepCommand records the command line, and the names of the command's own environment
// variables. Their values may be secrets, and are not written.
func (b toolbox) keepCommand(t preparedTool, env map[string]string) error {
	raw := b.rawDir(t.name)
	if err := os.MkdirAll(raw, 0o700); err != nil {
		return err
	}
	lines := func(name string, lines []string) error {
		return os.WriteFile(filepath.Join(raw, name), []byte(strings.Join(lines, "\n")+"\n"), 0o600)
	}
	err := lines("command.txt", append([]string{t.program}, t.args...))
	if len(env) > 0 {
		err = errors.Join(err, lines("environment.txt", slices.Sorted(maps.Keys(env))))
	}
	return err
}

func (b toolbox) rawDir(name string) string { return filepath.Join(b.work, "raw", name) }

// mask replaces secrets that an adapter wrongly put into arguments.
func mask(args, secrets []string) []string {
	out := make([]string, len(args))
	for i, arg := range args {
		for _, s := range secrets {
			if s != "" {
				arg = strings.ReplaceAll(arg, s, "***")
			}
		}
		out[i] = arg
	}
	return out
}

// maxTail is how much of the end of each output is read for live figures, in bytes: a hundred lines.
const maxTail = 16 << 10

// showFigures of a tool that runs, until its end. What is read of its output here is shown and forgotten: a result
// is made of the whole output, when the tool has ended. Nothing is known of a tool that is in a dialogue.
func (b toolbox) showFigures(t preparedTool) {
	if b.figures == nil || t.talk != nil || b.intervals == nil {
		return
	}
	b.figures.Begin(t.name, func(ctx context.Context) ([]contract.Measurement, error) {
		stdout, err := b.side.Tail(ctx, t.name, toolwire.Stdout, maxTail)
		if err != nil {
			return nil, err
		}
		stderr, err := b.side.Tail(ctx, t.name, toolwire.Stderr, maxTail)
		if err != nil {
			return nil, err
		}
		return b.intervals(t.phase, runner.Output{Stdout: stdout, Stderr: stderr}), nil
	})
}

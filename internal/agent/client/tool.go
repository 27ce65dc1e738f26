package client

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assay-bench/assay/internal/agent/supervise"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

// maxOutput is the maximum size of a tool's output, in bytes.
const maxOutput = 64 << 20

// toolbox runs the tool and keeps its output.
type toolbox struct {
	// work is where the tool runs and its output is kept.
	work string
	// grace is how long the tool may take to end after SIGTERM.
	grace    time.Duration
	children *supervise.Children
}

// preparedTool is a command that is ready to start.
type preparedTool struct {
	name string
	// program as the adapter named it.
	program string
	// args without secrets.
	args    []string
	secrets []string
	cmd     *exec.Cmd
	// collect are the patterns of the files that belong to the output.
	collect []string
	// closeFiles closes the agent's side of the output files.
	closeFiles func()
	// talk is the conversation with a tool that answers line by line; nil for others.
	talk *talk
	// seed and unseeded are those of the command.
	seed     int64
	unseeded bool
}

// close may be called twice, and for a command that was never prepared.
func (t preparedTool) close() {
	if t.closeFiles != nil {
		t.closeFiles()
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
func (b toolbox) prepare(name string, c runner.Command, secrets ...string) (preparedTool, *contract.Failure) {
	t := preparedTool{name: name, program: c.Path, args: mask(c.Args, secrets), secrets: secrets, collect: c.Collect, seed: c.Seed, unseeded: c.Unseeded}
	var err error
	t.cmd, t.closeFiles, err = b.command(name, c, t.args)
	if errors.Is(err, exec.ErrNotFound) {
		return t, &contract.Failure{Reason: contract.ReasonToolMissing, Message: fmt.Sprintf("the image has no program %s: use the runner's image", c.Path)}
	}
	if err != nil {
		return t, &contract.Failure{Reason: contract.ReasonToolFailed, Message: fmt.Sprintf("preparing %s: %v", c.Path, err)}
	}
	return t, nil
}

// run runs the prepared command until it or the context ends.
func (b toolbox) run(ctx context.Context, t preparedTool) (invocation, *contract.Failure) {
	defer t.close()
	in := invocation{started: time.Now(), secrets: t.secrets}
	p, err := b.children.Start(t.cmd)
	if err != nil {
		return invocation{}, &contract.Failure{Reason: contract.ReasonToolMissing, Message: err.Error()}
	}
	b.await(ctx, t, p)
	exit, usage := p.Exit(), p.Usage()
	in.ended = time.Now()
	in.output.ExitCode, in.output.Signal = exit.Code, exit.Signal
	if usage != nil {
		in.voluntary, in.involuntary = new(int64(usage.Nvcsw)), new(int64(usage.Nivcsw))
	}
	if t.talk != nil {
		in.output.Exchanges = t.talk.Exchanges()
	}
	err = b.readOutput(t.name, &in.output)
	if err == nil {
		in.output.Files, err = collect(b.dir(), filepath.Join(b.rawDir(t.name), "files"), t.collect)
	}
	if err != nil {
		return in, &contract.Failure{Reason: contract.ReasonOutputTruncated, Message: fmt.Sprintf("reading the output of %s: %v", t.program, err)}
	}
	if ctx.Err() != nil {
		// The tool was terminated: its output is not a result.
		return in, &contract.Failure{Reason: contract.ReasonInterrupted, Message: "the tool was ended"}
	}
	if t.talk != nil && t.talk.err != nil {
		return in, &contract.Failure{Reason: contract.ReasonToolFailed, Message: fmt.Sprintf("speaking with %s: %v", t.program, t.talk.err)}
	}
	return in, nil
}

// await the end of the tool or of the context; with a dialogue, first the end of the
// conversation.
func (b toolbox) await(ctx context.Context, t preparedTool, p *supervise.Process) {
	var over <-chan time.Time
	ended := make(<-chan struct{}) // never, without a conversation
	if t.talk != nil {
		t.talk.begin(ctx)
		ended = t.talk.ended
		defer func() { <-t.talk.ended }() // the end of the tool ends it
	}
	for {
		select {
		case <-p.Done():
			return
		case <-ended:
			ended, over = nil, time.After(b.grace)
		case <-over:
			p.Stop(b.grace)
			return
		case <-ctx.Done():
			p.Stop(b.grace)
			return
		}
	}
}

// command prepares the process without starting it.
func (b toolbox) command(name string, c runner.Command, shown []string) (cmd *exec.Cmd, closeFiles func(), err error) {
	path, err := exec.LookPath(c.Path)
	if err != nil {
		return nil, nil, err
	}
	dir, raw := b.dir(), b.rawDir(name)
	for _, d := range []string{dir, raw} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, nil, err
		}
	}
	if err := errors.Join(discard(dir, c.Collect), writeFiles(dir, c.Files), writeNames(raw, c.Env)); err != nil {
		return nil, nil, err
	}
	line := strings.Join(append([]string{c.Path}, shown...), "\n") + "\n"
	if err := os.WriteFile(filepath.Join(raw, "command.txt"), []byte(line), 0o600); err != nil {
		return nil, nil, err
	}
	stdout, err := os.Create(filepath.Join(raw, "stdout.txt"))
	if err != nil {
		return nil, nil, err
	}
	stderr, err := os.Create(filepath.Join(raw, "stderr.txt"))
	if err != nil {
		_ = stdout.Close()
		return nil, nil, err
	}
	cmd = exec.Command(path, c.Args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, stdout, stderr
	// A locale would change how tools print numbers.
	cmd.Env = append(os.Environ(), "HOME="+dir, "LC_ALL=C")
	for name, value := range c.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd, func() { _, _ = stdout.Close(), stderr.Close() }, nil
}

func writeFiles(dir string, files map[string][]byte) error {
	for name, data := range files {
		if !filepath.IsLocal(name) {
			return fmt.Errorf("the file name %q leaves the working directory", name)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// writeNames records the names of the command's own environment variables. Their values may be
// secrets, and are not written.
func writeNames(raw string, env map[string]string) error {
	if len(env) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(env))
	return os.WriteFile(filepath.Join(raw, "environment.txt"), []byte(strings.Join(names, "\n")+"\n"), 0o600)
}

// dir is the working directory of the tool.
func (b toolbox) dir() string { return filepath.Join(b.work, "tool") }

func (b toolbox) rawDir(name string) string { return filepath.Join(b.work, "raw", name) }

func (b toolbox) readOutput(name string, out *runner.Output) error {
	for file, to := range map[string]*[]byte{"stdout.txt": &out.Stdout, "stderr.txt": &out.Stderr} {
		path := filepath.Join(b.rawDir(name), file)
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		if info.Size() > maxOutput {
			return fmt.Errorf("%s/%s has %d bytes, more than %d", name, file, info.Size(), maxOutput)
		}
		if *to, err = os.ReadFile(path); err != nil {
			return err
		}
	}
	return nil
}

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

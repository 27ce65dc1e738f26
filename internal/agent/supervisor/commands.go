package supervisor

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/assay-bench/assay/internal/agent/pause"
	"github.com/assay-bench/assay/internal/agent/supervise"
	"github.com/assay-bench/assay/internal/agent/toolwire"
)

// command is a program that is ready to start, runs, or has ended.
type command struct {
	collect []string
	// dir is where it runs, and raw where its output goes.
	dir, raw string
	cmd      *exec.Cmd
	// theirs are the files and ends of pipes that the process gets.
	theirs []*os.File
	// input and output are the other ends of the pipes in a dialogue; nil without one.
	input, output *os.File

	mu      sync.Mutex
	process *supervise.Process
	// ended is closed when the process has ended, at that instant.
	ended chan struct{}
	at    toolwire.Instant
}

// prepare makes a command ready to start.
func (s *Supervisor) prepare(r *http.Request) (any, error) {
	order, err := read[toolwire.Command](r)
	if err != nil {
		return nil, err
	}
	name := r.PathValue("name")
	if !filepath.IsLocal(name) {
		return nil, fmt.Errorf("the name %q of a command leaves the working directory", name)
	}
	c, err := newCommand(order, filepath.Join(s.Work, "tool"), filepath.Join(s.Work, "raw", name))
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if earlier := s.commands[name]; earlier != nil {
		earlier.close()
	}
	s.commands[name] = c
	return nil, nil
}

func newCommand(order toolwire.Command, dir, raw string) (*command, error) {
	path, err := exec.LookPath(order.Path)
	if err != nil {
		return nil, err
	}
	for _, d := range []string{dir, raw} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(discard(dir, order.Collect), writeFiles(dir, order.Files)); err != nil {
		return nil, err
	}
	c := &command{collect: order.Collect, dir: dir, raw: raw, cmd: exec.Command(path, order.Args...), ended: make(chan struct{})}
	if err := c.open(order.Dialogue); err != nil {
		c.closeFiles()
		return nil, err
	}
	c.cmd.Dir = dir
	// A locale would change how tools print numbers.
	c.cmd.Env = append(os.Environ(), "HOME="+dir, "LC_ALL=C")
	for name, value := range order.Env {
		c.cmd.Env = append(c.cmd.Env, name+"="+value)
	}
	return c, nil
}

// open the files and pipes of the process. They are no pipes to this process, so that writing
// costs the tool the same as without a supervisor; except in a dialogue.
func (c *command) open(dialogue bool) error {
	create := func(name string) (*os.File, error) {
		f, err := os.Create(filepath.Join(c.raw, name))
		if err == nil {
			c.theirs = append(c.theirs, f)
		}
		return f, err
	}
	stdout, err := create(toolwire.Stdout)
	if err != nil {
		return err
	}
	stderr, err := create(toolwire.Stderr)
	if err != nil {
		return err
	}
	c.cmd.Stdout, c.cmd.Stderr = stdout, stderr
	if dialogue {
		return c.openPipes()
	}
	return nil
}

func writeFiles(dir string, files map[string][]byte) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for name, data := range files {
		if err := root.WriteFile(name, data, 0o600); err != nil {
			return fmt.Errorf("the file %q: %w", name, err)
		}
	}
	return nil
}

// command of an order; an error for one that was not prepared.
func (s *Supervisor) command(r *http.Request) (*command, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.commands[r.PathValue("name")]; c != nil {
		return c, nil
	}
	return nil, fmt.Errorf("%w: the command %s was not prepared", errOrder, r.PathValue("name"))
}

// start a command at an instant.
func (s *Supervisor) start(r *http.Request) (any, error) {
	at, err := read[time.Time](r)
	if err != nil {
		return nil, err
	}
	c, err := s.command(r)
	if err != nil {
		return nil, err
	}
	if err := pause.Until(r.Context(), at); err != nil {
		return nil, fmt.Errorf("%w: the agent no longer waits for the start", errOrder)
	}
	now := toolwire.Now()
	return now, c.start()
}

func (c *command) start() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.process != nil {
		return fmt.Errorf("%w: the command was started before", errOrder)
	}
	p, err := supervise.Start(c.cmd)
	if err != nil {
		return err
	}
	c.process = p
	c.closeTheirs() // so that the end of the process is the end of its output
	go func() {
		<-p.Done()
		c.at = toolwire.Now()
		close(c.ended)
	}()
	return nil
}

// running is the process; an error for one that was not started.
func (c *command) running() (*supervise.Process, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.process == nil {
		return nil, fmt.Errorf("%w: the command was not started", errOrder)
	}
	return c.process, nil
}

// started is a command that was started, and its process.
func (s *Supervisor) started(r *http.Request) (*command, *supervise.Process, error) {
	c, err := s.command(r)
	if err != nil {
		return nil, nil, err
	}
	p, err := c.running()
	return c, p, err
}

// end waits for the end of a command.
func (s *Supervisor) end(r *http.Request) (any, error) {
	c, p, err := s.started(r)
	if err != nil {
		return nil, err
	}
	select {
	case <-c.ended:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	exit, usage := p.Exit(), p.Usage()
	out := toolwire.Ended{At: c.at, Code: exit.Code, Signal: exit.Signal}
	if usage != nil {
		out.Voluntary, out.Involuntary = new(int64(usage.Nvcsw)), new(int64(usage.Nivcsw))
	}
	out.Files, err = c.files()
	return out, err
}

// stop a command, and wait for its end.
func (s *Supervisor) stop(r *http.Request) (any, error) {
	grace, err := read[time.Duration](r)
	if err != nil {
		return nil, err
	}
	_, p, err := s.started(r)
	if err != nil {
		return nil, err
	}
	p.Stop(grace)
	return nil, nil
}

// close ends the process, if one runs, and closes all files.
func (c *command) close() {
	if p, err := c.running(); err == nil {
		p.Stop(0)
	}
	c.closeFiles()
}

func (c *command) closeTheirs() {
	for _, f := range c.theirs {
		_ = f.Close()
	}
	c.theirs = nil
}

func (c *command) closeFiles() {
	c.closeTheirs()
	for _, f := range []*os.File{c.input, c.output} {
		if f != nil {
			_ = f.Close()
		}
	}
}

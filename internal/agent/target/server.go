package target

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/agent/supervise"
)

const (
	// knock is the time between two tries to log in while the server starts.
	knock = 50 * time.Millisecond
	// deniedFor is how long a server that is starting may refuse the account.
	deniedFor = 5 * time.Second
	// keepLog is how much of the server's log is remembered, in bytes.
	keepLog = 16 << 10
	// maxWarnings bounds the findings in a server's log.
	maxWarnings = 32
)

// programDirs are places of servers that images leave out of PATH.
var programDirs = []string{
	"/usr/sbin", "/usr/bin", "/usr/libexec", "/usr/local/bin", "/usr/local/sbin",
	"/usr/local/mysql/bin", "/usr/local/mysql/scripts", "/opt/bitnami/mysql/bin", "/opt/bitnami/mariadb/sbin",
}

// server is one database server and what is known of it.
type server struct {
	Options
	in       inputs
	door     *door
	children *supervise.Children
	// serving is true from the first login until the stop begins.
	serving atomic.Bool

	mu       sync.Mutex
	warnings []string
}

// findings are the warnings in the server's log so far.
func (s *server) findings() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.warnings)
}

func (s *server) observe(line string) {
	w := warning(line)
	if w == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.warnings) < maxWarnings {
		s.warnings = append(s.warnings, w)
	}
}

// start starts a program of the engine; its output goes to a new log.
func (s *server) start(c engine.Command) (*supervise.Process, *supervise.Log, error) {
	path, err := supervise.Find(c.Programs, programDirs...)
	if err != nil {
		return nil, nil, fail(engine.ReasonServerMissing, "the image has no %s server: %v", s.in.engine.Flavor, err)
	}
	log := &supervise.Log{Out: s.Out, Keep: keepLog, Observe: s.observe}
	cmd := exec.Command(path, c.Args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.Run, log, log
	cmd.Env = append(os.Environ(), "TMPDIR="+s.Tmp)
	p, err := s.children.Start(cmd)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil, fail(engine.ReasonServerMissing, "%v: it is a script whose shell, or a program whose loader, the image lacks", err)
	}
	if err != nil {
		return nil, nil, fail(engine.ReasonServerMissing, "%v", err)
	}
	return p, log, nil
}

// initialise makes the data directory under another name first, so that a start
// that is interrupted leaves nothing that looks complete.
func (s *server) initialise(ctx context.Context) error {
	if done, err := initialised(s.Options); done || err != nil {
		return err
	}
	draft, err := emptyDraft(s.Options)
	if err != nil {
		return err
	}
	begin := time.Now()
	paths := s.paths()
	paths.Data = draft
	p, log, err := s.start(s.in.engine.Initialise(s.configFile(), paths))
	if err != nil {
		return err
	}
	select {
	case <-p.Done():
	case <-ctx.Done():
		p.Stop(time.Second)
		return ctx.Err()
	}
	if exit := p.Exit(); exit != (supervise.Exit{}) {
		return failWithLog(classifyStart(exit, log.Tail(), engine.ReasonInitialisationFailed), log.Tail(),
			"the initialisation of the data directory %s", exit)
	}
	if err := adopt(s.Options, draft); err != nil {
		return err
	}
	s.Log.Info("initialised the data directory", "took", time.Since(begin).Round(time.Millisecond))
	return nil
}

// serve runs the server until it ends or the context does.
func (s *server) serve(ctx context.Context) error {
	command := s.in.engine.Serve(s.configFile(), s.paths())
	command.Args = append(command.Args, "--init-file="+s.initFile())
	p, log, err := s.start(command)
	if err != nil {
		return err
	}
	if err := s.awaitLogin(ctx, p, log); err != nil {
		if _, killed := p.Stop(s.Grace); killed {
			s.Log.Warn("the server did not shut down in time and was killed", "grace", s.Grace)
		}
		return err
	}
	s.serving.Store(true)
	defer s.serving.Store(false)
	if err := os.Remove(s.initFile()); err != nil {
		s.Log.Warn("removing the init file", "error", err)
	}
	s.Log.Info("the server is ready", "version", s.door.lastVersion())
	select {
	case <-p.Done():
		exit := p.Exit()
		return failWithLog(classify(exit, log.Tail(), engine.ReasonServerCrashed), log.Tail(), "the server %s while it served", exit)
	case <-ctx.Done():
		return s.stop(p)
	}
}

func (s *server) stop(p *supervise.Process) error {
	s.serving.Store(false)
	s.Log.Info("stopping the server")
	exit, killed := p.Stop(s.Grace)
	if killed {
		return fail(engine.ReasonServerKilled, "the server did not shut down within %s and was killed: its data directory needs recovery", s.Grace)
	}
	s.Log.Info("the server has stopped", "exit", exit.String())
	return nil
}

// awaitLogin knocks until the benchmark's account can log in. It has no deadline
// of its own: how long recovery may take is the manager's to decide.
func (s *server) awaitLogin(ctx context.Context, p *supervise.Process, log *supervise.Log) error {
	var deniedSince time.Time
	ticker := time.NewTicker(knock)
	defer ticker.Stop()
	for {
		select {
		case <-p.Done():
			exit := p.Exit()
			return failWithLog(classifyStart(exit, log.Tail(), engine.ReasonServerCrashed), log.Tail(), "the server %s before it was ready", exit)
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
		err := s.door.check(ctx, 0)
		switch {
		case err == nil:
			return nil
		case !denied(err):
			deniedSince = time.Time{}
		case deniedSince.IsZero():
			deniedSince = time.Now()
		case time.Since(deniedSince) > deniedFor:
			return failWithLog(engine.ReasonInitialisationFailed, log.Tail(), "the server could not make the benchmark's account: %v", err)
		}
	}
}

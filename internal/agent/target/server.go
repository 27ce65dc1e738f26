package target

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/agent/environment"
	"github.com/assay-bench/assay/internal/agent/supervise"

	"github.com/assay-bench/assay/internal/contract"
)

const (
	// knock is the time between two tries to log in while the server starts.
	knock = 50 * time.Millisecond
	// refusedFor is how long a server that is starting may refuse the account, or hang up.
	refusedFor = 5 * time.Second
	// keepLog is how much of the server's log is remembered, in bytes.
	keepLog = 16 << 10
	// maxWarnings bounds the findings in a server's log.
	maxWarnings = 32
)

// programDirs are places of servers that images leave out of PATH.
var programDirs = []string{
	"/usr/sbin", "/usr/bin", "/usr/libexec", "/usr/local/bin", "/usr/local/sbin",
	"/usr/local/mysql/bin", "/usr/local/mysql/scripts", "/opt/bitnami/mysql/bin", "/opt/bitnami/mariadb/sbin",
	"/", // pingcap/tidb
}

// server is one database server and what is known of it.
type server struct {
	Options
	in         inputs
	door       *door
	children   *supervise.Children
	volume     *volume
	operations *operations
	// follower is nil for a server that follows no other one.
	follower *follower
	// sampler of the counters of this container.
	sampler environment.Sampler
	// interrupted is the restore that this agent finished for an earlier one, and
	// that gets its answer with the first login; set by resume, nil for none.
	interrupted *operation
	// serving is true from the first login of a server until its stop begins.
	serving atomic.Bool
	// pid of the server; 0 while there is none.
	pid atomic.Int64

	// speeding is held while the speed of the machine is measured.
	speeding sync.Mutex

	mu       sync.Mutex
	warnings []string
	// storage of the data directory; nil before the probe.
	storage *contract.Storage
	// warned are the lines of the warnings without what differs at every start.
	warned map[string]bool
}

func newServer(o Options, in inputs, login loginFunc) *server {
	s := &server{
		Options: o, in: in, door: &door{login: login}, children: &supervise.Children{},
		volume: newVolume(o), operations: newOperations(), warned: map[string]bool{},
	}
	if in.target.IsReplica() {
		s.follower = &follower{in: in}
	}
	return s
}

// running is a server that is up.
type running struct {
	*supervise.Process
	log *supervise.Log
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
	key := withoutNumbers(line)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.warnings) < maxWarnings && !s.warned[key] {
		s.warned[key] = true
		s.warnings = append(s.warnings, w)
	}
}

// withoutNumbers makes the same line of two starts equal: they differ in times and
// positions.
func withoutNumbers(line string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, line)
}

// start starts a program of the engine; its output goes to a new log.
func (s *server) start(c engine.Command) (*supervise.Process, *supervise.Log, error) {
	path, err := supervise.Find(c.Programs, programDirs...)
	if err != nil {
		return nil, nil, fail(contract.ReasonServerMissing, "the image has no %s server: %v%s", s.in.engine.Flavor, err, otherServer())
	}
	log := &supervise.Log{Out: s.Out, Keep: keepLog, Observe: s.observe}
	cmd := exec.Command(path, c.Args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.Run, log, log
	cmd.Env = append(os.Environ(), "TMPDIR="+s.Tmp)
	p, err := s.children.Start(cmd)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil, fail(contract.ReasonServerMissing, "%v: it is a script whose shell, or a program whose loader, the image lacks", err)
	}
	if err != nil {
		return nil, nil, fail(contract.ReasonServerMissing, "%v", err)
	}
	return p, log, nil
}

// serve runs the server until it ends or the context does, and stops it for every
// operation meanwhile.
func (s *server) serve(ctx context.Context) error {
	p, err := s.launch(ctx)
	if err != nil {
		return err
	}
	if s.interrupted != nil {
		s.conclude(s.interrupted, nil)
	}
	for {
		select {
		case <-p.Done():
			return s.crashed(p)
		case <-ctx.Done():
			return s.stop(p)
		case op := <-s.operations.wanted:
			if p, err = s.perform(ctx, p, op); err != nil {
				return err
			}
		}
	}
}

// launch starts the server and waits for the first login.
func (s *server) launch(ctx context.Context) (running, error) {
	if err := ctx.Err(); err != nil {
		return running{}, err
	}
	if err := writeFiles(s.Options, s.in); err != nil {
		return running{}, err
	}
	p, log, err := s.start(s.in.engine.Serve(s.configFile(), s.initFile(), s.paths()))
	if err != nil {
		return running{}, err
	}
	if err := s.awaitLogin(ctx, p, log); err != nil {
		if _, killed := p.Stop(s.Grace); killed {
			s.Log.Warn("the server did not shut down in time and was killed", "grace", s.Grace)
		}
		return running{}, err
	}
	if err := os.Remove(s.initFile()); err != nil {
		s.Log.Warn("removing the init file", "error", err)
	}
	if err := endFirstStart(s.Options); err != nil {
		p.Stop(s.Grace)
		return running{}, err
	}
	if err := s.followPrimary(ctx); err != nil {
		p.Stop(s.Grace)
		return running{}, err
	}
	s.pid.Store(int64(p.PID()))
	s.serving.Store(true)
	s.Log.Info("the server is ready", "version", s.door.lastVersion())
	return running{Process: p, log: log}, nil
}

// crashed is the failure of a server that ended without being told to.
func (s *server) crashed(p running) error {
	s.down()
	exit := p.Exit()
	return failWithLog(classify(exit, p.log.Tail(), contract.ReasonServerCrashed), p.log.Tail(), "the server %s while it served", exit)
}

// down says that there is no server from now on.
func (s *server) down() {
	s.serving.Store(false)
	s.pid.Store(0)
}

// stop ends the server. It fails if the server had to be killed.
func (s *server) stop(p running) error {
	s.down()
	s.Log.Info("stopping the server")
	exit, killed := p.Stop(s.Grace)
	if killed {
		return fail(contract.ReasonServerKilled, "the server did not shut down within %s and was killed: its data directory needs recovery", s.Grace)
	}
	s.Log.Info("the server has stopped", "exit", exit.String())
	return nil
}

// awaitLogin knocks until the benchmark's account can log in. It has no deadline
// of its own: how long recovery may take is the manager's to decide.
func (s *server) awaitLogin(ctx context.Context, p *supervise.Process, log *supervise.Log) error {
	var refusedSince time.Time
	ticker := time.NewTicker(knock)
	defer ticker.Stop()
	for {
		select {
		case <-p.Done():
			exit := p.Exit()
			return failWithLog(classifyStart(exit, log.Tail(), contract.ReasonServerCrashed), log.Tail(), "the server %s before it was ready", exit)
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
		err := s.door.check(ctx, 0)
		switch {
		case err == nil:
			return nil
		case encryptionFailed(err):
			return cannotEncrypt(s.in.engine.Flavor, log.Tail(), err)
		case !denied(err) && !s.hangsUp(err):
			refusedSince = time.Time{}
		case refusedSince.IsZero():
			refusedSince = time.Now()
		case time.Since(refusedSince) <= refusedFor:
		case denied(err):
			return failWithLog(contract.ReasonInitialisationFailed, log.Tail(), "the server could not make the benchmark's account: %v", err)
		default:
			return cannotEncrypt(s.in.engine.Flavor, log.Tail(), err)
		}
	}
}

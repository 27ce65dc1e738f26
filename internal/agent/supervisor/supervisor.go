package supervisor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/assay-bench/assay/internal/agent/environment"
	"github.com/assay-bench/assay/internal/agent/pause"
	"github.com/assay-bench/assay/internal/agent/relay"
	"github.com/assay-bench/assay/internal/agent/supervise"
	"github.com/assay-bench/assay/internal/ground/contract"
)

const (
	// redial is the pause between two attempts to reach the agent.
	redial = 10 * time.Millisecond
	// refusals in succession mean that the agent has ended before it needed a tool: it leaves
	// its socket then. A socket is without a listener for a moment also when it is new.
	refusals = 100
)

// ErrNoAgent says that the agent has ended, or this container was told to, before the agent wanted a tool.
// This is no failure of the supervisor.
var ErrNoAgent = errors.New("no agent wants a tool")

// Options of `agent tool`; see Defaults.
type Options struct {
	// Socket of the agent.
	Socket string
	// Work is the directory where the tool runs and its output is kept until it is fetched.
	Work string
	// Temporary and Shared are directories in which tools may leave something else.
	Temporary, Shared string
	Log               *slog.Logger
	// stands: the container is of many trials.
	stands bool
}

// Defaults are the paths that internal/ground/resources mounts.
func Defaults() Options {
	return Options{Socket: contract.ToolSocket, Work: contract.DirWork, Temporary: contract.DirTmp, Shared: "/dev/shm"}
}

// Supervisor carries out orders.
type Supervisor struct {
	Options
	machine environment.Reader
	sampler environment.Sampler

	mu       sync.Mutex
	commands map[string]*command
	relay    *relay.Relay
}

// Run connects to the agent and carries out its orders until the connection ends. The context
// ends only the waiting for the agent: afterwards the agent decides when to end, because it
// still wants the output of what it stops.
func Run(ctx context.Context, o Options) error {
	conn, err := dial(ctx, o, forEver)
	if err != nil {
		return err
	}
	return serve(ctx, o, conn)
}

// Stand does that for one connection after the other, each of a trial, until the agent has ended or the context does. Nothing of a
// trial is left when the next begins, but the peak of the container's memory, which none of them therefore has.
func Stand(ctx context.Context, o Options) error {
	o.stands = true
	for patience := time.Duration(forEver); ; patience = betweenTrials {
		conn, err := dial(ctx, o, patience)
		if errors.Is(err, ErrNoAgent) && patience != forEver {
			return nil
		}
		if err == nil {
			err = serve(ctx, o, conn)
		}
		if err == nil {
			err = clear(o)
		}
		if err != nil {
			return err
		}
	}
}

const (
	forEver = math.MaxInt64
	// betweenTrials is how long the agent may have no socket at all between two trials: it opens the next one when the last has ended.
	betweenTrials = 10 * time.Second
)

// serve the orders of one connection.
func serve(ctx context.Context, o Options, conn net.Conn) error {
	s := &Supervisor{Options: o, commands: map[string]*command{}, machine: environment.Reader{Reused: o.stands}}
	s.sampler.Reader = s.machine
	background, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	go supervise.Reap(background)
	go s.sampler.Run(background)
	err := s.serve(conn)
	s.close()
	return err
}

// clear what a trial left: processes that its tool detached, and files.
func clear(o Options) error {
	if os.Getpid() == 1 { // all other processes of the container are the tool's
		if err := syscall.Kill(-1, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("ending what the tool left: %w", err)
		}
		reap()
	}
	for _, dir := range []string{o.Work, o.Temporary, o.Shared} {
		if err := empty(dir); err != nil {
			return err
		}
	}
	return nil
}

// reap those that were killed. Of the supervisor's own children none is left, so that nobody else waits for one.
func reap() {
	for end := time.Now().Add(reaping); time.Now().Before(end); {
		switch pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); {
		case errors.Is(err, syscall.ECHILD):
			return
		case pid == 0:
			time.Sleep(redial)
		}
	}
}

// reaping is how long killed processes may take to end.
const reaping = 5 * time.Second

// empty a directory of what is this user's; one that does not exist is. Another container of the pod may have its own there.
func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("preparing the next trial: %w", err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue // it has gone
		}
		if owner, is := info.Sys().(*syscall.Stat_t); is && int(owner.Uid) != os.Getuid() {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if os.RemoveAll(path) == nil {
			continue
		}
		// A directory that the tool made may not be its own to write any more.
		_ = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				err = os.Chmod(p, 0o700)
			}
			return err
		})
		if err := os.RemoveAll(path); err != nil && !errors.Is(err, syscall.EBUSY) { // a mount is not the tool's
			return fmt.Errorf("preparing the next trial: %w", err)
		}
	}
	return nil
}

// dial waits for the agent, whose container may start later.
func dial(ctx context.Context, o Options, patience time.Duration) (net.Conn, error) {
	began := time.Now()
	for refused := 0; ; {
		conn, err := (&net.Dialer{}).DialContext(ctx, "unix", o.Socket)
		if err == nil {
			return conn, nil
		}
		if refused++; !errors.Is(err, syscall.ECONNREFUSED) {
			refused = 0
		}
		if refused > refusals || time.Since(began) > patience || pause.For(ctx, redial) != nil {
			return nil, fmt.Errorf("%w: %w", ErrNoAgent, err)
		}
	}
}

// firstOrder is how long the agent may take until its first order: it puts data back and waits for the server before.
const firstOrder = 24 * time.Hour

// serve one connection until it ends.
func (s *Supervisor) serve(conn net.Conn) error {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{
		Handler: s.handler(), Protocols: protocols, ReadHeaderTimeout: firstOrder,
		ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn),
	}
	only := &onlyConn{Conn: conn, closed: make(chan struct{})}
	err := server.Serve(&onlyListener{conn: only})
	if !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("serving the agent: %w", err)
	}
	return nil
}

// close ends everything that runs.
func (s *Supervisor) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.commands {
		c.close()
	}
	s.relay.Close()
}

// onlyListener gives its connection once, and ends with it.
type onlyListener struct {
	conn  *onlyConn
	given bool
}

// Accept returns the connection, and net.ErrClosed when it has ended.
func (l *onlyListener) Accept() (net.Conn, error) {
	if !l.given {
		l.given = true
		return l.conn, nil
	}
	<-l.conn.closed
	return nil, net.ErrClosed
}

// Close ends the connection.
func (l *onlyListener) Close() error { return l.conn.Close() }

// Addr is the address of the connection.
func (l *onlyListener) Addr() net.Addr { return l.conn.LocalAddr() }

// onlyConn knows when it was closed.
type onlyConn struct {
	net.Conn
	once   sync.Once
	closed chan struct{}
}

// Close may be called several times.
func (c *onlyConn) Close() error {
	err := os.ErrClosed
	c.once.Do(func() { err = c.Conn.Close(); close(c.closed) })
	return err
}

package supervisor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
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
	// Temporary is the directory for what tools leave anywhere else.
	Temporary string
	Log       *slog.Logger
	// reused: an earlier trial used the container.
	reused bool
}

// Defaults are the paths that internal/ground/resources mounts.
func Defaults() Options {
	return Options{Socket: contract.ToolSocket, Work: contract.DirWork, Temporary: contract.DirTmp}
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
	conn, err := dial(ctx, o)
	if err != nil {
		return err
	}
	s := &Supervisor{Options: o, commands: map[string]*command{}, machine: environment.Reader{Reused: o.reused}}
	s.sampler.Reader = s.machine
	background, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	go supervise.Reap(background)
	go s.sampler.Run(background)
	err = s.serve(conn)
	s.close()
	return err
}

// Stand does that for one connection after the other, each of a trial, until the agent has ended or the context does. Nothing of a
// trial is left when the next begins, but the peak of the container's memory, which the later ones therefore do not have.
func Stand(ctx context.Context, o Options) error {
	for trials := 0; ; trials++ {
		err := Run(ctx, o)
		if trials > 0 && errors.Is(err, ErrNoAgent) {
			return nil
		}
		if err == nil {
			err = errors.Join(empty(o.Work), empty(o.Temporary))
		}
		if err != nil {
			return err
		}
		o.reused = true
	}
}

// empty a directory.
func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("preparing the next trial: %w", err)
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return fmt.Errorf("preparing the next trial: %w", err)
		}
	}
	return nil
}

// dial waits for the agent, whose container may start later.
func dial(ctx context.Context, o Options) (net.Conn, error) {
	for refused := 0; ; {
		conn, err := (&net.Dialer{}).DialContext(ctx, "unix", o.Socket)
		if err == nil {
			return conn, nil
		}
		if refused++; !errors.Is(err, syscall.ECONNREFUSED) {
			refused = 0
		}
		if refused > refusals || pause.For(ctx, redial) != nil {
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

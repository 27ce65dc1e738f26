package target

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/agent/supervise"
)

// helperEnv makes the test binary play the programs of a server.
const helperEnv = "ASSAY_TEST_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(helperEnv) == "" {
		os.Exit(m.Run())
	}
	switch os.Args[1] {
	case "init":
		if err := os.WriteFile(filepath.Join(os.Args[2], "ibdata1"), nil, 0o600); err != nil {
			os.Exit(1)
		}
	case "init-hangs", "serve-hangs":
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("hanging")
		time.Sleep(time.Minute)
	case "refuse":
		fmt.Println("[Note] starting\n[ERROR] unknown variable 'no_such=1'\n[ERROR] Aborting")
		os.Exit(1)
	case "full":
		fmt.Println("[ERROR] write failed (Errcode: 28 \"No space left on device\")")
		os.Exit(1)
	case "odd":
		fmt.Println("[Warning] disk full, but never mind")
		os.Exit(4)
	case "killed":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		time.Sleep(time.Minute)
	case "serve":
		stop := make(chan os.Signal, 1)
		signal.Notify(stop, syscall.SIGTERM)
		fmt.Println("[Note] log sequence number 1 (memory-mapped)\n[Note] ready")
		<-stop
		fmt.Println("[Note] bye")
	}
	os.Exit(0)
}

// rig is an agent around a fake engine. Login succeeds while open is set.
type rig struct {
	*server
	open   atomic.Bool
	denied atomic.Bool
	logins atomic.Int64
	ended  chan error
	stop   context.CancelFunc
}

// newRig takes the modes in which the test binary plays the two programs.
func newRig(t *testing.T, initialise, serve string) *rig {
	t.Helper()
	t.Setenv(helperEnv, "1")
	dir := t.TempDir()
	self := func(mode, data string) engine.Command {
		return engine.Command{Programs: []string{os.Args[0]}, Args: []string{mode, data}}
	}
	r := &rig{ended: make(chan error, 1)}
	login := func(context.Context) (string, error) {
		r.logins.Add(1)
		switch {
		case r.denied.Load():
			return "", &mysql.MySQLError{Number: 1045, Message: "Access denied"}
		case !r.open.Load():
			return "", errors.New("connection refused")
		}
		return "1.2.3-Fake", nil
	}
	r.server = &server{
		Options: Options{
			Data: dir + "/data", Run: dir + "/run", Tmp: dir + "/tmp", Listen: "127.0.0.1:0", TerminationLog: dir + "/term",
			Grace: 5 * time.Second, Out: io.Discard, Log: slog.New(slog.DiscardHandler),
		},
		in: inputs{
			target: engine.Target{Flavor: "Fake", Database: "assay", Username: "assay", Port: 1}, password: "secret",
			engine: engine.Engine{
				Flavor:       "Fake",
				Config:       func(engine.Target, engine.Paths) []byte { return []byte("[mysqld]\n") },
				Initialise:   func(_ string, p engine.Paths) engine.Command { return self(initialise, p.Data) },
				Serve:        func(_ string, p engine.Paths) engine.Command { return self(serve, p.Data) },
				BootstrapSQL: func(_ engine.Target, password string) []string { return []string{"-- " + password} },
			},
		},
		door: &door{login: login}, children: &supervise.Children{},
	}
	r.open.Store(true)
	return r
}

// begin provides the server in the background.
func (r *rig) begin(t *testing.T) {
	t.Helper()
	var ctx context.Context
	ctx, r.stop = context.WithCancel(t.Context())
	t.Cleanup(r.stop)
	go func() { r.ended <- provide(ctx, r.server) }()
}

// end waits for the end of the agent.
func (r *rig) end(t *testing.T) error {
	t.Helper()
	select {
	case err := <-r.ended:
		return err
	case <-time.After(20 * time.Second):
		t.Fatal("the agent did not end")
		return nil
	}
}

// get asks the agent's HTTP server and returns status and body.
func (r *rig) get(path string) (int, string) {
	w := httptest.NewRecorder()
	r.handler().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w.Code, w.Body.String()
}

// await waits until the condition holds.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for range 1000 {
		if holds() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s did not come", what)
}

func (r *rig) isReady() bool {
	code, _ := r.get("/readyz")
	return code == 200
}

func readTermination(t *testing.T, path string) engine.Termination {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var told engine.Termination
	if err := json.Unmarshal(data, &told); err != nil {
		t.Fatal(err)
	}
	return told
}

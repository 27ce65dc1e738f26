package target

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/agent/control"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/hang"
)

// helperEnv makes the test binary play the programs of a server.
const helperEnv = "ASSAY_TEST_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(helperEnv) == "" {
		os.Exit(m.Run())
	}
	switch os.Args[1] {
	case "version":
		fmt.Println("fake  Ver 1.2.3 for tests")
	case "init":
		if err := os.WriteFile(filepath.Join(os.Args[2], "ibdata1"), nil, 0o600); err != nil {
			os.Exit(1)
		}
	case "init-hangs", "serve-hangs":
		signal.Ignore(syscall.SIGTERM)
		up()
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
	case "serve", "serve-dirty":
		serveFake(os.Args[2])
	}
	if os.Args[1] == "serve-dirty" {
		os.Exit(3)
	}
	os.Exit(0)
}

// Files in the data directory of the fake server.
const (
	rowsFile  = "t1.ibd"  // what a test writes
	cleanFile = "clean"   // there while the server is not
	crashFile = "crash"   // makes the server end
	brokeFile = "corrupt" // makes the server refuse to start
)

// upFile is in the run directory once the fake server can be told to stop.
const upFile = "server.up"

// up is called in the run directory.
func up() {
	if err := os.WriteFile(upFile, nil, 0o600); err != nil {
		os.Exit(1)
	}
}

// serveFake is a server until it is told to stop.
func serveFake(data string) {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	if _, err := os.Stat(filepath.Join(data, brokeFile)); err == nil {
		fmt.Println("[ERROR] corrupt")
		os.Exit(1)
	}
	_ = os.Remove(filepath.Join(data, cleanFile))
	up()
	fmt.Printf("[Note] log sequence number %d (memory-mapped)\n[Note] ready\n", os.Getpid())
	for {
		select {
		case <-stop:
			fmt.Println("[Note] bye")
			if err := os.WriteFile(filepath.Join(data, cleanFile), nil, 0o600); err != nil {
				os.Exit(1)
			}
			return
		case <-time.After(5 * time.Millisecond):
			if _, err := os.Stat(filepath.Join(data, crashFile)); err == nil {
				os.Exit(2)
			}
		}
	}
}

// rig is an agent around a fake engine. Login succeeds while open is set and the
// fake server is up.
type rig struct {
	*agent
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
	t.Setenv("GORACE", "atexit_sleep_ms=0") // for the fake programs, which start often
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
		case !r.open.Load(), !exists(filepath.Join(r.Run, upFile)):
			return "", errors.New("connection refused")
		}
		return "1.2.3-Fake", nil
	}
	r.agent = newAgent(
		Options{
			Data: dir + "/data", Run: dir + "/run", Tmp: dir + "/tmp", Listen: "127.0.0.1:0", TerminationLog: dir + "/term",
			Grace: 5 * time.Second, Out: io.Discard, Log: slog.New(slog.DiscardHandler),
		},
		inputs{
			target: contract.Target{Flavor: "Fake", Database: "assay", Username: "assay", Port: 1}, password: "secret", key: control.NewKey(agentKey),
			engine: engine.Engine{
				Flavor:     "Fake",
				Version:    func() engine.Command { return self("version", "") },
				Facts:      engine.Facts{Identify: identifyFake, Log: logOfMariaDB()},
				Config:     func(contract.Target, engine.Paths) []byte { return []byte("[mysqld]\n") },
				Initialise: func(p engine.Paths) engine.Command { return self(initialise, p.Data) },
				Serve: func(_ contract.Target, p engine.Paths) engine.Command {
					c := self(serve, p.Data)
					c.Args = append(c.Args, "--init-file="+p.Init)
					return c
				},
				BootstrapSQL: func(_ contract.Target, password string) []string { return []string{"-- " + password} },
			},
		},
		login,
	)
	r.open.Store(true)
	return r
}

// logOfMariaDB: the fake server logs what MariaDB does.
func logOfMariaDB() engine.Log {
	e, _ := engines.Find("MariaDB")
	return e.Facts.Log
}

// identifyFake knows the fake server only.
func identifyFake(e engine.Evidence) (string, bool) {
	return "1.2.3", strings.HasPrefix(e.Printed, "fake  Ver 1.2.3 ")
}

// begin provides the server in the background.
func (r *rig) begin(t *testing.T) {
	t.Helper()
	var ctx context.Context
	ctx, r.stop = context.WithCancel(t.Context())
	gone := make(chan struct{})
	t.Cleanup(func() { r.stop(); <-gone }) // the fake server writes until its end
	go func() { defer close(gone); r.ended <- r.provide(ctx) }()
}

// end waits for the end of the agent.
func (r *rig) end(t *testing.T) error {
	t.Helper()
	select {
	case err := <-r.ended:
		return err
	case <-time.After(hang.Limit):
		t.Fatal("the agent did not end")
		return nil
	}
}

// agentKey is the secret of the agent.
const agentKey = "the agent's own"

// get asks the agent's HTTP server and returns status and body.
func (r *rig) get(path string) (int, string) {
	secret := agentKey
	if path == "/readyz" || path == "/livez" {
		secret = ""
	}
	return r.request("GET", path, secret, "")
}

// request signs with the key of a secret; without one it is not signed.
func (r *rig) request(method, path, secret, body string) (int, string) {
	q := httptest.NewRequest(method, path, strings.NewReader(body))
	direct := inProcess{r.handler()}
	var over http.RoundTripper = direct
	if secret != "" {
		over = control.NewTransport(control.NewKey(secret), direct)
	}
	answer, err := over.RoundTrip(q)
	if err != nil {
		return 0, err.Error()
	}
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, err.Error()
	}
	return answer.StatusCode, string(text)
}

// inProcess takes requests to a handler.
type inProcess struct{ http.Handler }

func (p inProcess) RoundTrip(q *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	p.ServeHTTP(w, q)
	return w.Result(), nil
}

// await waits until the condition holds.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(hang.Limit); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("%s did not come", what)
}

func (r *rig) isReady() bool {
	code, _ := r.get("/readyz")
	return code == 200
}

func readTermination(t *testing.T, path string) contract.TargetTermination {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var told contract.TargetTermination
	if err := json.Unmarshal(data, &told); err != nil {
		t.Fatal(err)
	}
	return told
}

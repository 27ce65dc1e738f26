package client

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/agent/supervisor"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/test/helpers/hang"
)

// toolEnv makes the test binary play the tool.
const toolEnv = "ASSAY_TEST_TOOL"

// supervisorEnv makes the test binary play the supervisor of the agent with this socket.
const supervisorEnv = "ASSAY_TEST_SUPERVISOR"

// saidEnv names a file that a stubborn tool makes when it has printed something, and that a held tool makes when it runs.
const saidEnv = "ASSAY_TEST_SAID"

// sleepEnv is how long a slow tool sleeps.
const sleepEnv = "ASSAY_TEST_SLEEP"

func TestMain(m *testing.M) {
	if socket := os.Getenv(supervisorEnv); socket != "" {
		_ = os.Unsetenv(supervisorEnv) // its children are tools
		_ = supervisor.Run(context.Background(), supervisor.Options{Socket: socket, Work: filepath.Dir(socket), Log: slog.New(slog.DiscardHandler)})
		os.Exit(0)
	}
	switch os.Getenv(toolEnv) {
	case "":
		os.Exit(m.Run())
	case "good":
		fmt.Println("value", os.Args[1:])
		secret, err := os.ReadFile("secret.cfg")
		fmt.Fprintln(os.Stderr, "file", string(secret), err)
	case "files":
		// What is there before, what it was told, and what it writes.
		old, _ := filepath.Glob("*.hdr")
		fmt.Println("before", old, "option", os.Getenv("TOOL_OPTION"))
		for _, name := range []string{"read.hdr", "other.txt"} {
			if err := os.WriteFile(name, []byte(name+" of "+os.Args[1]), 0o600); err != nil {
				os.Exit(1)
			}
		}
		_ = os.Symlink("/etc/passwd", "link.hdr")
	case "bad":
		fmt.Println("FATAL: no")
		fmt.Fprintln(os.Stderr, "progress\nERROR 2013: lost with hunter2\nbye")
		os.Exit(3)
	case "timed":
		// Says when it began to live, and ends 0.2 s after the begin of its window.
		fmt.Println(time.Now().UnixMilli())
		ms, _ := strconv.ParseInt(os.Args[1], 10, 64)
		time.Sleep(time.Until(time.UnixMilli(ms).Add(200 * time.Millisecond)))
	case "slow":
		if length, err := time.ParseDuration(os.Getenv(sleepEnv)); err == nil {
			time.Sleep(length)
		} else {
			time.Sleep(time.Second)
		}
	case "held":
		// Runs until somebody removes the file that it makes.
		path := os.Getenv(saidEnv)
		_ = os.WriteFile(path, nil, 0o600)
		for range hang.Limit / (10 * time.Millisecond) {
			if _, err := os.Stat(path); err != nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	case "assassin":
		fmt.Println("half of it")
		_ = syscall.Kill(os.Getppid(), syscall.SIGKILL)
		time.Sleep(time.Second)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("half of it")
		if path := os.Getenv(saidEnv); path != "" {
			_ = os.WriteFile(path, nil, 0o600)
		}
		time.Sleep(time.Minute)
	case "talks":
		talks()
	case "loud":
		// Text that does not compress.
		line := make([]byte, 1<<20)
		seed := uint32(1)
		for i := range line {
			seed = seed*1664525 + 1013904223
			line[i] = byte(seed >> 24)
		}
		_, _ = os.Stdout.Write(bytes.Repeat(line, 2))
	}
}

// talks answers each line with what it asks for.
func talks() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var request struct{ Do string }
		_ = json.Unmarshal(lines.Bytes(), &request)
		switch request.Do {
		case "die":
			fmt.Print(`{"id":`)
			os.Exit(3)
		case "hang":
			time.Sleep(time.Minute)
		case "garbage":
			fmt.Println("Segmentation fault")
		default:
			fmt.Printf(`{"state":%q,"user":%q}`+"\n", request.Do, os.Getenv("ASSAY_USERNAME"))
		}
	}
	fmt.Fprintln(os.Stderr, "the end of input")
}

// agentKey is the secret of the agents of the targets.
const agentKey = "the agents' own"

// rig is an agent with everything around it faked.
type rig struct {
	agent  *Agent
	api    *fakeAPI
	server *fakeServer
}

func newRig(t *testing.T, tool string, phase contract.Phase, change func(*contract.Trial)) *rig {
	t.Helper()
	t.Setenv(toolEnv, tool)
	dir := t.TempDir()
	for name, data := range map[string]string{"username": "assay", "password": "hunter2\n", contract.KeyAgent: agentKey} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	trial := contract.Trial{
		Version: contract.TrialVersion, Runner: "fake", Ref: contract.TrialRef{RunUID: "u", Phase: string(phase), Target: "innodb"},
		Clients: 1, DurationSeconds: 1, Deadline: time.Now().Add(hang.Limit),
	}
	if change != nil {
		change(&trial)
	}
	text, err := json.Marshal(trial)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{api: &fakeAPI{trial: map[string]string{contract.KeyTrial: string(text)}, changed: make(chan struct{})}, server: newFakeServer()}
	socket := supervised(t)
	r.agent = &Agent{
		Options: Options{Trial: "t", Result: "t-result-0", Credentials: dir, Work: t.TempDir(), TerminationLog: filepath.Join(dir, "term"), Node: "n1", Socket: socket},
		Timeouts: Timeouts{
			TrialRead: hang.Limit, Connect: hang.Limit, Ask: hang.Limit, Poll: 5 * time.Millisecond, Silence: 50 * time.Millisecond,
			Peers: 5 * time.Millisecond, Yield: 20 * time.Millisecond,
			Retry: 5 * time.Millisecond, RetryMax: 20 * time.Millisecond, ToolGrace: 50 * time.Millisecond, ToolAnswer: hang.Limit,
			Deliver: hang.Limit, Interrupted: hang.Limit,
		},
		API: r.api, Runner: testRunner, Log: slog.New(slog.DiscardHandler),
		Connect: func(contract.Endpoint, runner.Credentials) (Server, error) { return r.server, nil },
	}
	return r
}

// supervised runs the supervisor of a tool's container, and returns the socket of its agent.
func supervised(t testing.TB) string {
	t.Helper()
	return supervisedBy(t, supervisor.Run)
}

// supervisedBy a supervisor of one trial or of many.
func supervisedBy(t testing.TB, run func(context.Context, supervisor.Options) error) string {
	t.Helper()
	// The names of tests are too long for a socket.
	dir, err := os.MkdirTemp("", "tool")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	o := supervisor.Options{Socket: filepath.Join(dir, "s"), Work: t.TempDir(), Temporary: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
	go func() { ended <- run(ctx, o) }()
	t.Cleanup(func() {
		stop() // one that no agent came to
		select {
		case err := <-ended:
			if err != nil && !errors.Is(err, supervisor.ErrNoAgent) {
				t.Errorf("the supervisor: %v", err)
			}
		case <-time.After(hang.Limit):
			t.Error("the supervisor outlives its agent")
		}
		_ = os.RemoveAll(dir)
	})
	return o.Socket
}

// join makes another client of the same trial.
func (r *rig) join(t *testing.T, index int) *rig {
	t.Helper()
	options := r.agent.Options
	options.Index, options.Result = index, fmt.Sprintf("t-result-%d", index)
	options.Work, options.TerminationLog = t.TempDir(), filepath.Join(t.TempDir(), "term")
	options.Socket = supervised(t)
	other := &rig{api: r.api, server: newFakeServer()}
	other.agent = &Agent{
		Options: options, Timeouts: r.agent.Timeouts, API: r.api, Runner: testRunner, Log: r.agent.Log,
		Connect: func(contract.Endpoint, runner.Credentials) (Server, error) { return other.server, nil },
	}
	return other
}

// startWhenReady plays the manager: it publishes the start once all clients are ready.
func (r *rig) startWhenReady(t *testing.T) { r.startAfter(t, 1, 50*time.Millisecond) }

func (r *rig) startAfter(t *testing.T, clients int, lead time.Duration) {
	t.Helper()
	go func() {
		for r.api.ready() < clients && t.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
		r.api.set(func() { r.api.trial[contract.KeyStart] = time.Now().Add(lead).UTC().Format(time.RFC3339Nano) })
	}()
}

// outcome is everything that a client leaves behind, checked against itself.
func (r *rig) outcome(t *testing.T) (contract.Result, map[string]string) {
	t.Helper()
	encoded, raw := r.api.delivered(t, r.agent.Result)
	res, err := contract.Decode(encoded)
	if err != nil {
		t.Fatal(err)
	}
	if got := contract.Digest(raw); got != res.RawSHA256 {
		t.Errorf("the result names raw output %s, which is %s", res.RawSHA256, got)
	}
	message := r.termination(t)
	if message.SHA256 != contract.Digest(encoded) || message.State != res.State {
		t.Errorf("the termination message %+v does not fit the result", message)
	}
	return res, unpack(t, raw)
}

func (r *rig) termination(t *testing.T) contract.Termination {
	t.Helper()
	text, err := os.ReadFile(r.agent.TerminationLog)
	if err != nil {
		t.Fatal(err)
	}
	message, err := contract.ParseTermination(text)
	if err != nil {
		t.Fatal(err)
	}
	return message
}

func unpack(t *testing.T, raw []byte) map[string]string {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for archive := tar.NewReader(zip); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		files[header.Name] = string(data)
	}
}

package client

import (
	"archive/tar"
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
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/agent/database"
	"github.com/assay-bench/assay/internal/result"
	"github.com/assay-bench/assay/runners/runner"
)

// toolEnv makes the test binary play the tool.
const toolEnv = "ASSAY_TEST_TOOL"

func TestMain(m *testing.M) {
	switch os.Getenv(toolEnv) {
	case "":
		os.Exit(m.Run())
	case "good":
		fmt.Println("value", os.Args[1:])
		secret, err := os.ReadFile("secret.cfg")
		fmt.Fprintln(os.Stderr, "file", string(secret), err)
	case "bad":
		fmt.Println("FATAL: no")
		os.Exit(3)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("half of it")
		time.Sleep(time.Minute)
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

// fakeAPI holds the two ConfigMaps. The next calls fail while down is set.
type fakeAPI struct {
	mu      sync.Mutex
	trial   map[string]string
	patches []map[string]any
	down    bool
	refuse  error
	// noWatch breaks every Follow.
	noWatch bool
	changed chan struct{}
}

func (f *fakeAPI) Get(context.Context, string) (ConfigMap, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down {
		return ConfigMap{}, errors.New("connection refused")
	}
	return f.snapshot(), nil
}

func (f *fakeAPI) snapshot() ConfigMap {
	data := map[string]string{}
	for k, v := range f.trial {
		data[k] = v
	}
	return ConfigMap{ResourceVersion: "1", Data: data}
}

func (f *fakeAPI) Follow(ctx context.Context, _, _ string, show func(ConfigMap) bool) error {
	for {
		f.mu.Lock()
		cm, changed, broken := f.snapshot(), f.changed, f.noWatch
		f.mu.Unlock()
		if broken {
			return errors.New("the watch broke")
		}
		if show(cm) {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.New("the watch ended")
		case <-changed:
		}
	}
}

func (f *fakeAPI) Patch(_ context.Context, name string, patch []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down {
		return errors.New("connection refused")
	}
	if f.refuse != nil {
		return f.refuse
	}
	var p map[string]any
	if err := json.Unmarshal(patch, &p); err != nil {
		return err
	}
	p["name"] = name
	f.patches = append(f.patches, p)
	return nil
}

func (f *fakeAPI) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
	close(f.changed)
	f.changed = make(chan struct{})
}

// annotated says whether the client has reported ready.
func (f *fakeAPI) annotated() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.patches {
		if _, ok := p["metadata"]; ok {
			return true
		}
	}
	return false
}

// delivered returns the binary data of the one delivery.
func (f *fakeAPI) delivered(t *testing.T) (encoded, raw []byte) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, p := range f.patches {
		data, ok := p["binaryData"].(map[string]any)
		if !ok {
			continue
		}
		n++
		encoded, raw = decodeBase64(t, data[result.KeyResult]), decodeBase64(t, data[result.KeyRaw])
	}
	if n != 1 {
		t.Fatalf("%d deliveries, want exactly one", n)
	}
	return encoded, raw
}

func decodeBase64(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out []byte
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// fakeServer counts its status up with every question.
type fakeServer struct {
	mu        sync.Mutex
	questions int
	err       error
}

func (s *fakeServer) Version(context.Context) (string, string, error) {
	return "11.8.6-MariaDB", "Debian", s.err
}

func (s *fakeServer) Variables(context.Context) (map[string]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return map[string]string{"max_connections": "151", "gtid_binlog_pos": fmt.Sprint(s.questions), "port": fmt.Sprint(3306 + s.questions)}, s.err
}

func (s *fakeServer) Status(context.Context) (map[string]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.questions++
	return map[string]string{"Questions": fmt.Sprint(10 * s.questions), "Ssl_cipher": ""}, s.err
}

func (s *fakeServer) Tables(context.Context) ([]database.Table, error) {
	return []database.Table{{Name: "sbtest1", Rows: 1000, Checksum: new(int64(4294967295))}, {Name: "sbtest2", Rows: 999}}, s.err
}

// testRunner runs the test binary as its tool.
func testRunner(name string) (runner.Runner, bool) {
	return runner.Runner{
		Name: "fake",
		Command: func(_ runner.Trial, p runner.Phase, c runner.Credentials) (runner.Command, error) {
			return runner.Command{Path: os.Args[0], Args: []string{string(p), "--leak=" + c.Password},
				Files: map[string][]byte{"secret.cfg": []byte("top")}}, nil
		},
		Parse: func(_ runner.Trial, p runner.Phase, o runner.Output) runner.Report {
			r := runner.Report{ToolVersion: "1.2", Measurements: []result.Measurement{{
				Name: result.NameThroughput, Unit: "tx/s", Value: new(float64(len(p))),
				Intervals: []result.Interval{{AtSeconds: 1, Value: new(2.0)}},
			}}}
			if o.ExitCode != 0 {
				r.Failure = &result.Failure{Reason: result.ReasonToolFailed, Message: strings.TrimSpace(string(o.Stdout))}
			}
			return r
		},
	}, name == "fake"
}

// rig is an agent with everything around it faked.
type rig struct {
	agent  *Agent
	api    *fakeAPI
	server *fakeServer
}

func newRig(t *testing.T, tool string, phase runner.Phase, change func(*runner.Trial)) *rig {
	t.Helper()
	t.Setenv(toolEnv, tool)
	dir := t.TempDir()
	for name, data := range map[string]string{"username": "assay", "password": "hunter2\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	trial := runner.Trial{
		Version: runner.TrialVersion, Runner: "fake", Ref: result.TrialRef{RunUID: "u", Phase: string(phase), Target: "innodb"},
		DurationSeconds: 1, Deadline: time.Now().Add(time.Minute),
	}
	if change != nil {
		change(&trial)
	}
	text, err := json.Marshal(trial)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{api: &fakeAPI{trial: map[string]string{keyTrial: string(text)}, changed: make(chan struct{})}, server: &fakeServer{}}
	r.agent = &Agent{
		Options: Options{Trial: "t", Result: "t-result-0", Credentials: dir, Work: t.TempDir(), TerminationLog: filepath.Join(dir, "term"), Node: "n1"},
		Limits: Limits{
			TrialRead: 5 * time.Second, Connect: 200 * time.Millisecond, Poll: 5 * time.Millisecond, Look: 50 * time.Millisecond,
			Retry: 5 * time.Millisecond, RetryMax: 20 * time.Millisecond, ToolGrace: 50 * time.Millisecond,
			Deliver: 500 * time.Millisecond, Interrupted: 500 * time.Millisecond,
		},
		API: r.api, Runner: testRunner, Log: slog.New(slog.DiscardHandler),
		Connect: func(runner.Endpoint, runner.Credentials) (Server, error) { return r.server, nil },
	}
	return r
}

// startWhenReady plays the manager: it publishes the start once the client is ready.
func (r *rig) startWhenReady(t *testing.T) {
	t.Helper()
	go func() {
		for !r.api.annotated() {
			time.Sleep(time.Millisecond)
		}
		r.api.set(func() { r.api.trial[keyStart] = time.Now().Add(50 * time.Millisecond).UTC().Format(time.RFC3339Nano) })
	}()
}

// outcome is everything that a client leaves behind, checked against itself.
func (r *rig) outcome(t *testing.T) (result.Result, map[string]string) {
	t.Helper()
	encoded, raw := r.api.delivered(t)
	res, err := result.Decode(encoded)
	if err != nil {
		t.Fatal(err)
	}
	if got := result.Digest(raw); got != res.RawSHA256 {
		t.Errorf("the result names raw output %s, which is %s", res.RawSHA256, got)
	}
	message := r.termination(t)
	if message.SHA256 != result.Digest(encoded) || message.State != res.State {
		t.Errorf("the termination message %+v does not fit the result", message)
	}
	return res, unpack(t, raw)
}

func (r *rig) termination(t *testing.T) result.Termination {
	t.Helper()
	text, err := os.ReadFile(r.agent.TerminationLog)
	if err != nil {
		t.Fatal(err)
	}
	message, err := result.ParseTermination(text)
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

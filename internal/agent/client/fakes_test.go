package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/assay-bench/assay/internal/agent/database"
	"github.com/assay-bench/assay/internal/result"
	"github.com/assay-bench/assay/runners/runner"
)

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

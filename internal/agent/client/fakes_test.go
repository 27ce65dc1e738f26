package client

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/agent/clock"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

// fakeAPI holds the ConfigMaps of a trial. The next calls fail while down is set.
type fakeAPI struct {
	mu      sync.Mutex
	trial   map[string]string
	patches []map[string]any
	// gets are the names that were asked for, in their order.
	gets   []string
	down   bool
	refuse error
	// noWatch breaks every Follow.
	noWatch bool
	changed chan struct{}
}

func (f *fakeAPI) Get(_ context.Context, name string) (ConfigMap, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gets = append(f.gets, name)
	if f.down {
		return ConfigMap{}, errors.New("connection refused")
	}
	if name == "t" {
		return f.snapshot(), nil
	}
	return ConfigMap{BinaryData: f.binaryData(name)}, nil
}

// binaryData is what was patched into a result; nil when nothing was.
func (f *fakeAPI) binaryData(name string) map[string][]byte {
	for _, p := range f.patches {
		if values, ok := p["binaryData"].(map[string]any); ok && p["name"] == name {
			out := map[string][]byte{}
			for key, value := range values {
				out[key], _ = base64.StdEncoding.DecodeString(fmt.Sprint(value))
			}
			return out
		}
	}
	return nil
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

// annotated says whether a client has reported ready.
func (f *fakeAPI) annotated() bool { return f.ready() > 0 }

// ready is how many clients have reported ready.
func (f *fakeAPI) ready() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, p := range f.patches {
		if _, ok := p["metadata"]; ok {
			n++
		}
	}
	return n
}

// delivered returns the binary data of the one delivery under a name.
func (f *fakeAPI) delivered(t *testing.T, name string) (encoded, raw []byte) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, p := range f.patches {
		data, ok := p["binaryData"].(map[string]any)
		if !ok || p["name"] != name {
			continue
		}
		n++
		encoded, raw = decodeBase64(t, data[contract.KeyResult]), decodeBase64(t, data[contract.KeyRaw])
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

// fakeServer counts its status up with every look at it.
type fakeServer struct {
	mu     sync.Mutex
	status int
	err    error
	// asked are the questions in their order.
	asked []string
	// statusAt is when the counters were asked for.
	statusAt []time.Time
	// statusErr is the error of the counters alone.
	statusErr error
	// tables are what Tables gives, and defaultsErr the error of NonDefault.
	tables      []contract.Table
	defaultsErr error
	// unchecked says which of the tables have no checksum.
	unchecked string
	// cipher of its sessions.
	cipher string
	// probed is the answer of RoundTrip, and probesErr the error of both probes.
	probed    *contract.Probe
	probesErr error
	// ahead is by how much its clock is ahead of this machine's.
	ahead time.Duration
	// variables beside the usual ones.
	variables map[string]string
}

func newFakeServer() *fakeServer { return &fakeServer{tables: loadedTables()} }

func loadedTables() []contract.Table {
	return []contract.Table{{Name: "sbtest1", Rows: 1000, Checksum: new(int64(4294967295))}, {Name: "sbtest2", Rows: 999}}
}

func (s *fakeServer) note(question string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, question)
}

func (s *fakeServer) Version(context.Context) (string, string, error) {
	s.note("version")
	return "11.8.6-MariaDB", "Debian", s.err
}

func (s *fakeServer) Variables(context.Context) (map[string]string, error) {
	s.note("variables")
	variables := map[string]string{"max_connections": "151", "gtid_binlog_pos": fmt.Sprint(s.status), "port": fmt.Sprint(3306 + s.status)}
	maps.Copy(variables, s.variables)
	return variables, s.err
}

func (s *fakeServer) NonDefault(_ context.Context, version string) (map[string]string, error) {
	s.note("defaults of " + version)
	if s.defaultsErr != nil {
		return nil, s.defaultsErr
	}
	return map[string]string{"port": "3306"}, s.err
}

func (s *fakeServer) Status(context.Context) (map[string]string, error) {
	s.note("status")
	s.statusAt = append(s.statusAt, time.Now())
	s.status++
	status := map[string]string{"Questions": fmt.Sprint(10 * s.status), "Ssl_cipher": ""}
	if s.cipher != "" {
		status[contract.StatusTLSAccepts] = fmt.Sprint(s.status)
	}
	return status, errors.Join(s.err, s.statusErr)
}

func (s *fakeServer) Session(context.Context) (string, string, error) {
	s.note("session")
	if s.cipher == "" {
		return "", "", s.err
	}
	return "TLSv1.3", s.cipher, s.err
}

func (s *fakeServer) RoundTrip(context.Context) (*contract.Probe, error) {
	s.note("round trip")
	return s.probed, s.probesErr
}

func (s *fakeServer) Durability(_ context.Context, table, storageEngine string) (*contract.Durability, error) {
	s.note("durability of " + storageEngine + " in " + table)
	if s.probesErr != nil {
		return nil, s.probesErr
	}
	return aDurability(), nil
}

// Clock is that of this machine, and serverAhead.
func (s *fakeServer) Clock(ctx context.Context, exchanges int) ([]clock.Exchange, error) {
	if s.err != nil {
		return nil, s.err
	}
	return clock.Collect(ctx, exchanges, func(context.Context) (clock.Exchange, error) {
		sent := time.Now()
		told := sent.Add(s.ahead).Round(time.Microsecond)
		return clock.Exchange{Sent: sent, Received: told, Answered: told, Returned: time.Now()}, nil
	})
}

func aDurability() *contract.Durability {
	return &contract.Durability{StorageEngine: "InnoDB", Commits: 50, Seconds: 0.25, Counters: map[string]int64{"innodb_data_fsyncs": 51}}
}

func (s *fakeServer) Tables(context.Context) ([]contract.Table, string, error) {
	s.note("tables")
	return s.tables, s.unchecked, s.err
}

// fakeTarget is the agent of a database pod.
type fakeTarget struct {
	address string

	mu sync.Mutex
	// calls are the requests in their order, with the ID of an operation.
	calls []string
	// refuse is the answer to an operation, if set; drop is how many operations end
	// without an answer, and busy how many are put off.
	refuse     *contract.Refusal
	drop, busy int
	usages     int64
	// ahead is by how much its clock is ahead of this machine's; jitter is how long each
	// answer may be on its way, noClock that it has none.
	ahead, jitter time.Duration
	noClock       bool
	clocks        int
	// window is the answer where one was asked for; ages are what was asked for.
	window *contract.UsageWindow
	ages   []string
	// environmentAt is when the environment was asked for.
	environmentAt []time.Time
}

func newFakeTarget(t *testing.T) *fakeTarget {
	t.Helper()
	f := &fakeTarget{}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	f.address = strings.TrimPrefix(server.URL, "http://")
	return f
}

func (f *fakeTarget) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.Header.Get("Authorization") != "Bearer "+contract.ControlToken("hunter2") {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if r.Method == http.MethodGet && r.URL.Path == contract.PathEnvironment {
		f.calls = append(f.calls, "environment")
		f.environmentAt = append(f.environmentAt, time.Now())
		f.usages++
		var window *contract.UsageWindow
		if query := r.URL.Query(); query.Has("from") {
			f.ages = append(f.ages, query.Get("from"), query.Get("to"))
			window = f.window
		}
		_ = json.NewEncoder(w).Encode(contract.TargetEnvironment{
			Version: contract.EnvironmentVersion, Flavor: "mariadb", Machine: contract.Machine{CPUModel: "A CPU"},
			Limits: contract.Limits{CgroupVersion: 2}, Warnings: []string{"w"}, Storage: &contract.Storage{Filesystem: "ext4"}, Usage: contract.Usage{Throttled: &f.usages},
			Window: window,
		})
		return
	}
	if r.URL.Path == contract.PathClock && f.noClock {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	if r.URL.Path == contract.PathClock {
		f.clocks++
		told := contract.Clock{Received: time.Now().Add(f.ahead)}
		told.Answered = time.Now().Add(f.ahead)
		if f.jitter > 0 {
			time.Sleep(rand.N(f.jitter))
		}
		_ = json.NewEncoder(w).Encode(told)
		return
	}
	if r.Method == http.MethodGet && r.URL.Path == contract.PathSpeed {
		f.calls = append(f.calls, "speed")
		_ = json.NewEncoder(w).Encode(aSpeed())
		return
	}
	var op contract.Operation
	_ = json.NewDecoder(r.Body).Decode(&op)
	f.calls = append(f.calls, r.Method+" "+r.URL.Path+" "+op.ID)
	switch {
	case f.drop > 0:
		f.drop--
		panic(http.ErrAbortHandler)
	case f.busy > 0:
		f.busy--
		w.WriteHeader(http.StatusConflict)
		_ = json.NewEncoder(w).Encode(contract.Refusal{Reason: contract.ReasonBusy, Message: "a snapshot is under way"})
	case f.refuse != nil:
		w.WriteHeader(http.StatusInternalServerError)
		_ = json.NewEncoder(w).Encode(f.refuse)
	default:
		_ = json.NewEncoder(w).Encode(aCopy())
	}
}

func aSpeed() contract.Speed {
	return contract.Speed{Integer: &contract.Kernel{N: 24, MeanSeconds: 0.001, CPUSeconds: 0.0009, MinSeconds: 0.0008, P50Seconds: 0.0009}, Seconds: 0.04}
}

func aCopy() contract.Copy {
	return contract.Copy{Bytes: 1 << 30, Files: 12, Reflink: true, Seconds: 0.5, StoppedSeconds: 2}
}

// testRunner runs the test binary as its tool.
func testRunner(name string) (runner.Runner, bool) {
	return runner.Runner{
		Name: "fake",
		Command: func(t contract.Trial, p contract.Phase, c runner.Credentials) (runner.Command, error) {
			args := []string{string(p), "--leak=" + c.Password}
			if t.Clients > 1 {
				args = append(args, fmt.Sprintf("--part=%d/%d", t.Ref.Client, t.Clients))
			}
			return runner.Command{Path: os.Args[0], Args: args,
				Files: map[string][]byte{"secret.cfg": []byte("top")}, Seed: t.Seed * int64(len(p)), Unseeded: t.Seed == 0 && t.WarmupSeconds > 0}, nil
		},
		Parse: func(_ contract.Trial, p contract.Phase, o runner.Output) runner.Report {
			r := runner.Report{ToolVersion: "1.2", Measurements: []contract.Measurement{{
				Name: contract.NameThroughput, Unit: "tx/s", Value: new(float64(len(p))),
				Intervals: []contract.Interval{{AtSeconds: 1, Value: new(2.0)}},
			}}}
			if o.ExitCode != 0 {
				line, _, _ := strings.Cut(string(o.Stdout), "\n")
				r.Failure = &contract.Failure{Reason: contract.ReasonToolFailed, Message: line}
			}
			return r
		},
	}, name == "fake"
}

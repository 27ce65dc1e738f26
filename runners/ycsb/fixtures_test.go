package ycsb

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/result"
	"github.com/assay-bench/assay/runners/runner"
)

// fixture is a real output of YCSB 0.17.0 with its own JDBC binding or (own) with ours, or one
// that was made from such. The names begin with the server.
type fixture struct {
	phase  runner.Phase
	change func(*Params)
	// of is what differs in the trial; nil for nothing.
	of func(*runner.Trial)
	// want is the reason of the failure; empty for a success.
	want result.Reason
	exit int
}

func batched(p *Params) { p.BatchSize, p.BatchUpdateAPI = 5000, true }

// own is a run of our binding, with 4 threads on 500 rows.
func own(phase runner.Phase, changes ...func(*Params)) fixture {
	return fixture{phase: phase, change: func(p *Params) {
		p.RecordCount, p.Threads, p.OperationCount = 500, 4, 0
		for _, change := range changes {
			change(p)
		}
	}}
}

func letter(workload string) func(*Params) { return func(p *Params) { p.Workload = workload } }

func batchesOf(rows int32) func(*Params) {
	return func(p *Params) { p.BatchSize, p.BatchUpdateAPI = rows, true }
}

func (f fixture) fails(want result.Reason, exit int) fixture {
	f.want, f.exit = want, exit
	return f
}

func (f fixture) in(of func(*runner.Trial)) fixture {
	f.of = of
	return f
}

func encrypted(t *runner.Trial) { t.Endpoint.TLS = runner.TLSRequired }

// seconds that the run was to take.
func (f fixture) seconds(n int64) fixture {
	before := f.of
	return f.in(func(t *runner.Trial) {
		t.DurationSeconds = n
		if before != nil {
			before(t)
		}
	})
}

// warm says that the process was told when its window begins, so many seconds after it could.
func (f fixture) warm(n int64) fixture {
	before := f.of
	return f.in(func(t *runner.Trial) {
		before(t)
		t.WarmupSeconds, t.Begin = n, time.UnixMilli(1)
		if n == 0 {
			t.Clients = 2
		}
	})
}

func second(t *runner.Trial) { t.Clients, t.Ref.Client = 2, 1 }

// The servers of the samples were those of one machine, and 20 threads did 10,000
// operations on 10,000 rows in each.
var fixtures = map[string]fixture{
	"maria118-load-text":               {phase: runner.Prepare, change: batched},
	"maria118-load-batch-rewrite-text": {phase: runner.Prepare, change: batched},
	"mysql97-load-batch-text":          {phase: runner.Prepare, change: batched},
	"mysql97-load-batch-rewrite-text":  {phase: runner.Prepare, change: batched},
	// The property was "true " with a blank: the batch that was asked for was not done.
	"mysql97-load-trailing-space-text": {phase: runner.Prepare, change: batched, want: result.ReasonToolFailed},

	"maria118-run-text":                {phase: runner.Run},
	"maria118-run-hdr-text":            {phase: runner.Run},
	"maria118-run-hdr-jsonarray":       {phase: runner.Run},
	"maria118-run-hdr-intended-target": {phase: runner.Run, change: func(p *Params) { p.Target = 1000 }},
	"mysql97-run-text":                 {phase: runner.Run},
	"mysql97-run-hdr-text":             {phase: runner.Run},
	"mysql97-run-hdr-jsonarray":        {phase: runner.Run},
	"mysql97-run-hdr-jsonlines":        {phase: runner.Run},

	"own-mysql97-load-batch":    own(runner.Prepare, batchesOf(100)),
	"own-myrocks-load-batch":    own(runner.Prepare, batchesOf(100)),
	"own-maria1011-load-second": own(runner.Prepare).in(second),
	"own-mysql97-run":           own(runner.Run).seconds(6),
	"own-mysql97-run-tls":       own(runner.Run).in(encrypted).seconds(3),
	"own-mysql97-run-counted":   own(runner.Run, func(p *Params) { p.OperationCount = 300 }),
	"own-maria1011-run-target":  own(runner.Run, func(p *Params) { p.Target = 50 }).seconds(5),
	"own-maria1011-run-inserts": own(runner.Run, letter("d")).seconds(4),
	"own-maria1011-run-scans":   own(runner.Run, letter("e")).seconds(4),
	"own-maria1011-run-rmw":     own(runner.Run, letter("f")).seconds(4),
	// The window begins within the process: after a warm-up, or as soon as all may.
	"own-maria1011-warm":        own(runner.Run).seconds(5).warm(3),
	"own-maria1011-warm-target": own(runner.Run, func(p *Params) { p.Target = 200 }).seconds(5).warm(3),
	"own-maria1011-warm-rmw":    own(runner.Run, letter("f")).seconds(5).warm(3),
	// Two clients of one trial; the process of the second was started half a second later.
	"own-maria1011-two-0":        own(runner.Run).seconds(5).warm(3),
	"own-maria1011-two-1":        own(runner.Run).seconds(5).warm(3),
	"own-maria1011-held-counted": own(runner.Run, func(p *Params) { p.OperationCount = 20000 }).seconds(5).warm(0),

	"own-mysql97-cleanup":      own(runner.Cleanup),
	"fail-own-table-exists":    own(runner.Prepare).fails(result.ReasonSchemaNotEmpty, 1),
	"fail-own-insert-existing": own(runner.Prepare).in(second).fails(result.ReasonSchemaNotEmpty, 0),
	"fail-own-batch-existing":  own(runner.Prepare, batchesOf(100)).in(second).fails(result.ReasonSchemaNotEmpty, 1),
	"fail-own-batch-full":      own(runner.Prepare, batchesOf(40)).in(second).fails(result.ReasonSchemaNotEmpty, 1),
	"fail-own-password":        own(runner.Run).fails(result.ReasonCredentialsRejected, 1),
	"fail-own-no-table":        own(runner.Run).fails(result.ReasonSchemaMissing, 0),
	"fail-own-tls-ca":          own(runner.Run).in(encrypted).fails(result.ReasonTLSFailed, 1),
	"fail-own-tls-ca-maria":    own(runner.Run).in(encrypted).fails(result.ReasonTLSFailed, 1),
	"fail-own-tls-none":        own(runner.Run).in(encrypted).fails(result.ReasonTLSFailed, 1),
	"fail-own-killed":          own(runner.Run).fails(result.ReasonTargetLost, 0),

	"fail-mysql97-conn-refused":   {phase: runner.Prepare, change: batched, want: result.ReasonTargetUnreachable},
	"fail-mysql97-wrong-password": {phase: runner.Run, want: result.ReasonCredentialsRejected},
	"fail-maria118-table-missing": {phase: runner.Run, want: result.ReasonSchemaMissing},
	"fail-mysql97-load-twice":     {phase: runner.Prepare, want: result.ReasonSchemaNotEmpty},
	"fail-mysql97-killed-midrun":  {phase: runner.Run, change: func(p *Params) { p.OperationCount = 60000 }, want: result.ReasonTargetLost},
	"fail-seed-yahoo-classname":   {phase: runner.Run, want: result.ReasonToolFailed},
	"fail-hdr-jaxb-text":          {phase: runner.Run, want: result.ReasonToolFailed, exit: 1},
	"fail-hdr-jaxb-json":          {phase: runner.Run, want: result.ReasonToolFailed, exit: 1},
}

func (f fixture) params() Params {
	p := Params{
		Workload: "a", RecordCount: 10000, OperationCount: 10000, Threads: 20, Driver: driverMySQL, Columns: "Varchar",
		FieldCount: 10, FieldLength: 100, StatusIntervalSeconds: 1,
	}
	if f.change != nil {
		f.change(&p)
	}
	return p
}

func (f fixture) trial(t testing.TB) runner.Trial {
	t.Helper()
	workload, err := json.Marshal(f.params())
	if err != nil {
		t.Fatal(err)
	}
	trial := runner.Trial{
		Version: runner.TrialVersion, Runner: "ycsb", Workload: workload, Clients: 1, DurationSeconds: 60,
		Endpoint: runner.Endpoint{Host: "db.example.com", Port: 3306, Database: "ycsb", TLS: runner.TLSDisabled},
	}
	if f.of != nil {
		f.of(&trial)
	}
	return trial
}

// output puts the files of a fixture together; what there is none of was empty.
func (f fixture) output(t testing.TB, name string) runner.Output {
	t.Helper()
	o := runner.Output{Stdout: optional(t, name+".stdout"), Stderr: optional(t, name+".stderr"), ExitCode: f.exit, Files: map[string][]byte{}}
	if o.Stderr == nil {
		o.Stderr = gunzip(t, optional(t, name+".stderr.gz"))
	}
	if export := optional(t, name+".json"); export != nil {
		o.Files["report.json"] = export
	}
	logs, err := filepath.Glob(filepath.Join("testdata", "hdr", name, "*.hdr"))
	if err != nil {
		t.Fatal(err)
	}
	for _, log := range logs {
		o.Files[filepath.Base(log)] = load(t, strings.TrimPrefix(log, "testdata"+string(filepath.Separator)))
	}
	return o
}

func load(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func optional(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return data
}

func gunzip(t testing.TB, data []byte) []byte {
	t.Helper()
	if data == nil {
		return nil
	}
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// render writes a report with one line for each measurement, so that a golden file shows
// what changed. Of a histogram it has the digest.
func render(t testing.TB, r runner.Report) []byte {
	t.Helper()
	var out bytes.Buffer
	line := func(what string, v any) {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString(what + " " + string(text) + "\n")
	}
	line("version", r.ToolVersion)
	line("failure", r.Failure)
	for _, e := range r.Errors {
		line("error", e)
	}
	for _, p := range r.Problems {
		line("problem", p)
	}
	for _, m := range r.Measurements {
		h := m.Histogram
		m.Histogram = nil
		line("measurement", m)
		if h != nil {
			text, err := json.Marshal(h)
			if err != nil {
				t.Fatal(err)
			}
			line("  its histogram", fmt.Sprintf("%d operations in %d buckets, SHA-256 %x", h.N(), len(h.Buckets), sha256.Sum256(text)))
		}
	}
	return out.Bytes()
}

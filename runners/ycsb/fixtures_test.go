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

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// fixture is a real output of YCSB 0.17.0 with its own JDBC binding or (own) with ours, or one
// that was made from such. The names begin with the server.
type fixture struct {
	phase  contract.Phase
	change func(*Params)
	// of is what differs in the trial; nil for nothing.
	of func(*contract.Trial)
	// want is the reason of the failure; empty for a success.
	want contract.Reason
	exit int
}

func batched(p *Params) { p.BatchSize, p.BatchUpdateAPI = 5000, true }

// own is a run of our binding, with 4 threads on 500 rows.
func own(phase contract.Phase, changes ...func(*Params)) fixture {
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

func (f fixture) fails(want contract.Reason, exit int) fixture {
	f.want, f.exit = want, exit
	return f
}

func (f fixture) in(of func(*contract.Trial)) fixture {
	f.of = of
	return f
}

func encrypted(t *contract.Trial) { t.Endpoint.TLS = contract.TLSRequired }

// seconds that the run was to take.
func (f fixture) seconds(n int64) fixture {
	before := f.of
	return f.in(func(t *contract.Trial) {
		t.DurationSeconds = n
		if before != nil {
			before(t)
		}
	})
}

// warm says that the process was told when its window begins, so many seconds after it could.
func (f fixture) warm(n int64) fixture {
	before := f.of
	return f.in(func(t *contract.Trial) {
		before(t)
		t.WarmupSeconds, t.Begin = n, time.UnixMilli(1)
		if n == 0 {
			t.Clients = 2
		}
	})
}

func second(t *contract.Trial) { t.Clients, t.Ref.Client = 2, 1 }

// The servers of the samples were those of one machine, and 20 threads did 10,000
// operations on 10,000 rows in each.
var fixtures = map[string]fixture{
	"maria118-load-text":               {phase: contract.PhasePrepare, change: batched},
	"maria118-load-batch-rewrite-text": {phase: contract.PhasePrepare, change: batched},
	"mysql97-load-batch-text":          {phase: contract.PhasePrepare, change: batched},
	"mysql97-load-batch-rewrite-text":  {phase: contract.PhasePrepare, change: batched},
	// The property was "true " with a blank: the batch that was asked for was not done.
	"mysql97-load-trailing-space-text": {phase: contract.PhasePrepare, change: batched, want: contract.ReasonToolFailed},

	"maria118-run-text":                {phase: contract.PhaseRun},
	"maria118-run-hdr-text":            {phase: contract.PhaseRun},
	"maria118-run-hdr-jsonarray":       {phase: contract.PhaseRun},
	"maria118-run-hdr-intended-target": {phase: contract.PhaseRun, change: func(p *Params) { p.Target = 1000 }},
	"mysql97-run-text":                 {phase: contract.PhaseRun},
	"mysql97-run-hdr-text":             {phase: contract.PhaseRun},
	"mysql97-run-hdr-jsonarray":        {phase: contract.PhaseRun},
	"mysql97-run-hdr-jsonlines":        {phase: contract.PhaseRun},

	"own-mysql97-load-batch":    own(contract.PhasePrepare, batchesOf(100)),
	"own-myrocks-load-batch":    own(contract.PhasePrepare, batchesOf(100)),
	"own-maria1011-load-second": own(contract.PhasePrepare).in(second),
	"own-mysql97-run":           own(contract.PhaseRun).seconds(6),
	"own-mysql97-run-tls":       own(contract.PhaseRun).in(encrypted).seconds(3),
	"own-mysql97-run-counted":   own(contract.PhaseRun, func(p *Params) { p.OperationCount = 300 }),
	"own-maria1011-run-target":  own(contract.PhaseRun, func(p *Params) { p.Target = 50 }).seconds(5),
	"own-maria1011-run-inserts": own(contract.PhaseRun, letter("d")).seconds(4),
	"own-maria1011-run-scans":   own(contract.PhaseRun, letter("e")).seconds(4),
	"own-maria1011-run-rmw":     own(contract.PhaseRun, letter("f")).seconds(4),
	// The window begins within the process: after a warm-up, or as soon as all may.
	"own-maria1011-warm":        own(contract.PhaseRun).seconds(5).warm(3),
	"own-maria1011-warm-target": own(contract.PhaseRun, func(p *Params) { p.Target = 200 }).seconds(5).warm(3),
	"own-maria1011-warm-rmw":    own(contract.PhaseRun, letter("f")).seconds(5).warm(3),
	// Two clients of one trial; the process of the second was started half a second later.
	"own-maria1011-two-0":        own(contract.PhaseRun).seconds(5).warm(3),
	"own-maria1011-two-1":        own(contract.PhaseRun).seconds(5).warm(3),
	"own-maria1011-held-counted": own(contract.PhaseRun, func(p *Params) { p.OperationCount = 20000 }).seconds(5).warm(0),

	"own-mysql97-cleanup":      own(contract.PhaseCleanup),
	"fail-own-table-exists":    own(contract.PhasePrepare).fails(contract.ReasonSchemaNotEmpty, 1),
	"fail-own-insert-existing": own(contract.PhasePrepare).in(second).fails(contract.ReasonSchemaNotEmpty, 0),
	"fail-own-batch-existing":  own(contract.PhasePrepare, batchesOf(100)).in(second).fails(contract.ReasonSchemaNotEmpty, 1),
	"fail-own-batch-full":      own(contract.PhasePrepare, batchesOf(40)).in(second).fails(contract.ReasonSchemaNotEmpty, 1),
	"fail-own-password":        own(contract.PhaseRun).fails(contract.ReasonCredentialsRejected, 1),
	"fail-own-no-table":        own(contract.PhaseRun).fails(contract.ReasonSchemaMissing, 0),
	"fail-own-tls-ca":          own(contract.PhaseRun).in(encrypted).fails(contract.ReasonTLSFailed, 1),
	"fail-own-tls-ca-maria":    own(contract.PhaseRun).in(encrypted).fails(contract.ReasonTLSFailed, 1),
	"fail-own-tls-none":        own(contract.PhaseRun).in(encrypted).fails(contract.ReasonTLSFailed, 1),
	"fail-own-killed":          own(contract.PhaseRun).fails(contract.ReasonConnectionLost, 0),

	"fail-mysql97-conn-refused":   {phase: contract.PhasePrepare, change: batched, want: contract.ReasonTargetUnreachable},
	"fail-mysql97-wrong-password": {phase: contract.PhaseRun, want: contract.ReasonCredentialsRejected},
	"fail-maria118-table-missing": {phase: contract.PhaseRun, want: contract.ReasonSchemaMissing},
	"fail-mysql97-load-twice":     {phase: contract.PhasePrepare, want: contract.ReasonSchemaNotEmpty},
	"fail-mysql97-killed-midrun":  {phase: contract.PhaseRun, change: func(p *Params) { p.OperationCount = 60000 }, want: contract.ReasonConnectionLost},
	"fail-seed-yahoo-classname":   {phase: contract.PhaseRun, want: contract.ReasonToolFailed},
	"fail-hdr-jaxb-text":          {phase: contract.PhaseRun, want: contract.ReasonToolFailed, exit: 1},
	"fail-hdr-jaxb-json":          {phase: contract.PhaseRun, want: contract.ReasonToolFailed, exit: 1},
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

func (f fixture) trial(t testing.TB) contract.Trial {
	t.Helper()
	workload, err := json.Marshal(f.params())
	if err != nil {
		t.Fatal(err)
	}
	trial := contract.Trial{
		Version: contract.TrialVersion, Runner: "ycsb", Workload: workload, Clients: 1, DurationSeconds: 60,
		Endpoint: contract.Endpoint{Host: "db.example.com", Port: 3306, Database: "ycsb", TLS: contract.TLSDisabled},
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
	if o.Stdout == nil {
		o.Stdout = gunzip(t, optional(t, name+".stdout.gz"))
	}
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

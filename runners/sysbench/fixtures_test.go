package sysbench

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/apischema"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// fixture is one output in testdata, how the process ended, and the trial behind it.
type fixture struct {
	phase  contract.Phase
	params Params
	// client of clients that load together; zeros for one alone.
	client, clients int
	// seconds that were asked for.
	seconds int64
	// requireTLS makes the trial one with TLS.
	requireTLS bool
	exit       int
	signal     string
	// want is the reason of the failure; empty for a success.
	want contract.Reason
	// sound: a whole run of which every check says that it can be true.
	sound bool
}

// measured is what most of the real samples ran with.
func measured(test string, skipTrx bool) fixture {
	return fixture{
		phase: contract.PhaseRun, seconds: 10, sound: true,
		params: Params{
			Test: test, Threads: 4, Tables: 2, TableSize: 10000, ReportIntervalSeconds: 1,
			Percentile: 95, Histogram: new(true), SkipTrx: skipTrx,
		},
	}
}

// quiet is a run of some seconds with no intervals and no histogram.
func quiet(test string, seconds int64, threads int32) fixture {
	return fixture{
		phase: contract.PhaseRun, seconds: seconds, sound: true,
		params: Params{
			Test: test, Threads: threads, Tables: 2, TableSize: 1000, Percentile: 95,
			ReportIntervalSeconds: 3600, Histogram: new(false),
		},
	}
}

// offered is a run of 10 s at a rate; 0 for a closed loop.
func offered(rate int32) fixture {
	return measured(TestReadWrite, false).with(func(f *fixture) { f.params.Rate = rate })
}

// loaded is the part that a client loads of tables with 2000 rows.
func loaded(tables int32, client, clients int) fixture {
	f := quiet(TestReadWrite, 3, 2)
	f.phase, f.sound, f.client, f.clients = contract.PhasePrepare, false, client, clients
	f.params.Tables, f.params.TableSize = tables, 2000
	return f
}

func broken(phase contract.Phase, exit int, want contract.Reason) fixture {
	f := quiet(TestReadOnly, 3, 2)
	f.phase, f.exit, f.want, f.sound = phase, exit, want, false
	return f
}

func (f fixture) with(change func(*fixture)) fixture {
	change(&f)
	return f
}

// ran is a run of 3 s on one table.
func ran(test string) fixture {
	return measured(test, false).with(func(f *fixture) {
		f.params.Threads, f.params.Tables, f.params.TableSize, f.seconds = 2, 1, 2000, 3
	})
}

// ofScript is a run of 3 s of a script of the user; f.phase may be another.
func ofScript(phase contract.Phase) fixture {
	return ran("").with(func(f *fixture) {
		f.phase, f.sound = phase, phase == contract.PhaseRun
		f.params.TableSize = 10000
		f.params.Script = &v1alpha1.SysbenchScript{ConfigMap: v1alpha1.ConfigMapFiles{Name: "mine"}, File: "mine.lua", Phases: []string{"Prepare", "Cleanup"}}
	})
}

// sleeping is a run of 60 s of a script, see TestSteadinessOfRealRuns.
var sleeping = ofScript(contract.PhaseRun).with(func(f *fixture) { f.params.Threads, f.seconds = 4, 60 })

// fails is a fixture that ends with the code, and fails for the reason.
func (f fixture) fails(exit int, want contract.Reason) fixture {
	f.exit, f.want, f.sound = exit, want, false
	return f
}

func (f fixture) in(phase contract.Phase) fixture {
	f.phase, f.sound = phase, false
	return f
}

func unsound(f *fixture)   { f.sound = false }
func overTLS(f *fixture)   { f.requireTLS = true }
func intervals(f *fixture) { f.params.ReportIntervalSeconds = 1 }

var fixtures = map[string]fixture{
	"run-read-write-mysql97":           measured(TestReadWrite, false),
	"run-read-write-maria1011":         measured(TestReadWrite, false),
	"run-read-write-maria118":          measured(TestReadWrite, false),
	"run-read-write-myrocks":           measured(TestReadWrite, false),
	"run-read-only-myrocks":            measured(TestReadOnly, false),
	"run-read-only-skip-trx-maria1011": measured(TestReadOnly, true),
	"run-read-only-skip-trx-maria118":  measured(TestReadOnly, true),
	"run-read-only-skip-trx-mysql97":   measured(TestReadOnly, true),
	"run-write-only-maria1011":         measured(TestWriteOnly, false),
	"run-write-only-maria118":          measured(TestWriteOnly, false),
	"run-write-only-mysql97":           measured(TestWriteOnly, false),
	"run-write-only-myrocks":           measured(TestWriteOnly, false),
	"run-read-write-ignored-errors":    quiet(TestReadWrite, 8, 4),
	"run-read-write-snapshot-off":      quiet(TestReadWrite, 8, 4),
	"run-read-only-trixie":             quiet(TestReadOnly, 3, 2),
	"run-tls-trixie":                   quiet(TestReadOnly, 3, 2).with(overTLS),
	"run-tls-bookworm":                 quiet(TestReadOnly, 3, 2).with(overTLS),
	"run-read-only-quiet":              quiet(TestReadOnly, 2, 2).with(func(f *fixture) { f.params.Percentile = 99 }),
	"run-point-select-p100": measured(TestPointSelect, false).with(func(f *fixture) {
		f.params.Percentile, f.params.Threads, f.seconds = 100, 2, 2
	}),
	"run-rate-limited": quiet(TestReadOnly, 5, 2).with(intervals).with(func(f *fixture) { f.params.Rate = 50 }),
	"run-events-limit": quiet(TestReadOnly, 1, 2).with(func(f *fixture) { f.params.Events = 500 }),
	// MariaDB 10.11 and the command lines of this adapter.
	"run-open-loop":        offered(200),
	"run-open-loop-behind": offered(5000).with(func(f *fixture) { f.params.Threads = 2 }),
	"run-events":           offered(0).with(func(f *fixture) { f.params.Events, f.seconds = 2000, 60 }),
	"run-events-open-loop": offered(200).with(func(f *fixture) { f.params.Events, f.seconds = 500, 60 }),
	"fail-event-queue-full": offered(1000000).with(func(f *fixture) {
		f.params.Threads, f.seconds, f.exit, f.want, f.sound = 1, 20, 1, contract.ReasonTargetOverloaded, false
	}),
	"fail-too-few-events": offered(0).with(func(f *fixture) {
		f.params.Threads, f.params.Events, f.seconds, f.want, f.sound = 2, 100000, 3, contract.ReasonOperationsUnfinished, false
	}),
	"prepare-own-script":    offered(0).with(func(f *fixture) { f.phase, f.sound = contract.PhasePrepare, false }),
	"prepare-part":          loaded(5, 1, 3),
	"fail-own-script-twice": broken(contract.PhasePrepare, 0, contract.ReasonSchemaNotEmpty),

	"prepare-mysql97":  measured(TestReadWrite, false).with(func(f *fixture) { f.phase, f.sound = contract.PhasePrepare, false }),
	"prepare-maria118": measured(TestReadWrite, false).with(func(f *fixture) { f.phase, f.sound = contract.PhasePrepare, false }),
	"prepare-myrocks":  measured(TestReadWrite, false).with(func(f *fixture) { f.phase, f.sound = contract.PhasePrepare, false }),
	"prepare-threads2-maria1011": quiet(TestReadWrite, 3, 2).with(func(f *fixture) {
		f.phase, f.sound, f.params.TableSize = contract.PhasePrepare, false, 100
	}),
	"cleanup-mysql97": broken(contract.PhaseCleanup, 0, ""),

	"fail-conn-refused":              broken(contract.PhaseRun, 1, contract.ReasonTargetUnreachable),
	"fail-wrong-password":            broken(contract.PhaseRun, 1, contract.ReasonCredentialsRejected),
	"fail-trixie-access-denied":      broken(contract.PhaseRun, 1, contract.ReasonCredentialsRejected),
	"fail-require-ssl-without-tls":   broken(contract.PhaseRun, 1, contract.ReasonCredentialsRejected),
	"fail-tls-on-server-without-tls": broken(contract.PhasePrepare, 0, contract.ReasonCredentialsRejected).with(overTLS),
	"fail-prepare-access-denied":     broken(contract.PhasePrepare, 0, contract.ReasonCredentialsRejected),
	"fail-cleanup-access-denied":     broken(contract.PhaseCleanup, 1, contract.ReasonCredentialsRejected),
	"fail-tls-on-no-pem":             broken(contract.PhaseRun, 1, contract.ReasonTLSFailed).with(overTLS),
	"fail-tls-on-no-pem-prepare":     broken(contract.PhasePrepare, 0, contract.ReasonTLSFailed).with(overTLS),
	"fail-tls-wrong-ca":              broken(contract.PhaseRun, 1, contract.ReasonTLSFailed).with(overTLS),
	"fail-unknown-db":                broken(contract.PhaseRun, 1, contract.ReasonSchemaMissing),
	"fail-table-missing":             broken(contract.PhaseRun, 1, contract.ReasonSchemaMissing),
	"fail-prepare-twice":             broken(contract.PhasePrepare, 0, contract.ReasonSchemaNotEmpty),
	"fail-prepare-unknown-engine":    broken(contract.PhasePrepare, 0, contract.ReasonToolFailed),
	"fail-killed-midrun":             broken(contract.PhaseRun, 1, contract.ReasonConnectionLost).with(intervals),
	"fail-shutdown-midrun":           broken(contract.PhaseRun, 1, contract.ReasonConnectionLost).with(intervals),
	"fail-not-ignoring-errors":       broken(contract.PhaseRun, 1, contract.ReasonToolFailed).with(intervals),
	"fail-skip-trx-duplicate-key":    broken(contract.PhaseRun, 1, contract.ReasonToolFailed).with(intervals),
	"fail-too-many-connections":      broken(contract.PhaseRun, 1, contract.ReasonLimitTooLow),
	"fail-unknown-option":            broken(contract.PhaseRun, 1, contract.ReasonToolFailed),
	"fail-sigint-midrun":             broken(contract.PhaseRun, -1, contract.ReasonToolFailed).with(func(f *fixture) { f.signal = "SIGINT" }),
	"fail-sigterm-midrun":            broken(contract.PhaseRun, -1, contract.ReasonToolFailed).with(func(f *fixture) { f.signal = "SIGTERM" }),
	"fail-sigkill":                   broken(contract.PhaseRun, 137, contract.ReasonToolFailed),

	// The other bundled tests, and a script of the user with a module.
	"run-insert":               ran(TestInsert),
	"run-delete":               ran(TestDelete).with(func(f *fixture) { f.params.TableSize, f.params.RandType = 1_000_000, "uniform" }),
	"run-update-index":         ran(TestUpdateIndex),
	"run-update-non-index":     ran(TestUpdateNonIndex),
	"run-select-random-points": ran(TestRandomPoints),
	"run-select-random-ranges": ran(TestRandomRanges),
	"run-read-write-options": ran(TestReadWrite).with(func(f *fixture) {
		f.params.Options = map[string]string{"point-selects": "3", "range-selects": "off", "delete-inserts": "2"}
	}),
	"prepare-bulk-insert":            ran(TestBulkInsert).in(contract.PhasePrepare),
	"run-bulk-insert":                ran(TestBulkInsert),
	"cleanup-bulk-insert":            ran(TestBulkInsert).in(contract.PhaseCleanup),
	"fail-bulk-insert-exists":        ran(TestBulkInsert).in(contract.PhasePrepare).fails(1, contract.ReasonSchemaNotEmpty),
	"fail-bulk-insert-twice":         ran(TestBulkInsert).fails(1, contract.ReasonToolFailed), // without the adapter's script
	"prepare-script":                 ofScript(contract.PhasePrepare),
	"run-script":                     ofScript(contract.PhaseRun),
	"run-sleep-steady":               sleeping,
	"run-sleep-step":                 sleeping,
	"run-sleep-warms":                sleeping,
	"cleanup-script":                 ofScript(contract.PhaseCleanup),
	"fail-script-syntax":             ofScript(contract.PhaseRun).fails(1, contract.ReasonToolFailed),
	"fail-script-without-statements": ofScript(contract.PhaseRun).fails(0, contract.ReasonOutputTruncated),

	// dry- were among the sound ones. Their tables were loaded once, with 2000 rows, and the
	// tests followed each other: dry-delete deletes about 1000 rows in its first second, all
	// that the keys of the distribution special reach, and then what is gone; its tail leaves
	// the updates 6 and 31 rows to find. Repeated with the same options on MariaDB 10.11: 1063
	// of 191,720 deletes, 27 of 205,661 and 87 of 213,877 updates changed a row. The run- ones
	// were loaded for each test, and their keys reach what they need.
	"dry-delete":           ran(TestDelete).with(unsound),
	"dry-update-index":     ran(TestUpdateIndex).with(unsound),
	"dry-update-non-index": ran(TestUpdateNonIndex).with(unsound),
	"dry-delete-midway": ran(TestDelete).with(unsound).with(func(f *fixture) {
		f.seconds, f.params.TableSize, f.params.RandType = 8, 45_000, "uniform"
	}),

	// A window that repeats the random numbers of its warm-up (both --rand-seed=42, 6 s each,
	// on MariaDB 10.11): the first values that it writes are there already.
	"replayed-update-non-index": ran(TestUpdateNonIndex).with(unsound).with(func(f *fixture) {
		f.seconds, f.params.TableSize, f.params.RandType = 6, 300_000, "uniform"
	}),

	// Of a machine where MariaDB did not sync its log: too fast, and whole all the same.
	"run-no-fsync-read-write-maria1011": measured(TestReadWrite, false),
	"run-no-fsync-read-write-maria118":  measured(TestReadWrite, false),
	"run-no-fsync-write-only-maria1011": measured(TestWriteOnly, false),
	"run-no-fsync-write-only-maria118":  measured(TestWriteOnly, false),
	"prepare-maria1011":                 measured(TestReadWrite, false).in(contract.PhasePrepare),
	"prepare-mysql97-no-tls":            quiet(TestReadOnly, 3, 2).in(contract.PhasePrepare),

	"fail-mysql56-read-only":  ran(TestReadOnly).fails(1, contract.ReasonCredentialsRejected),
	"fail-mysql56-read-write": ran(TestReadWrite).fails(1, contract.ReasonCredentialsRejected),
	"fail-mysql56-write-only": ran(TestWriteOnly).fails(1, contract.ReasonCredentialsRejected),
	"fail-trixie-tls-on":      broken(contract.PhaseRun, 1, contract.ReasonTLSFailed).with(overTLS),
	// A table lock, --forced-shutdown=1 and --time=2.
	"fail-forced-shutdown": ran(TestPointSelect).fails(2, contract.ReasonOperationsUnfinished),
	// Threads that had slept for 30 s before they were ready.
	"fail-thread-init": ofScript(contract.PhaseRun).fails(2, contract.ReasonToolFailed),
	// --mysql-ignore-errors=...,2013,2006, and a connection that was killed.
	"fail-sigsegv":                      ran(TestReadOnly).fails(139, contract.ReasonToolFailed),
	"fail-zipfian":                      ran(TestPointSelect).fails(1, contract.ReasonToolFailed),
	"fail-too-many-prepared-statements": ran(TestReadWrite).fails(1, contract.ReasonLimitTooLow),

	// Made by hand from the real ones; the first two show how threads print.
	"made-prepare-glued":       measured(TestReadWrite, false).with(func(f *fixture) { f.phase, f.sound = contract.PhasePrepare, false }),
	"made-prepare-glued-fatal": broken(contract.PhasePrepare, 0, contract.ReasonSchemaNotEmpty),
	"made-cut-in-histogram":    measured(TestReadWrite, false).with(func(f *fixture) { f.sound, f.want = false, contract.ReasonOutputTruncated }),
	"made-prepare-cut": measured(TestReadWrite, false).with(func(f *fixture) {
		f.phase, f.sound, f.want = contract.PhasePrepare, false, contract.ReasonOutputTruncated
	}),
	"made-reconnects":        ran(TestRandomPoints).with(unsound),
	"made-version-1.1-whole": measured(TestReadWrite, false),
	"made-garbage":           broken(contract.PhaseRun, 0, contract.ReasonOutputTruncated),
	"made-garbage-between":   broken(contract.PhaseRun, 0, contract.ReasonToolFailed),
	"made-nan-intervals":     quiet(TestReadOnly, 5, 2).with(unsound).with(intervals),
	"made-version-1.1":       quiet(TestReadOnly, 3, 2),
	"made-zero-transactions": quiet(TestReadOnly, 3, 2).with(unsound),
}

func (f fixture) trial(t testing.TB) contract.Trial {
	t.Helper()
	workload, err := json.Marshal(f.params)
	if err != nil {
		t.Fatal(err)
	}
	if workload, err = inSpec(workload); err != nil {
		t.Fatal(err)
	}
	tls := contract.TLSDisabled
	if f.requireTLS {
		tls = contract.TLSRequired
	}
	return contract.Trial{
		Version: contract.TrialVersion, Runner: Name, Workload: workload, DurationSeconds: f.seconds, WarmupSeconds: 2,
		Ref: contract.TrialRef{Client: f.client}, Clients: f.clients,
		Endpoint: contract.Endpoint{Host: "innodb.bench.svc", Port: 3306, Database: "sbtest", TLS: tls},
	}
}

// inSpec is what the API server and the manager make of a workload before an adapter sees
// it, or why they refuse it.
func inSpec(workload json.RawMessage) (json.RawMessage, error) {
	tool, err := apischema.ForTool(Name)
	if err != nil {
		return nil, err
	}
	return tool.Complete(workload)
}

// decodeSpec reads a workload on the way that one of a spec takes.
func decodeSpec(workload json.RawMessage) (Params, error) {
	completed, err := inSpec(workload)
	if err != nil {
		return Params{}, err
	}
	return decodeParams(completed)
}

func (f fixture) output(t testing.TB, name string) runner.Output {
	t.Helper()
	return runner.Output{
		Stdout: load(t, name+".stdout"), Stderr: load(t, name+".stderr"), ExitCode: f.exit, Signal: f.signal,
	}
}

// load reads a file of testdata; one that is not there was empty.
func load(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return data
}

package client

import (
	"context"
	"maps"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/assay-bench/assay/internal/ground/contract"
)

var resetTimes = cmpopts.IgnoreFields(contract.ResetReport{}, "Started", "Ended", "VerifySeconds")

// newResetRig is a trial before which the data is put back.
func newResetRig(t *testing.T, tool, method string, target *fakeTarget) *rig {
	r := newRig(t, tool, contract.PhaseRun, func(trial *contract.Trial) {
		trial.Reset = &contract.Reset{Method: method, Tables: loadedTables()}
		if target != nil {
			trial.Agent = target.address
		}
	})
	r.api.trial[contract.KeyStart] = time.Now().UTC().Format(time.RFC3339Nano)
	return r
}

func TestResetBySnapshot(t *testing.T) {
	target := newFakeTarget(t)
	target.drop, target.busy = 1, 1
	r := newResetRig(t, "good", contract.ResetSnapshot, target)
	res := runAll(t, []*rig{r})[0]
	want := &contract.Data{Tables: loadedTables(), Reset: &contract.ResetReport{Method: "Snapshot", Copy: new(aCopy())}}
	if diff := cmp.Diff(want, res.Data, resetTimes); diff != "" {
		t.Errorf("data (-want +got):\n%s", diff)
	}
	// The same ID each time: the agent does it once.
	if want := []string{"POST /restore t", "POST /restore t", "POST /restore t", "speed", "environment", "environment"}; !slices.Equal(target.calls, want) {
		t.Errorf("calls %v, want %v", target.calls, want)
	}
	if asked := r.server.asked[:6]; !slices.Equal(asked, []string{"version", "variables", "defaults", "session", "round trip", "tables"}) {
		t.Errorf("asked the server %v", asked)
	}
	reset := res.Data.Reset
	if reset.Ended.Before(reset.Started) || res.Times.Ready.Before(reset.Ended) || reset.Started.IsZero() {
		t.Errorf("reset from %s to %s, ready %s", reset.Started, reset.Ended, res.Times.Ready)
	}
}

func TestResetByReload(t *testing.T) {
	r := newResetRig(t, "good", contract.ResetReload, nil)
	// A tool's random data: the same rows, another checksum.
	r.server.tables[0].Checksum = new(int64(7))
	if err := r.agent.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	res, raw := r.outcome(t)
	want := &contract.Data{Tables: r.server.tables, Reset: &contract.ResetReport{Method: "Reload"}}
	if diff := cmp.Diff(want, res.Data, resetTimes); diff != "" {
		t.Errorf("data (-want +got):\n%s", diff)
	}
	problems := []contract.Problem{{Source: "reset", Text: "table sbtest1 has the checksum 7 instead of 4294967295"}}
	if diff := cmp.Diff(problems, res.Problems); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	for name, args := range map[string]string{"reset-cleanup": "Cleanup", "reset-prepare": "Prepare", "run": "Run"} {
		if got := raw[name+"/stdout.txt"]; !strings.HasPrefix(got, "value ["+args) {
			t.Errorf("%s/stdout.txt is %q; there are %v", name, got, slices.Sorted(maps.Keys(raw)))
		}
	}
	if diff := cmp.Diff([]string{"Run", "--leak=***"}, res.Tool.Args); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
	if len(res.Measurements) != 1 {
		t.Errorf("%d measurements, want those of the run alone", len(res.Measurements))
	}
}

// A server is started again, and its buffer pool is as it was, before anybody asks it something else.
func TestRestart(t *testing.T) {
	target := newFakeTarget(t)
	target.drop = 1
	r := newRig(t, "good", contract.PhaseRun, func(trial *contract.Trial) { trial.Restart, trial.Agent = true, target.address })
	r.api.trial[contract.KeyStart] = time.Now().UTC().Format(time.RFC3339Nano)
	r.server.pool = []string{"Loading buffer pool(s) from /data/ib_buffer_pool", "Loaded 17/40 pages", "Buffer pool(s) load completed at 261126 11:50:00"}
	res := runAll(t, []*rig{r})[0]
	want := &contract.Data{Restart: &contract.RestartReport{StoppedSeconds: 2, Pool: "Buffer pool(s) load completed at 261126 11:50:00"}}
	if diff := cmp.Diff(want, res.Data, cmpopts.IgnoreFields(contract.RestartReport{}, "Started", "Ended", "PoolSeconds")); diff != "" {
		t.Errorf("data (-want +got):\n%s", diff)
	}
	if again := res.Data.Restart; again.PoolSeconds <= 0 || again.Started.IsZero() || again.Ended.Before(again.Started) || res.Times.Ready.Before(again.Ended) {
		t.Errorf("%+v, ready %s", again, res.Times.Ready)
	}
	// The same ID each time: the agent does it once.
	if want := []string{"POST /restart t", "POST /restart t", "speed", "environment", "environment"}; !slices.Equal(target.calls, want) {
		t.Errorf("calls %v, want %v", target.calls, want)
	}
	if asked := r.server.asked[:7]; !slices.Equal(asked, []string{"status", "status", "status", "version", "variables", "defaults", "session"}) {
		t.Errorf("asked the server %v", asked)
	}
}

// What a server without such a pool says ends no wait, and a restart that fails ends the trial.
func TestRestartsThatFillNothing(t *testing.T) {
	for status, waits := range map[string]bool{
		"": false, "Loading of buffer pool not started": false, "Buffer pool(s) load completed at 1": false,
		"Cannot open '/data/ib_buffer_pool' for reading: No such file or directory": false,
		"Loading buffer pool(s) from /data/ib_buffer_pool":                          true, "Loaded 1/2 pages": true,
	} {
		if filling(status) != waits {
			t.Errorf("%q: waits %v", status, !waits)
		}
	}
	target := newFakeTarget(t)
	target.refuse = &contract.Refusal{Reason: contract.ReasonServerKilled, Message: "it did not shut down"}
	r := newRig(t, "good", contract.PhaseRun, func(trial *contract.Trial) { trial.Restart, trial.Agent = true, target.address })
	if err := r.agent.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "ResetFailed: starting the server again: ") || !strings.Contains(err.Error(), "it did not shut down") {
		t.Errorf("a refusal: %v", err)
	}
	r = newRig(t, "good", contract.PhaseRun, func(trial *contract.Trial) { trial.Restart = true })
	if err := r.agent.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "agent: missing, but a restart was requested") {
		t.Errorf("without an agent: %v", err)
	}
}

// Statistics are taken of what was just loaded, once, and never before a trial on data that stands as it was loaded.
func TestStatisticsOfTheTables(t *testing.T) {
	const refusal = "1 of 2 tables (sbtest2) have no new statistics"
	tests := map[string]struct {
		rig  func(*testing.T) *rig
		want []string
	}{
		"after loading":    {func(t *testing.T) *rig { return newRig(t, "good", contract.PhasePrepare, func(*contract.Trial) {}) }, []string{"tables", "analyze 2", "status"}},
		"after reloading":  {func(t *testing.T) *rig { return newResetRig(t, "good", contract.ResetReload, nil) }, []string{"tables", "analyze 2", "status", "status", "variables"}},
		"before a trial":   {func(t *testing.T) *rig { return newRig(t, "good", contract.PhaseRun, func(*contract.Trial) {}) }, nil},
		"after a snapshot": {func(t *testing.T) *rig { return newResetRig(t, "good", contract.ResetSnapshot, newFakeTarget(t)) }, []string{"tables", "status", "status", "variables"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := tc.rig(t)
			r.server.unanalyzed = refusal
			if _, timed := r.api.trial[contract.KeyStart]; !timed {
				r.api.trial[contract.KeyStart] = time.Now().UTC().Format(time.RFC3339Nano)
			}
			if err := r.agent.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			asked := r.server.asked[max(0, slices.Index(r.server.asked, "tables")):]
			if len(tc.want) == 0 {
				asked = slices.DeleteFunc(asked, func(q string) bool { return !strings.HasPrefix(q, "analyze") })
			}
			if !slices.Equal(asked, tc.want) {
				t.Errorf("asked the server %v, want %v", asked, tc.want)
			}
			res, _ := r.outcome(t)
			told := slices.ContainsFunc(res.Problems, func(p contract.Problem) bool { return p.Source == "server/analyze" && p.Text == refusal })
			if want := slices.Contains(tc.want, "analyze 2"); told != want {
				t.Errorf("problems %v, want the refusal: %v", res.Problems, want)
			}
		})
	}
}

func TestAReloadIsDoneByOneClientAlone(t *testing.T) {
	rigs := fourClients(t, func(trial *contract.Trial) {
		trial.Reset = &contract.Reset{Method: contract.ResetReload, Tables: loadedTables()}
	})
	rigs[0].startAfter(t, 4, time.Millisecond)
	runAll(t, rigs)
	_, raw := rigs[0].outcome(t)
	if got := raw["reset-prepare/command.txt"]; strings.Contains(got, "--part") || !strings.Contains(raw["run/command.txt"], "--part=0/4") {
		t.Errorf("the reload was a part of the load: %q, and the run %q", got, raw["run/command.txt"])
	}
}

func TestResetFailures(t *testing.T) {
	tests := map[string]struct {
		method string
		tool   string
		rig    func(*rig, *fakeTarget)
		reason contract.Reason
		want   string
	}{
		"a refusal has its reason and message": {
			rig: func(_ *rig, f *fakeTarget) {
				f.refuse = &contract.Refusal{Reason: contract.ReasonStorageFailed, Message: "no space left"}
			},
			reason: contract.ReasonResetFailed, want: "StorageFailed: no space left",
		},
		"another key": {
			rig:    func(r *rig, _ *fakeTarget) { r.agent.Credentials = credentials(r, "other") },
			reason: contract.ReasonResetFailed, want: "/restore answered 401",
		},
		"a table that is missing": {
			rig:    func(r *rig, _ *fakeTarget) { r.server.tables = r.server.tables[:1] },
			reason: contract.ReasonDataDiffers, want: "after the reset (Snapshot) the data is not what was loaded: table sbtest2 is missing",
		},
		"a table too many": {
			rig: func(r *rig, _ *fakeTarget) {
				r.server.tables = append(r.server.tables, contract.Table{Name: "x", Rows: 3})
			},
			reason: contract.ReasonDataDiffers, want: "table x (3 rows) was not there",
		},
		"another number of rows": {
			rig:    func(r *rig, _ *fakeTarget) { r.server.tables[1].Rows = 0 },
			reason: contract.ReasonDataDiffers, want: "table sbtest2 has 0 rows instead of 999",
		},
		"another number of rows after a reload": {
			method: contract.ResetReload, rig: func(r *rig, _ *fakeTarget) { r.server.tables[1].Rows = 0 },
			reason: contract.ReasonDataDiffers, want: "after the reset (Reload)",
		},
		"another checksum": {
			rig:    func(r *rig, _ *fakeTarget) { r.server.tables[0].Checksum = new(int64(7)) },
			reason: contract.ReasonDataDiffers, want: "table sbtest1 has the checksum 7 instead of 4294967295",
		},
		"a tool that cannot reload": {
			method: contract.ResetReload, tool: "bad",
			reason: contract.ReasonResetFailed, want: "reloading the data, phase Cleanup: ToolFailed: FATAL: no; the tool's last word: ERROR 2013: lost with ***",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			target := newFakeTarget(t)
			tool, method := "good", contract.ResetSnapshot
			if tc.tool != "" {
				tool = tc.tool
			}
			if tc.method != "" {
				method = tc.method
			}
			r := newResetRig(t, tool, method, target)
			if tc.rig != nil {
				tc.rig(r, target)
			}
			if err := r.agent.Run(t.Context()); err == nil {
				t.Error("the failure is no error")
			}
			res, _ := r.outcome(t)
			if res.Failure == nil || res.Failure.Reason != tc.reason || !strings.Contains(res.Failure.Message, tc.want) {
				t.Errorf("got %+v, want %s with %q", res.Failure, tc.reason, tc.want)
			}
			if res.Times.MeasureStarted != nil || r.api.annotated() {
				t.Error("the trial went on")
			}
			if res.Data == nil || res.Data.Reset == nil || res.Data.Reset.Method != method || res.Data.Reset.Ended.IsZero() {
				t.Errorf("the reset was not taken down: %+v", res.Data)
			}
		})
	}
}

func TestATargetAgentThatNeverAnswersEndsWithTheDeadline(t *testing.T) {
	r := newRig(t, "good", contract.PhaseRun, func(trial *contract.Trial) {
		trial.Agent, trial.Deadline = nobody(t), time.Now().Add(2*time.Second)
		trial.Reset = &contract.Reset{Method: contract.ResetSnapshot, Tables: loadedTables()}
	})
	if err := r.agent.Run(t.Context()); err == nil {
		t.Error("it is no error")
	}
	if res, _ := r.outcome(t); res.Failure == nil || res.Failure.Reason != contract.ReasonDeadlineExceeded ||
		!strings.Contains(res.Failure.Message, "connection refused") {
		t.Errorf("got %+v, want %s and why", res.Failure, contract.ReasonDeadlineExceeded)
	}
}

func TestATrialThatCannotBeResetIsRefused(t *testing.T) {
	tests := map[string]struct {
		change func(*contract.Trial)
		want   string
	}{
		"a method that is not known": {func(t *contract.Trial) { t.Reset = &contract.Reset{Method: "Magic"} }, `got "Magic"`},
		"a restore without an agent": {func(t *contract.Trial) { t.Reset = &contract.Reset{Method: contract.ResetSnapshot} }, "agent: missing"},
		"a snapshot without one":     {func(t *contract.Trial) { t.Snapshot = true }, "agent: missing"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "good", contract.PhasePrepare, tc.change)
			if err := r.agent.Run(t.Context()); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func TestASnapshotIsTakenAfterPrepare(t *testing.T) {
	target := newFakeTarget(t)
	prepare := func() *rig {
		return newRig(t, "good", contract.PhasePrepare, func(trial *contract.Trial) { trial.Agent, trial.Snapshot = target.address, true })
	}
	res := runAll(t, []*rig{prepare()})[0]
	want := &contract.Data{Tables: loadedTables(), Snapshot: new(aCopy())}
	if diff := cmp.Diff(want, res.Data); diff != "" {
		t.Errorf("data (-want +got):\n%s", diff)
	}
	if last := target.calls[len(target.calls)-1]; last != "POST /snapshot t" {
		t.Errorf("the last call is %q, want the snapshot", last)
	}
	target.refuse = &contract.Refusal{Reason: contract.ReasonServerCrashed, Message: "it did not start again"}
	r := prepare()
	if err := r.agent.Run(t.Context()); err == nil {
		t.Error("the refusal is no error")
	}
	res, _ = r.outcome(t)
	if res.Failure == nil || res.Failure.Reason != contract.ReasonSnapshotFailed || !strings.Contains(res.Failure.Message, "ServerCrashed: it did not") {
		t.Errorf("got %+v, want %s", res.Failure, contract.ReasonSnapshotFailed)
	}
	if res.Data == nil || len(res.Data.Tables) != 2 {
		t.Errorf("what was counted is lost: %+v", res.Data)
	}
}

// A checksum that was not taken is no silence: neither after loading nor after a reset.
func TestTablesWithoutAChecksumAreAProblem(t *testing.T) {
	want := []contract.Problem{{Source: "server/checksum", Text: "1 of 2 tables (sbtest2) have no checksum: too large"}}
	rigs := map[string]*rig{
		"after loading": newRig(t, "good", contract.PhasePrepare, nil),
		"after a reset": newResetRig(t, "good", contract.ResetReload, nil),
	}
	for name, r := range rigs {
		t.Run(name, func(t *testing.T) {
			r.server.tables[1].Checksum, r.server.unchecked = nil, want[0].Text
			res := runAll(t, []*rig{r})[0]
			if diff := cmp.Diff(want, res.Problems); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAMessageNamesABoundedNumberOfTables(t *testing.T) {
	var want []contract.Table
	for range 25 {
		want = append(want, contract.Table{Name: "t"})
	}
	if got := compareTables(nil, want).text(); strings.Count(got, "is missing") != 10 || !strings.HasSuffix(got, "and 15 more") {
		t.Errorf("got %q", got)
	}
	if got := compareTables(loadedTables(), loadedTables()).text(); got != "" {
		t.Errorf("equal tables differ: %q", got)
	}
	without := loadedTables()
	without[0].Checksum = nil
	if got := compareTables(without, loadedTables()).text() + compareTables(loadedTables(), without).text(); got != "" {
		t.Errorf("an absent checksum is taken for another: %q", got)
	}
}

// nobody is an address at which nothing listens.
func nobody(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

package client

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// wandering are the parts of a result that no test can know.
var wandering = cmp.Options{
	cmpopts.IgnoreTypes(contract.Times{}),
	cmpopts.IgnoreTypes(contract.Environment{}),
	cmpopts.IgnoreFields(contract.Client{}, "ClockStepSeconds", "Clock", "Agent"),
	cmpopts.IgnoreFields(contract.Server{}, "CountedFrom"),
	cmpopts.IgnoreFields(contract.Result{}, "RawSHA256"),
	cmpopts.EquateEmpty(),
}

func TestRunPhase(t *testing.T) {
	r := newRig(t, "good", contract.PhaseRun, func(trial *contract.Trial) { trial.WarmupSeconds, trial.Seed = 1, 7 })
	r.startWhenReady(t)
	if err := r.agent.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	res, raw := r.outcome(t)
	measurement := func(value float64) []contract.Measurement {
		return []contract.Measurement{{
			Name: contract.NameThroughput, Unit: "tx/s", Value: &value, Intervals: []contract.Interval{{AtSeconds: 1, Value: new(2.0)}},
		}}
	}
	want := contract.Result{
		Version: contract.ResultVersion, State: contract.Succeeded,
		Trial: contract.TrialRef{RunUID: "u", Phase: "Run", Target: "innodb"},
		Tool: contract.Tool{
			Name: "fake", Version: "1.2", Args: []string{"Run", "--leak=***"}, ExitCode: new(0), Seeds: map[string]int64{"Warmup": 42, "Run": 21},
			WarmupCut: contract.WarmupSeparateProcess, WarmupSeconds: res.Tool.WarmupSeconds,
		},
		Measurements: measurement(float64(len("Run"))), Warmup: measurement(float64(len("Warmup"))),
		Server: &contract.Server{
			Version: "11.8.6-MariaDB", VersionComment: "Debian",
			Variables:        map[string]string{"version": "11.8.6-MariaDB", "max_connections": "151", "port": "3306", "gtid_binlog_pos": "0"},
			VariablesChanged: map[string]string{"port": "3308"}, NonDefault: map[string]string{"port": "3306"},
			StatusDelta: map[string]float64{"Questions": 10},
		},
		Client: contract.Client{Node: "n1"},
	}
	if diff := cmp.Diff(want, res, wandering); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	times := res.Times
	for _, pair := range [][2]*time.Time{
		{times.AgentStarted, times.Ready}, {times.Ready, times.Start}, {times.Start, times.WarmupStarted},
		{times.WarmupStarted, times.MeasureStarted}, {times.MeasureStarted, times.MeasureEnded},
	} {
		if pair[0] == nil || pair[1] == nil || pair[1].Before(*pair[0]) {
			t.Errorf("times are missing or not in order: %+v", times)
		}
	}
	wantRaw := []string{
		"run/command.txt", "run/stderr.txt", "run/stdout.txt", "server/status-after.txt", "server/status-before.txt",
		"server/variables-after.txt", "server/variables-before.txt", "warmup/command.txt", "warmup/stderr.txt", "warmup/stdout.txt",
	}
	if diff := cmp.Diff(wantRaw, slices.Sorted(maps.Keys(raw))); diff != "" {
		t.Errorf("raw files (-want +got):\n%s", diff)
	}
	if got := raw["run/stderr.txt"]; got != "file top <nil>\n" {
		t.Errorf("the tool did not find its file: %q", got)
	}
	if strings.Contains(raw["run/command.txt"], "hunter2") {
		t.Error("the raw command line holds the password")
	}
}

// What was never started has drawn nothing.
func TestTheResultSaysWhatTheToolDrew(t *testing.T) {
	tests := map[string]struct {
		tool   string
		change func(*contract.Trial)
		want   contract.Tool
	}{
		"a tool that nobody can seed": {"good", func(trial *contract.Trial) { trial.WarmupSeconds = 1 }, contract.Tool{Unseeded: true}},
		"a window without a warm-up":  {"good", func(trial *contract.Trial) { trial.Seed = 7 }, contract.Tool{Seeds: map[string]int64{"Run": 21}}},
		"a warm-up that failed": {
			"bad", func(trial *contract.Trial) { trial.WarmupSeconds, trial.Seed = 1, 7 }, contract.Tool{Seeds: map[string]int64{"Warmup": 42}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, tt.tool, contract.PhaseRun, tt.change)
			r.startWhenReady(t)
			if err := r.agent.Run(t.Context()); (err != nil) != (tt.tool == "bad") {
				t.Fatal(err)
			}
			res, _ := r.outcome(t)
			if diff := cmp.Diff(tt.want, contract.Tool{Seeds: res.Tool.Seeds, Unseeded: res.Tool.Unseeded}); diff != "" {
				t.Errorf("seeds (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPreparePhaseCountsWhatItLeft(t *testing.T) {
	r := newRig(t, "good", contract.PhasePrepare, nil)
	if err := r.agent.Run(t.Context()); err != nil { // nobody publishes a start
		t.Fatal(err)
	}
	res, _ := r.outcome(t)
	if diff := cmp.Diff(&contract.Data{Tables: loadedTables()}, res.Data); diff != "" {
		t.Errorf("data (-want +got):\n%s", diff)
	}
	if r.api.annotated() {
		t.Error("a client that does not wait reported ready")
	}
}

func TestFailuresAreDelivered(t *testing.T) {
	soon := func(trial *contract.Trial) { trial.Deadline = time.Now().Add(2 * time.Second) }
	tests := map[string]struct {
		tool   string
		trial  func(*contract.Trial)
		rig    func(*rig)
		reason contract.Reason
		want   string
	}{
		"what the tool said":               {tool: "bad", reason: contract.ReasonToolFailed, want: "FATAL: no"},
		"the tool's last word":             {tool: "bad", reason: contract.ReasonToolFailed, want: "last word: ERROR 2013: lost with ***"},
		"a tool that does not end in time": {tool: "stubborn", trial: soon, reason: contract.ReasonDeadlineExceeded, want: "the deadline"},
		"a runner that the agent lacks":    {trial: func(trial *contract.Trial) { trial.Runner = "ycsb" }, reason: contract.ReasonTrialUnreadable, want: `no runner "ycsb"`},
		// timing: it has to run out: the server never answers
		"a server that does not answer":     {rig: func(r *rig) { r.agent.Timeouts.Connect, r.server.err = 200*time.Millisecond, errors.New("no route") }, reason: contract.ReasonTargetUnreachable, want: "no route"},
		"credentials that were not mounted": {rig: func(r *rig) { r.agent.Credentials = "/nonexistent" }, reason: contract.ReasonTrialUnreadable, want: "username"},
		"a warm-up that failed":             {tool: "bad", trial: func(trial *contract.Trial) { trial.WarmupSeconds = 1 }, reason: contract.ReasonToolFailed, want: "during the warm-up"},
		"a start that is not a time":        {rig: func(r *rig) { r.api.trial[contract.KeyStart] = "now" }, reason: contract.ReasonTrialUnreadable, want: "key start"},
		"a start that never comes":          {trial: soon, rig: func(r *rig) { r.api.noWatch = true; delete(r.api.trial, contract.KeyStart) }, reason: contract.ReasonDeadlineExceeded, want: "waiting for the start"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tool := tc.tool
			if tool == "" {
				tool = "good"
			}
			r := newRig(t, tool, contract.PhaseRun, tc.trial)
			r.api.trial[contract.KeyStart] = time.Now().UTC().Format(time.RFC3339Nano)
			if tc.rig != nil {
				tc.rig(r)
			}
			if err := r.agent.Run(t.Context()); err == nil {
				t.Error("the failure is no error")
			}
			res, _ := r.outcome(t)
			if res.Failure == nil || res.Failure.Reason != tc.reason || !strings.Contains(res.Failure.Message, tc.want) {
				t.Errorf("got %+v, want %s with %q", res.Failure, tc.reason, tc.want)
			}
		})
	}
}

func TestAnInterruptedClientStillDelivers(t *testing.T) {
	r := newRig(t, "stubborn", contract.PhaseCleanup, nil)
	said := filepath.Join(t.TempDir(), "said")
	t.Setenv(saidEnv, said)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(said); err == nil {
				stop()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	if err := r.agent.Run(ctx); err == nil {
		t.Error("the interruption is no error")
	}
	res, raw := r.outcome(t)
	if res.Failure == nil || res.Failure.Reason != contract.ReasonInterrupted {
		t.Errorf("got %+v, want %s", res.Failure, contract.ReasonInterrupted)
	}
	if res.Tool.Signal != "SIGKILL" || res.Tool.ExitCode != nil {
		t.Errorf("got signal %q and exit code %v, want SIGKILL and none", res.Tool.Signal, res.Tool.ExitCode)
	}
	if raw["cleanup/stdout.txt"] != "half of it\n" {
		t.Errorf("the output so far is %q", raw["cleanup/stdout.txt"])
	}
}

func TestOutagesOfTheAPIAreSurvived(t *testing.T) {
	r := newRig(t, "good", contract.PhaseRun, nil)
	r.api.down = true
	go func() {
		time.Sleep(100 * time.Millisecond)
		r.api.set(func() { r.api.down = false })
		for !r.api.annotated() {
			time.Sleep(time.Millisecond)
		}
		// Gone while the client waits, and the start is published meanwhile.
		r.api.set(func() { r.api.down, r.api.noWatch = true, true })
		time.Sleep(100 * time.Millisecond)
		r.api.set(func() {
			r.api.down = false
			r.api.trial[contract.KeyStart] = time.Now().UTC().Format(time.RFC3339Nano)
		})
	}()
	if err := r.agent.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if res, _ := r.outcome(t); res.State != contract.Succeeded {
		t.Errorf("state %s: %+v", res.State, res.Failure)
	}
}

func TestWhatCannotBeDeliveredIsSaid(t *testing.T) {
	tests := map[string]struct {
		rig    func(*rig)
		reason contract.Reason
		want   string
	}{
		"an API server that stays away":        {func(r *rig) { r.agent.TrialRead = 50 * time.Millisecond; r.api.down = true }, contract.ReasonTrialUnreadable, "connection refused"},
		"a trial of another version":           {func(r *rig) { r.api.trial[contract.KeyTrial] = `{"version":"v9"}` }, contract.ReasonTrialUnreadable, `got "v9"`},
		"a trial that is not there":            {func(r *rig) { r.api.trial = nil }, contract.ReasonTrialUnreadable, "missing"},
		"a client that the trial lacks":        {func(r *rig) { r.agent.Index = 1 }, contract.ReasonTrialUnreadable, "client 1 of a trial with clients: 1"},
		"a result that the API server refuses": {func(r *rig) { r.api.refuse = ErrRefused }, contract.ReasonDeliveryFailed, "refused"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "good", contract.PhaseCleanup, nil)
			tc.rig(r)
			if err := r.agent.Run(t.Context()); err == nil {
				t.Error("it is no error")
			}
			got := r.termination(t)
			if got.SHA256 != "" || got.Reason != tc.reason || !strings.Contains(got.Message, tc.want) {
				t.Errorf("got %+v, want %s with %q and no digest", got, tc.reason, tc.want)
			}
		})
	}
}

func TestAResultThatIsTooLargeSaysSo(t *testing.T) {
	r := newRig(t, "loud", contract.PhaseCleanup, nil)
	if err := r.agent.Run(t.Context()); err == nil {
		t.Error("it is no error")
	}
	res, raw := r.outcome(t)
	if res.Failure == nil || res.Failure.Reason != contract.ReasonResultTooLarge {
		t.Errorf("got %+v, want %s", res.Failure, contract.ReasonResultTooLarge)
	}
	if len(res.Measurements) != 1 || res.Measurements[0].Value == nil || res.Measurements[0].Intervals != nil {
		t.Errorf("measurements %+v, want the value without intervals", res.Measurements)
	}
	if _, there := raw["cleanup/stdout.txt"]; there || raw["cleanup/command.txt"] == "" {
		t.Errorf("raw files %v, want all but the one that does not fit", slices.Sorted(maps.Keys(raw)))
	}
	want := []contract.Problem{{Source: "cleanup/stdout.txt", Text: "left out of the raw files: 2097152 bytes"}}
	if diff := cmp.Diff(want, res.Problems); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

// A budget that is smaller than a ConfigMap holds, and one that holds nothing but the failure.
func TestAResultStaysWithinItsBudget(t *testing.T) {
	for name, most := range map[string]int64{"the raw files do not fit": 20 << 10, "the numbers do not fit": 600} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "loud", contract.PhaseCleanup, func(trial *contract.Trial) { trial.MaxResultBytes = most })
			if err := r.agent.Run(t.Context()); err == nil {
				t.Error("it is no error")
			}
			encoded, raw := r.api.delivered(t, r.agent.Result)
			res, err := contract.Decode(encoded)
			if err != nil || res.RawSHA256 != contract.Digest(raw) {
				t.Fatalf("raw output %s: %v", res.RawSHA256, err)
			}
			if res.Failure == nil || res.Failure.Reason != contract.ReasonResultTooLarge || !strings.Contains(res.Failure.Message, fmt.Sprint(most)) {
				t.Errorf("got %+v, want %s", res.Failure, contract.ReasonResultTooLarge)
			}
			if size := len(encoded) + len(raw); size > int(most) {
				t.Errorf("%d bytes were written of %d", size, most)
			}
			if (len(res.Measurements) == 0) != (most < 1000) {
				t.Errorf("measurements %+v", res.Measurements)
			}
		})
	}
}

func TestPackIsDeterministic(t *testing.T) {
	dir := t.TempDir()
	pack1 := func() string {
		if err := os.WriteFile(dir+"/a.txt", []byte("a"), 0o600); err != nil {
			t.Fatal(err)
		}
		files, err := rawFiles(dir)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := pack(files, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		return contract.Digest(raw)
	}
	first := pack1()
	time.Sleep(10 * time.Millisecond)
	if second := pack1(); first != second {
		t.Error("equal files gave different packs")
	}
	if files, err := rawFiles(dir + "/missing"); err != nil || files != nil {
		t.Errorf("no raw files: %v, %v; want none and no error", files, err)
	}
}

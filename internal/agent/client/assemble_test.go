package client

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// allFound is what a trial has found when every step has run.
func allFound(at time.Time) progress {
	exit, count := 0, int64(3)
	table := []contract.Table{{Name: "t", Rows: 1}}
	return progress{
		reset: &contract.ResetReport{Method: contract.ResetSnapshot, Started: at, Ended: at}, replicasRestored: at.Add(time.Second),
		server:    serverFacts{server: &contract.Server{Version: "9.7.4"}},
		roundTrip: &contract.Probe{N: 1}, durability: aDurability(),
		verified: tableCount{table, 0.5}, clock: &contract.ClockOffset{OffsetSeconds: 0.1},
		speed: speeds{&contract.Speed{Seconds: 0.1}, &contract.Speed{Seconds: 0.2}},
		tool:  preparedTool{args: []string{"run"}},
		before: counters{
			client: &contract.Usage{Throttled: &count}, target: &contract.TargetEnvironment{Warnings: []string{"early"}, Usage: contract.Usage{At: at}},
			server: statusBefore{countedFrom: &at, rows: &contract.CountedRows{Inserted: 1}, level: &contract.Level{DirtyBytes: new(int64(16384))}},
		},
		ready: &at, start: &start{published: at, own: at, planned: at.Add(time.Second)},
		warmedUp: warmedUp{started: &at, seeds: seeds{1, false}, measurements: []contract.Measurement{{Name: "w"}}, seconds: new(1.0), answers: &contract.Answers{Compared: 1, Wrong: []string{"q1"}}},
		measured: measured{
			started: &at, ended: new(at.Add(2 * time.Second)), exitCode: &exit, signal: "SIGTERM", seeds: seeds{2, true},
			report: runner.Report{
				ToolVersion: "1", Measurements: []contract.Measurement{{Name: "m"}}, Errors: []contract.ErrorCount{{Name: "e", Count: 1}},
				Answers: &contract.Answers{Compared: 2, Wrong: []string{"q2"}},
			},
			usage: usages{&contract.Usage{At: at}, &contract.Usage{At: at.Add(time.Second)}, &contract.Gap{Seconds: 6}}, clockStepSeconds: new(0.1), warmupCut: contract.WarmupSeparateProcess,
		},
		after: countersAfter{
			target:      &contract.TargetEnvironment{Warnings: []string{"late"}, Usage: contract.Usage{At: at.Add(time.Minute)}},
			statusDelta: map[string]float64{"Questions": 1}, variablesChanged: map[string]string{"port": "1"}, level: &contract.Level{HistoryLength: new(int64(0))},
		},
		replicas: []contract.Replica{{Index: 1}},
		loaded:   &loadedData{tables: table, rows: &contract.CountedRows{Inserted: 2}},
		snapshot: &contract.Copy{Bytes: 1},
	}
}

// Nothing that a step found is lost when a later step fails, and all of it is in the result.
func TestTheResultHoldsWhatTheStepsFound(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	problems := []contract.Problem{{Source: "s", Text: "x"}}
	blank := contract.Result{Version: contract.ResultVersion, Trial: contract.TrialRef{Phase: string(contract.PhaseRun)}, Tool: contract.Tool{Name: "fake"}}
	p := allFound(at)
	want := contract.Result{
		Version: contract.ResultVersion, Trial: blank.Trial, State: contract.Succeeded, Problems: problems,
		Tool: contract.Tool{
			Name: "fake", Version: "1", Args: []string{"run"}, ExitCode: new(0), Signal: "SIGTERM", Seeds: map[string]int64{"Warmup": 1, "Run": 2},
			Unseeded: true, WarmupCut: contract.WarmupSeparateProcess, WarmupSeconds: new(1.0),
		},
		Times: contract.Times{
			Ready: &at, Start: &at, Planned: new(at.Add(time.Second)), WarmupStarted: &at, MeasureStarted: &at, MeasureEnded: new(at.Add(2 * time.Second)),
			WindowStarted: &at, WindowEnded: new(at.Add(2 * time.Second)),
		},
		Server: &contract.Server{
			Version: "9.7.4", RoundTrip: p.roundTrip, Durability: p.durability, CountedFrom: &at, Rows: &contract.CountedRows{Inserted: 2},
			StatusDelta: p.after.statusDelta, VariablesChanged: p.after.variablesChanged, Levels: &contract.Levels{Begin: p.before.server.level, End: p.after.level},
		},
		Data: &contract.Data{
			Tables: p.verified.tables, Snapshot: p.snapshot,
			Reset: &contract.ResetReport{Method: contract.ResetSnapshot, Started: at, Ended: at.Add(time.Second), VerifySeconds: 0.5},
		},
		Target: &contract.Environment{
			Speed: p.speed.target, Replicas: p.replicas, Warnings: []string{"late"}, Before: &p.before.target.Usage, After: &p.after.target.Usage,
		},
		Measurements: p.measured.report.Measurements, Warmup: p.warmedUp.measurements, Errors: p.measured.report.Errors,
		Answers: &contract.Answers{Compared: 3, Wrong: []string{"in the warm-up: q1", "q2"}},
	}
	want.Client.Clock, want.Client.Speed, want.Client.ClockStepSeconds = p.clock, p.speed.client, new(0.1)
	want.Client.Before, want.Client.After, want.Client.Gap = p.measured.usage.before, p.measured.usage.after, p.measured.usage.gap

	got := assemble(blank, outcome[progress]{found: p, problems: problems})
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	want.State, want.Failure = contract.Failed, &contract.Failure{Reason: contract.ReasonConnectionLost}
	got = assemble(blank, outcome[progress]{found: p, problems: problems, failure: want.Failure})
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("failed result (-want +got):\n%s", diff)
	}
}

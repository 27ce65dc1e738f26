package client

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/test/helpers/hang"
)

// loadingRunner is testRunner with tables.
func loadingRunner(name string) (runner.Runner, bool) {
	r, known := testRunner(name)
	r.Expectations = func(contract.Trial) (runner.Expectations, error) { return runner.Expectations{}, nil }
	r.Data.Rows = func(contract.Trial) (map[string]int64, error) {
		return map[string]int64{"sbtest1": 1000, "sbtest2": 1000}, nil
	}
	return r, known
}

// A load that is measured has the tool's Prepare as its window. Statistics, the stop of the server and the count follow, in that order.
func TestALoadIsMeasured(t *testing.T) {
	target := newFakeTarget(t)
	target.stop = new(1.25)
	r := newRig(t, "good", contract.PhaseRun, func(trial *contract.Trial) { trial.Loads, trial.Agent = true, target.address })
	r.agent.Runner = loadingRunner
	r.server.tables = []contract.Table{{Name: "sbtest1", Rows: 1000}, {Name: "sbtest2", Rows: 1000}}
	r.api.trial[contract.KeyStart] = time.Now().UTC().Format(time.RFC3339Nano)
	res := runAll(t, []*rig{r})[0]
	want := &contract.Data{Loaded: &contract.LoadReport{FlushSeconds: new(1.25), Tables: r.server.tables}}
	if diff := cmp.Diff(want, res.Data, cmpopts.IgnoreFields(contract.LoadReport{}, "StatisticsSeconds")); diff != "" {
		t.Errorf("data (-want +got):\n%s", diff)
	}
	if s := res.Data.Loaded.StatisticsSeconds; s == nil || *s < 0 {
		t.Errorf("statistics took %v s", s)
	}
	if diff := cmp.Diff([]string{"Prepare", "--leak=***"}, res.Tool.Args); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
	took, found := res.Find(contract.NameLoadTime, nil)
	from, to, known := contract.MeasuredWindow(res)
	if !found || took.Value == nil || !known || math.Abs(to.Sub(from).Seconds()-*took.Value) > 0.01 || !from.Equal(*res.Times.MeasureStarted) {
		t.Errorf("%+v, from %s to %s", took, from, to)
	}
	asked := r.server.asked[slices.Index(r.server.asked, "analyze 2")-1:]
	if want := []string{"variables", "analyze 2", "count"}; !slices.Equal(want, asked) {
		t.Errorf("asked at the end: %v of %v", asked, r.server.asked)
	}
	if last := target.calls[len(target.calls)-1]; last != "POST /restart t-flush" {
		t.Errorf("calls %v", target.calls)
	}
}

// Nothing is loaded before loads that are measured: their snapshot is that of an empty server.
func TestNothingIsLoadedBeforeLoads(t *testing.T) {
	target := newFakeTarget(t)
	r := newRig(t, "good", contract.PhasePrepare, func(trial *contract.Trial) {
		trial.Loads, trial.Snapshot, trial.Agent = true, true, target.address
	})
	r.agent.Runner = loadingRunner
	r.server.tables = nil
	if err := r.agent.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	res, raw := r.outcome(t)
	if res.Times.MeasureStarted != nil || len(res.Measurements) > 0 || len(res.Tool.Args) > 0 || res.Data.Snapshot == nil || len(res.Data.Tables) > 0 {
		t.Errorf("%+v, %+v, raw %v", res.Tool, res.Data, raw)
	}
}

// A load that left other rows than it was to has no number, and one on a server of somebody else stops nobody.
func TestALoadThatLeavesOtherRows(t *testing.T) {
	r := newRig(t, "good", contract.PhaseRun, func(trial *contract.Trial) { trial.Loads = true })
	r.agent.Runner = loadingRunner
	r.server.tables = []contract.Table{{Name: "sbtest1", Rows: 1000}, {Name: "sbtest2", Rows: 999}}
	r.server.unanalyzed = "sbtest1 has no new statistics"
	r.api.trial[contract.KeyStart] = time.Now().UTC().Format(time.RFC3339Nano)
	err := r.agent.Run(t.Context())
	res, _ := r.outcome(t)
	if err == nil || res.Failure == nil || res.Failure.Reason != contract.ReasonDataDiffers || !strings.Contains(res.Failure.Message, "sbtest2") {
		t.Errorf("%v: %+v", err, res.Failure)
	}
	if diff := cmp.Diff(&contract.Data{Loaded: &contract.LoadReport{Tables: r.server.tables}}, res.Data); diff != "" {
		t.Errorf("data (-want +got):\n%s", diff)
	}
	if len(res.Problems) == 0 || res.Problems[0].Source != "server/analyze" {
		t.Errorf("problems %v", res.Problems)
	}
	r = newRig(t, "good", contract.PhaseRun, func(trial *contract.Trial) { trial.Loads = true })
	r.agent.Runner = func(name string) (runner.Runner, bool) {
		tool, known := loadingRunner(name)
		tool.Phases.Skips = func(contract.Trial, contract.Phase) bool { return true }
		return tool, known
	}
	if err := r.agent.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "TrialUnreadable: workload.fake: the tool loads nothing") {
		t.Errorf("a tool that loads nothing: %v", err)
	}
}

// The first of two clients waits for the other before it reads the counters of the end, and asks the server for what follows.
func TestTheEndOfALoadIsThatOfAllClients(t *testing.T) {
	first := newRig(t, "good", contract.PhaseRun, func(trial *contract.Trial) { trial.Loads, trial.Clients = true, 2 })
	first.agent.Runner = loadingRunner
	first.server.tables = []contract.Table{{Name: "sbtest1", Rows: 1000}, {Name: "sbtest2", Rows: 1000}}
	second := first.join(t, 1)
	first.startAfter(t, 2, 50*time.Millisecond)
	got := runAll(t, []*rig{first, second})
	if got[0].Data == nil || got[0].Data.Loaded == nil || len(got[0].Data.Loaded.Tables) != 2 || got[1].Data != nil {
		t.Errorf("%+v, %+v", got[0].Data, got[1].Data)
	}
	for i, res := range got {
		if took, found := res.Find(contract.NameLoadTime, nil); !found || took.Value == nil {
			t.Errorf("client %d: %+v", i, res.Measurements)
		}
	}
}

// A load has the time of the design, and no more.
func TestALoadThatTakesTooLong(t *testing.T) {
	t.Setenv(sleepEnv, hang.Limit.String())
	r := newRig(t, "slow", contract.PhaseRun, func(trial *contract.Trial) { trial.Loads = true })
	r.agent.Runner = loadingRunner
	r.api.trial[contract.KeyStart] = time.Now().UTC().Format(time.RFC3339Nano)
	err := r.agent.Run(t.Context())
	res, _ := r.outcome(t)
	if err == nil || res.Failure == nil || res.Failure.Reason != contract.ReasonOperationsUnfinished || !strings.Contains(res.Failure.Message, "not done in 1 s: raise design.duration") {
		t.Errorf("%v: %+v", err, res.Failure)
	}
}

// What a run made is dropped at its end, with the time that there is for that.
func TestTheTablesOfLoadsAreDropped(t *testing.T) {
	r := newRig(t, "good", contract.PhaseCleanup, func(trial *contract.Trial) { trial.Loads = true })
	r.agent.Runner = loadingRunner
	res := runAll(t, []*rig{r})[0]
	if res.Failure != nil || len(res.Tool.Args) == 0 || res.Tool.Args[0] != "Cleanup" {
		t.Errorf("%+v, %+v", res.Failure, res.Tool)
	}
}

// A schema of somebody else that has a table of the tool is refused before the first load, whatever the case of its name.
func TestASchemaWithTablesOfTheTool(t *testing.T) {
	r := newRig(t, "good", contract.PhasePrepare, func(trial *contract.Trial) { trial.Loads = true })
	r.agent.Runner = loadingRunner
	r.server.tables = []contract.Table{{Name: "other"}, {Name: "SBTEST2", Rows: 5}}
	if err := r.agent.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "SchemaNotEmpty: each trial makes the table SBTEST2") {
		t.Errorf("%v", err)
	}
}

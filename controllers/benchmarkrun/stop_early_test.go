package benchmarkrun

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/accept"
	"github.com/assay-bench/assay/controllers/benchmarkrun/logbook"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// mayStop makes a run one of two targets and at most 12 blocks, which analyses its data after 8, and then after each.
func mayStop(r *v1alpha1.BenchmarkRun) {
	alsoTarget("other")(r)
	r.Spec.Design.Blocks = 12
	r.Spec.Design.Precision = "2%"
	r.Spec.Analysis = &v1alpha1.Analysis{Comparisons: []v1alpha1.Comparison{{Factor: "target", Measurements: []v1alpha1.MeasurementRef{{Name: "throughput"}}}}}
}

func messageOf(run *v1alpha1.BenchmarkRun, condition string) string {
	c := apimeta.FindStatusCondition(run.Status.Conditions, condition)
	return c.Reason + ": " + c.Message
}

// A run ends at the interim analysis at which it knows enough, and says so everywhere; nothing is missing.
func TestRunStopsEarly(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: delivers(twoSpeeds)})
	run := newRun(t, ns, mayStop)
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkOnce(t, k, got, 16)

	accepted := messageOf(got, v1alpha1.ConditionAccepted)
	if want := "it ends when every compared ratio is known to within 2 %; what they detect is not known before a pilot of 8 blocks"; !strings.HasPrefix(accepted, "Succeeded: 24 trials planned") || !strings.Contains(accepted, want) {
		t.Errorf("Accepted: %s", accepted)
	}
	const stopped = "16 of 16 trials have a result; stopped after 8 of at most 12 blocks: every ratio is known to within 2 % (the widest interval: 0."
	if text := messageOf(got, v1alpha1.ConditionMeasured); !strings.HasPrefix(text, "StoppedEarly: "+stopped) {
		t.Errorf("Measured: %s", text)
	}
	awaitEvent(t, got, "Measured", apimeta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionMeasured).Message)
	want := v1alpha1.PlannedAnalysis{
		ComparisonCount: 1, BlocksNeeded: 6, PilotBlocks: new(int32(8)), Forecast: got.Status.Plan.Analysis.Forecast, StoppedAfterBlocks: new(int32(8)),
	}
	if f := want.Forecast; f == nil || f.AfterBlocks != 8 || f.MostBlocks != 12 || f.Precision == "" {
		t.Errorf("forecast %+v", f)
	}
	if diff := cmp.Diff(want, *got.Status.Plan.Analysis); diff != "" || got.Status.Progress.Text != "16/16" {
		t.Errorf("progress %s, the planned analysis (-want +got):\n%s", got.Status.Progress.Text, diff)
	}
	if v := got.Status.Verdict; !strings.HasPrefix(v, "FASTER 1.50") || !strings.HasSuffix(v, ", p 0.0078, 8 blocks: other against db, throughput; stopped early, after 8 of at most 12 blocks") {
		t.Errorf("verdict %q", v)
	}
	if c := got.Status.Comparisons[0]; c.BlockCount != 8 || c.PlannedBlockCount != 8 || c.Verdict != v1alpha1.VerdictFaster {
		t.Errorf("comparison %+v", c)
	}
	for _, e := range got.Status.Summary {
		if e.TrialCount != e.PlannedTrialCount || len(e.LeftOut) > 0 {
			t.Errorf("%s of %s counts %d of %d trials: %+v", e.Name, e.Target, e.TrialCount, e.PlannedTrialCount, e.LeftOut)
		}
	}
	if valid := messageOf(got, v1alpha1.ConditionValid); valid != "Succeeded: 16 of 16 results passed every check" {
		t.Errorf("Valid: %s", valid)
	}
	all := records(t, got)
	if d := all[15].Decision; d == nil || !d.Stop || all[13].Decision != nil {
		t.Errorf("decisions %+v and %+v", all[13].Decision, d)
	}
}

// Without narrow intervals the run goes on to its last block, and keeps what it found at its interim analysis.
func TestRunGoesToItsMaximum(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	noisy := func(trial contract.Trial) float64 {
		v := twoSpeeds(trial)
		if trial.Ref.Block != nil && *trial.Ref.Block%2 == 1 && trial.Ref.Target == "other" {
			v *= 1.2
		}
		return v
	}
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: delivers(noisy)})
	run := newRun(t, ns, mayStop)
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkOnce(t, k, got, 24)
	if text := messageOf(got, v1alpha1.ConditionMeasured); text != "Succeeded: 24 of 24 trials have a result" {
		t.Errorf("Measured: %s", text)
	}
	if c := got.Status.Comparisons[0]; c.PlannedBlockCount != 12 || got.Status.Plan.Analysis.StoppedAfterBlocks != nil || strings.Contains(got.Status.Verdict, "stopped") {
		t.Errorf("verdict %q of %+v", got.Status.Verdict, c)
	}
	d := records(t, got)[15].Decision
	if d == nil || d.Stop || !strings.HasPrefix(d.Why, "after 8 of at most 12 blocks: a ratio is known to within ") || !strings.Contains(d.Why, "; at this spread that takes about ") {
		t.Errorf("decision %+v", d)
	}
	if f := got.Status.Plan.Analysis.Forecast; f == nil || f.AfterBlocks != 11 || f.ExpectedBlocks == nil || *f.ExpectedBlocks <= 12 || f.Reachable == "" {
		t.Errorf("forecast %+v", f)
	}
}

// No target is started for a trial that a decision left out.
func TestTheActiveTargetOfARunThatStopped(t *testing.T) {
	run := &v1alpha1.BenchmarkRun{}
	run.Spec.Design.IdleTargets = v1alpha1.IdleStopped
	p := &plan.Plan{Targets: []string{"a", "b"}, Trials: []plan.Trial{{Index: 0, Target: 0}, {Index: 1, Target: 1}}}
	first := contract.Record{Index: 0, Target: "a", Final: true, State: contract.Succeeded}
	for name, tt := range map[string]struct {
		decision *contract.Decision
		want     string
	}{
		"it goes on": {nil, "b"},
		"it stopped": {&contract.Decision{Stop: true}, "a"},
	} {
		first.Decision = tt.decision
		v := view{
			World: World{Input: accept.Input{Run: run}}, accepted: accept.Result{Planned: experiment.Planned{Plan: p}},
			book: logbook.Book{Records: journal.Records{}.Add(first)},
		}
		if got := v.activeTarget(); got != tt.want {
			t.Errorf("%s: %s is active, want %s", name, got, tt.want)
		}
	}
}

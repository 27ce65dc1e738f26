package readout

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// with conditions, such as Complete=True.
func with(gate bool, conditions ...string) *v1alpha1.BenchmarkRun {
	run := &v1alpha1.BenchmarkRun{}
	if gate {
		run.Spec.Gate = &v1alpha1.Gate{Baseline: "release"}
	}
	for _, c := range conditions {
		name, status, _ := strings.Cut(c, "=")
		run.Status.Conditions = append(run.Status.Conditions, metav1.Condition{Type: name, Status: metav1.ConditionStatus(status), Reason: "R", Message: "of " + name})
	}
	return run
}

// Every end of a run has its exit code, and what is worse comes first.
func TestOutcomes(t *testing.T) {
	measuring := func(run *v1alpha1.BenchmarkRun) *v1alpha1.BenchmarkRun {
		run.Status.Phase = v1alpha1.PhaseMeasuring
		return run
	}
	compared := func(verdicts ...v1alpha1.ComparisonVerdict) *v1alpha1.BenchmarkRun {
		run := with(false, "Complete=True", "Valid=True")
		for _, v := range verdicts {
			run.Status.Comparisons = append(run.Status.Comparisons, v1alpha1.ComparisonEntry{Family: v1alpha1.FamilyPrimary, Verdict: v})
		}
		run.Status.Comparisons = append(run.Status.Comparisons, v1alpha1.ComparisonEntry{Family: v1alpha1.FamilyExploratory, Verdict: v1alpha1.VerdictExploratory})
		return run
	}
	suspended := with(false, "Accepted=True", "Placed=False")
	suspended.Status.Phase = v1alpha1.PhaseSuspended
	tests := map[string]struct {
		run  *v1alpha1.BenchmarkRun
		want Outcome
	}{
		"nobody has seen it":       {with(false), Outcome{Going, "Pending", "waiting for the manager to take it up"}},
		"waits":                    {measuring(with(false, "Accepted=True", "Placed=False")), Outcome{Going, "Running", "R: of Placed"}},
		"is summarised":            {measuring(with(false, "Accepted=True", "Placed=True", "TargetsReady=True", "DataLoaded=True", "Measured=True")), Outcome{Going, "Running", "all trials have ended; the results are summarised"}},
		"complete":                 {with(false, "Complete=True", "Valid=True"), Outcome{Sound, "Measured", "R: of Complete"}},
		"suspended":                {suspended, Outcome{Going, "Suspended", "R: of Placed"}},
		"one comparison":           {compared(v1alpha1.VerdictFaster), Outcome{Sound, "Faster", "R: of Complete"}},
		"several comparisons":      {compared(v1alpha1.VerdictInconclusive, v1alpha1.VerdictFaster, v1alpha1.VerdictFaster), Outcome{Sound, "2 Faster + 1 more kind", "R: of Complete"}},
		"comparisons of one kind":  {compared(v1alpha1.VerdictFaster, v1alpha1.VerdictFaster), Outcome{Sound, "2 Faster", "R: of Complete"}},
		"one that became slower":   {compared(v1alpha1.VerdictFaster, v1alpha1.VerdictFaster, v1alpha1.VerdictEquivalent, v1alpha1.VerdictSlower), Outcome{Sound, "1 Slower + 2 more kinds", "R: of Complete"}},
		"failed":                   {with(false, "Failed=True", "Valid=Unknown"), Outcome{Failed, "Failed", "R: of Failed"}},
		"failed behind a gate":     {with(true, "Failed=True", "Valid=False", "Passed=False"), Outcome{Failed, "Failed", "R: of Failed"}},
		"not valid":                {with(false, "Complete=True", "Valid=False"), Outcome{Invalid, "Invalid", "R: of Valid"}},
		"nothing says it is valid": {with(false, "Complete=True"), Outcome{Invalid, "Invalid", "NotReached"}},
		"not valid behind a gate":  {with(true, "Complete=True", "Valid=False", "Passed=False"), Outcome{Invalid, "Invalid", "R: of Valid"}},
		"passed":                   {with(true, "Complete=True", "Valid=True", "Passed=True"), Outcome{Passed, "GatePassed", "R: of Passed"}},
		"the gate failed":          {with(true, "Complete=True", "Valid=True", "Passed=False"), Outcome{GateFailed, "GateFailed", "R: of Passed"}},
		"the gate cannot decide":   {with(true, "Complete=True", "Valid=True", "Passed=Unknown"), Outcome{GateNotJudged, "GateNotJudged", "R: of Passed"}},
		"the gate says nothing":    {with(true, "Complete=True", "Valid=True"), Outcome{GateNotJudged, "GateNotJudged", "NotReached"}},
	}
	for name, tt := range tests {
		if got := OutcomeOf(tt.run); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}

// Every kind of outcome has one exit code.
func TestExitCodes(t *testing.T) {
	for kind, want := range map[Kind]int{Going: 0, Sound: 0, Passed: 0, Failed: 2, Invalid: 3, GateFailed: 4, GateNotJudged: 5} {
		if got := kind.ExitCode(); got != want {
			t.Errorf("%s: %d, want %d", kind, got, want)
		}
	}
}

// What to do next names the run of a cluster, or the bundle that was read.
func TestNextNamesWhatWasRead(t *testing.T) {
	run := &v1alpha1.BenchmarkRun{}
	run.Name, run.Namespace, run.Status.Phase = "r", "ns", v1alpha1.PhaseFailed
	run.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionFailed, Status: metav1.ConditionTrue, Reason: "ToolFailed", Message: "it ended"}}
	for bundle, want := range map[string]string{"": "kubectl assay why r -n ns says", "r.assay.tar": "kubectl assay why r.assay.tar says"} {
		if next := StatusIn(run, View{Bundle: bundle}).Next; len(next) != 1 || !strings.HasPrefix(next[0], want) {
			t.Errorf("%q: %q, want %q", bundle, next, want)
		}
	}
}

// A run that measures says what it knows of its ratios beside its trial, as soon as it has looked.
func TestARunThatMeasuresTellsItsForecast(t *testing.T) {
	const trial = "trial 24: base block 12"
	for name, tt := range map[string]struct {
		precision string
		pilot     *int32
		forecast  *v1alpha1.Forecast
		want      string
	}{
		"before the first look": {},
		"the pilot, of a time":  {forecast: &v1alpha1.Forecast{AfterBlocks: 1, MostBlocks: 20}, want: "; after 1 block the pilot goes on"},
		"a larger pilot": {
			precision: "2%", pilot: new(int32(12)), forecast: &v1alpha1.Forecast{AfterBlocks: 10, MostBlocks: 20}, want: "; after 10 blocks the pilot goes on",
		},
		"a ratio that is not known": {
			precision: "2%", forecast: &v1alpha1.Forecast{AfterBlocks: 12, MostBlocks: 20},
			want: "; after 12 blocks a ratio has no interval, or too few blocks for a verdict",
		},
		"a time": {
			forecast: &v1alpha1.Forecast{AfterBlocks: 12, MostBlocks: 20, Precision: "0.031", Reachable: "0.024"},
			want:     "; after 12 blocks every ratio is known to within 3.1 %; at this spread the 20 blocks that fit reach about 2.4 %",
		},
		"a precision": {
			precision: "2%", forecast: &v1alpha1.Forecast{AfterBlocks: 12, MostBlocks: 40, ExpectedBlocks: new(int32(30)), Precision: "0.031", Reachable: "0.018"},
			want: "; after 12 blocks every ratio is known to within 3.1 %, and 2 % is wanted; at this spread that takes about 30 blocks",
		},
	} {
		run := with(false, "Accepted=True")
		run.Status.Progress.Current = trial
		run.Spec.Design.Precision = v1alpha1.Percentage(tt.precision)
		run.Status.Plan = &v1alpha1.PlanStatus{Analysis: &v1alpha1.PlannedAnalysis{PilotBlocks: tt.pilot, Forecast: tt.forecast}}
		for _, step := range Steps {
			if step != v1alpha1.ConditionMeasured {
				run.Status.Conditions = append(run.Status.Conditions, metav1.Condition{Type: step, Status: metav1.ConditionTrue})
				continue
			}
			break
		}
		run.Status.Conditions = append(run.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionMeasured, Status: metav1.ConditionFalse})
		if got := doing(run); got != trial+tt.want {
			t.Errorf("%s: %q, want %q", name, got, trial+tt.want)
		}
	}
}

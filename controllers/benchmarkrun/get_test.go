package benchmarkrun

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/exit"
)

// `kubectl assay get RUN` reads one object, however many trials the run has: the largest status that a run of 20,000 trials
// leaves is shown.
func TestGetOfTheLargestRun(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	run := newRun(t, ns)
	create(t, run)
	fillStatus(&run.Status)
	data, err := json.Marshal(run.Status)
	if err != nil {
		t.Fatal(err)
	}
	if err := server.API.Status().Update(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	config := server.Kubeconfig(t, "", ns)
	begun := time.Now()
	got := assay(t.Context(), "get", "run", "--kubeconfig", config)
	t.Logf("a status of %d KiB: %s", len(data)>>10, time.Since(begun))
	if got.code != exit.OK || !strings.Contains(got.out, "20000 of 20000 trials") || !strings.Contains(got.out, "and 39872 more numbers") {
		t.Fatalf("%d: %.400s%s", got.code, got.out, got.problems)
	}
}

// fillStatus as a run of 20,000 trials leaves it: every list at its bound.
func fillStatus(st *v1alpha1.BenchmarkRunStatus) {
	long := strings.Repeat("x", 400)
	st.Phase = v1alpha1.PhaseComplete
	st.Progress = v1alpha1.Progress{Planned: 20000, Totals: v1alpha1.Totals{Done: 20000, Succeeded: 20000}, Text: "20000/20000"}
	for _, name := range v1alpha1.ConditionTypes() {
		status := metav1.ConditionTrue
		if name == v1alpha1.ConditionFailed {
			status = metav1.ConditionFalse
		}
		st.Conditions = append(st.Conditions, metav1.Condition{Type: name, Status: status, Reason: "Succeeded", Message: long, LastTransitionTime: metav1.Now()})
	}
	for i := range 128 {
		st.Summary = append(st.Summary, v1alpha1.SummaryEntry{
			Name: "throughput", Target: fmt.Sprintf("t%d", i), Unit: "tx/s", Median: "1", Min: "1", Max: "2", TrialCount: 10, PlannedTrialCount: 10, Caveat: long,
		})
	}
	for i := range 64 {
		st.Comparisons = append(st.Comparisons, v1alpha1.ComparisonEntry{
			Family: v1alpha1.FamilyPrimary, Factor: "target", Value: fmt.Sprint(i), Baseline: "a", Name: "throughput", Verdict: v1alpha1.VerdictFaster, PlannedBlockCount: 10, Text: long,
			Reasons: []v1alpha1.VerdictReason{{Code: v1alpha1.CodeNotAlike, Values: map[string]string{"unmet": long}}},
		})
	}
	for i := range 11 {
		trial := v1alpha1.TrialStatus{Index: int32(i), Target: "db", State: v1alpha1.TrialSucceeded}
		for v := range 60 {
			trial.Values = append(trial.Values, v1alpha1.Value{Name: fmt.Sprintf("m%d", v), Value: "1", Unit: "ms"})
		}
		st.Trials = append(st.Trials, trial)
	}
	for range 20 {
		st.Findings = append(st.Findings, v1alpha1.Finding{Check: "little", Severity: v1alpha1.SeverityWarning, Message: strings.Repeat(long, 10)})
	}
	st.Plan = &v1alpha1.PlanStatus{TrialCount: 20000, CellCount: 1000, SHA256: strings.Repeat("0a", 32), ConfigMapCount: 1}
	st.Results = &v1alpha1.ResultsStatus{RecordConfigMapCount: 200, SummaryConfigMapCount: 40, SummaryEntryCount: 40000, ShownEntryCount: 128, ComparisonCount: 64, ShownComparisonCount: 64}
}

package show

import (
	"fmt"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/cli/output"
)

// Outcome is what became of a run.
type Outcome struct {
	// Code is the exit code of a command that followed the run.
	Code int
	// Word is Running, Valid (without a gate), Passed, Failed, Invalid, GateFailed or Inconclusive.
	Word string
	// Message says why.
	Message string
}

// OutcomeOf a run. What is worse comes first: a run that failed has no valid results, and a gate says nothing of
// results that are not valid.
func OutcomeOf(run *v1alpha1.BenchmarkRun) Outcome {
	condition := func(name string) metav1.Condition {
		if c := apimeta.FindStatusCondition(run.Status.Conditions, name); c != nil {
			return *c
		}
		return metav1.Condition{Type: name, Status: metav1.ConditionUnknown, Reason: v1alpha1.ReasonNotReached}
	}
	says := func(code int, word string, c metav1.Condition) Outcome {
		return Outcome{code, word, fmt.Sprintf("%s: %s", c.Reason, c.Message)}
	}
	valid, passed := condition(v1alpha1.ConditionValid), condition(v1alpha1.ConditionPassed)
	switch {
	case run.HasFailed():
		return says(exit.Failed, "Failed", condition(v1alpha1.ConditionFailed))
	case !run.Finished():
		return Outcome{exit.OK, "Running", doing(run)}
	case valid.Status != metav1.ConditionTrue:
		return says(exit.Invalid, "Invalid", valid)
	case run.Spec.Gate == nil:
		return says(exit.OK, "Valid", condition(v1alpha1.ConditionComplete))
	case passed.Status == metav1.ConditionTrue:
		return says(exit.OK, "Passed", passed)
	case passed.Status == metav1.ConditionFalse:
		return says(exit.Gate, "GateFailed", passed)
	}
	return says(exit.Inconclusive, "Inconclusive", passed)
}

// steps are the conditions that a run reaches one after the other.
var steps = []string{
	v1alpha1.ConditionAccepted, v1alpha1.ConditionPlaced, v1alpha1.ConditionTargetsReady, v1alpha1.ConditionDataLoaded, v1alpha1.ConditionMeasured,
}

// stepOf a run is the first condition that is not True; ok is false when all are.
func stepOf(run *v1alpha1.BenchmarkRun) (step metav1.Condition, ok bool) {
	for _, name := range steps {
		c := apimeta.FindStatusCondition(run.Status.Conditions, name)
		if c == nil {
			return metav1.Condition{Type: name, Status: metav1.ConditionUnknown, Reason: v1alpha1.ReasonNotReached}, true
		}
		if c.Status != metav1.ConditionTrue {
			return *c, true
		}
	}
	return metav1.Condition{}, false
}

// doing says what a run that has not ended does.
func doing(run *v1alpha1.BenchmarkRun) string {
	if run.Status.ObservedGeneration < 0 || len(run.Status.Conditions) == 0 {
		return "waiting for the manager to take it up"
	}
	step, waits := stepOf(run)
	switch {
	case !waits:
		return "all trials have ended; the results are summarised"
	case step.Type == v1alpha1.ConditionMeasured && run.Status.Progress.Current != "":
		return run.Status.Progress.Current
	}
	return fmt.Sprintf("%s: %s", step.Reason, step.Message)
}

// HeadOf a run.
func HeadOf(run *v1alpha1.BenchmarkRun) output.RunHead {
	st, p := run.Status, run.Status.Progress
	outcome := OutcomeOf(run)
	status := func(name, without string) string {
		if c := apimeta.FindStatusCondition(st.Conditions, name); c != nil {
			return string(c.Status)
		}
		return without
	}
	head := output.RunHead{
		Namespace: run.Namespace, Name: run.Name, UID: string(run.UID), Phase: string(st.Phase),
		Outcome: outcome.Word, ExitCode: outcome.Code, Message: outcome.Message,
		Trials: output.Trials{
			Planned: p.Planned, Done: p.Done, Succeeded: p.Succeeded, Failed: p.Failed, Invalid: p.Invalid, Disturbed: p.Disturbed, Retries: p.Retries,
		},
		Valid: status(v1alpha1.ConditionValid, string(metav1.ConditionUnknown)), Passed: status(v1alpha1.ConditionPassed, ""),
		Headline: st.Headline, Verdict: st.Verdict, Report: reportOf(st.Report),
		Created: run.CreationTimestamp.Time, Started: timeOf(st.StartTime), Ended: timeOf(st.CompletionTime),
	}
	if head.Ended == nil {
		head.Ends = timeOf(p.EstimatedCompletionTime)
	}
	return head
}

// reportOf a run is where it is stored; empty where it is not.
func reportOf(report *v1alpha1.ReportStatus) string {
	switch {
	case report == nil || report.ConfigMap == "":
		return ""
	case report.Page != nil:
		return report.Page.URL
	}
	return "ConfigMap/" + report.ConfigMap
}

func timeOf(t *metav1.Time) *time.Time {
	if t == nil {
		return nil
	}
	return &t.Time
}

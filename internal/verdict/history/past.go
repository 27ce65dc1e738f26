package history

import (
	"cmp"
	"slices"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/stats"
)

// Bounds of the texts of an entry, in bytes.
const (
	maxReason  = 128
	maxOutcome = 253
	maxText    = 1024
)

// describe what is known of a run without its records.
func describe(run *v1alpha1.BenchmarkRun) contract.PastRun {
	st := run.Status
	out := contract.PastRun{
		Name: run.Name, UID: string(run.UID), SpecHash: st.SpecHash, Trigger: contract.Cut(run.Annotations[v1alpha1.AnnotationTrigger], maxReason),
		Outcome: contract.Cut(st.Outcome, maxOutcome), Verdict: contract.Cut(st.Verdict, maxText), Headline: contract.Cut(st.Headline, maxText),
		CompletionTime: run.CreationTimestamp.UTC(),
	}
	if st.CompletionTime != nil {
		out.CompletionTime = st.CompletionTime.UTC()
	}
	if st.StartTime != nil {
		out.StartTime = new(st.StartTime.UTC())
	}
	if t, err := time.Parse(time.RFC3339, run.Annotations[v1alpha1.AnnotationScheduledTime]); err == nil {
		out.ScheduledTime = &t
	}
	if c := apimeta.FindStatusCondition(st.Conditions, v1alpha1.ConditionValid); c != nil {
		out.Valid = string(c.Status)
	}
	if c := apimeta.FindStatusCondition(st.Conditions, v1alpha1.ConditionPassed); c != nil && c.Status != metav1.ConditionUnknown {
		out.Passed = new(c.Status == metav1.ConditionTrue)
	}
	out.Reason, out.Message = whyFailed(run)
	return out
}

// refused is the entry of a run whose records are not its own: nothing that it said of itself counts.
func refused(run contract.PastRun, reason, message string) contract.PastRun {
	run.Outcome, run.Valid, run.Passed = v1alpha1.OutcomeInvalid, string(metav1.ConditionFalse), nil
	run.Verdict, run.Headline = "", ""
	run.Reason, run.Message = contract.Cut(reason, maxReason), contract.Cut(message, maxText)
	return run
}

// whyFailed are the reason and the message of a run that did not succeed.
func whyFailed(run *v1alpha1.BenchmarkRun) (reason, message string) {
	condition, bad := map[string]string{
		v1alpha1.OutcomeFailed: v1alpha1.ConditionFailed, v1alpha1.OutcomeInvalid: v1alpha1.ConditionValid,
		v1alpha1.OutcomeGateFailed: v1alpha1.ConditionPassed, v1alpha1.OutcomeGateNotJudged: v1alpha1.ConditionPassed,
	}[run.Status.Outcome]
	c := apimeta.FindStatusCondition(run.Status.Conditions, condition)
	if !bad || c == nil {
		return "", ""
	}
	return contract.Cut(c.Reason, maxReason), contract.CutInside(c.Message, maxText)
}

// medians of the seconds of each kernel on each side.
func medians(all map[speedKey][]float64) []contract.RecordedSpeed {
	var out []contract.RecordedSpeed
	for key, seconds := range all {
		if sum, err := stats.Summarize(seconds); err == nil {
			out = append(out, contract.RecordedSpeed{Side: key.side, Kernel: key.kernel, Seconds: sum.Median})
		}
	}
	slices.SortFunc(out, func(a, b contract.RecordedSpeed) int {
		return cmp.Or(cmp.Compare(a.Side, b.Side), cmp.Compare(a.Kernel, b.Kernel))
	})
	return out
}

package benchmarkrun

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// milestones are the conditions whose change to True is worth an event.
var milestones = []string{
	v1alpha1.ConditionAccepted, v1alpha1.ConditionPlaced, v1alpha1.ConditionTargetsReady,
	v1alpha1.ConditionDataLoaded, v1alpha1.ConditionMeasured, v1alpha1.ConditionComplete, v1alpha1.ConditionPassed, v1alpha1.ConditionSuspended,
}

// maxNote is how many bytes the API server takes of the message of an event.
const maxNote = 1024

// tell sends an event of a run. Of a message that is too long, what is in the middle goes: the words of a driver or a server, and not the
// remedy behind them.
func tell(to events.EventRecorder, run *v1alpha1.BenchmarkRun, kind, reason, message string) {
	to.Eventf(run, nil, kind, contract.Cut(reason, 128), "Reconcile", "%s", contract.CutInside(message, maxNote))
}

// announce sends the events that follow from what changed in the status, after it
// was written.
func (r *Reconciler) announce(before, after *v1alpha1.BenchmarkRun) {
	became := func(condition string, status metav1.ConditionStatus) *metav1.Condition {
		c := apimeta.FindStatusCondition(after.Status.Conditions, condition)
		if c == nil || c.Status != status || apimeta.IsStatusConditionPresentAndEqual(before.Status.Conditions, condition, status) {
			return nil
		}
		return c
	}
	for _, condition := range milestones {
		if c := became(condition, metav1.ConditionTrue); c != nil {
			tell(r.Events, after, corev1.EventTypeNormal, condition, cmp.Or(c.Message, condition))
		}
	}
	if v := after.Status.Verdict; v != "" && before.Status.Verdict == "" {
		tell(r.Events, after, corev1.EventTypeNormal, "Verdict", v)
	}
	if c := became(v1alpha1.ConditionFailed, metav1.ConditionTrue); c != nil {
		tell(r.Events, after, corev1.EventTypeWarning, c.Reason, c.Message)
	}
	if c := became(v1alpha1.ConditionValid, metav1.ConditionFalse); c != nil {
		tell(r.Events, after, corev1.EventTypeWarning, c.Reason, c.Message)
	}
	// That a run passed its gate is a milestone.
	gated := apimeta.FindStatusCondition(after.Status.Conditions, v1alpha1.ConditionPassed)
	if c := gated; c != nil && c.Status != metav1.ConditionTrue && after.Finished() && !before.Finished() {
		tell(r.Events, after, corev1.EventTypeWarning, c.Reason, c.Message)
	}
	if c := apimeta.FindStatusCondition(after.Status.Conditions, v1alpha1.ConditionPlaced); c != nil && c.Reason == v1alpha1.ReasonQueued {
		if b := apimeta.FindStatusCondition(before.Status.Conditions, v1alpha1.ConditionPlaced); b == nil || b.Reason != c.Reason {
			tell(r.Events, after, corev1.EventTypeNormal, c.Reason, c.Message)
		}
	}
	announceNodes(r.Events, before, after)
	for _, t := range after.Status.Trials {
		if !ended(before.Status.Trials, t) && ended(after.Status.Trials, t) {
			announceTrial(r.Events, after, t)
		}
	}
	if d := after.Status.Progress.Done; d > before.Status.Progress.Done {
		r.Events.Eventf(after, nil, corev1.EventTypeNormal, "TrialEnded", "Reconcile", "%s trials have ended", after.Status.Progress.Text)
	}
}

// announceNodes tells of nodes that a run does not use: when it will give them back, and when it
// has.
func announceNodes(to events.EventRecorder, before, after *v1alpha1.BenchmarkRun) {
	if p, b := after.Status.Placement, before.Status.Placement; p != nil && p.HeldUntil != nil && (b == nil || b.HeldUntil == nil) {
		to.Eventf(after, nil, corev1.EventTypeNormal, "NodesHeld", "Reconcile", "the run does not use its nodes, and gives them back at %s", p.HeldUntil.UTC().Format(time.RFC3339))
	}
	if after.Status.Releases > before.Status.Releases {
		to.Eventf(after, nil, corev1.EventTypeNormal, "NodesGivenBack", "Reconcile", "the run was suspended and gave its nodes back: its data will be loaded again")
	}
}

// ended says whether the end of an attempt stands in a status.
func ended(trials []v1alpha1.TrialStatus, t v1alpha1.TrialStatus) bool {
	return slices.ContainsFunc(trials, func(o v1alpha1.TrialStatus) bool {
		return o.Index == t.Index && o.Attempt == t.Attempt && o.State != v1alpha1.TrialRunning
	})
}

// announceTrial tells of a trial that failed or does not count: what a person who
// follows the run wants to look at.
func announceTrial(to events.EventRecorder, run *v1alpha1.BenchmarkRun, t v1alpha1.TrialStatus) {
	warn := func(reason, format string, args ...any) {
		tell(to, run, corev1.EventTypeWarning, reason, fmt.Sprintf(format, args...))
	}
	switch {
	case t.State == v1alpha1.TrialFailed:
		warn("TrialFailed", "trial %d, attempt %d (target %s): %s: %s", t.Index, t.Attempt, t.Target, t.Reason, t.Message)
	case t.Valid != nil && !*t.Valid:
		warn("TrialInvalid", "trial %d (target %s): its result contradicts itself: see status.findings", t.Index, t.Target)
	case t.Disturbed:
		warn("TrialDisturbed", "trial %d (target %s): interference during the measurement: see status.findings", t.Index, t.Target)
	}
}

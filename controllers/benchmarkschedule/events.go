package benchmarkschedule

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// announce what happened, after the status was written.
func (r *Reconciler) announce(w World, d decision, a done, after *v1alpha1.BenchmarkSchedule) {
	tell := func(kind, reason, format string, args ...any) {
		r.Events.Eventf(after, nil, kind, reason, "Reconcile", "%s", contract.CutInside(fmt.Sprintf(format, args...), maxMessage))
	}
	if d.write {
		for _, run := range w.Ended {
			if succeeded(run.Outcome) {
				tell(corev1.EventTypeNormal, "RunSucceeded", "run %s: %s", run.Name, run.Headline)
			} else {
				tell(corev1.EventTypeWarning, "RunFailed", "run %s did not succeed: %s: %s", run.Name, run.Reason, run.Message)
			}
		}
	}
	for _, name := range gone(w) {
		tell(corev1.EventTypeWarning, "RunDeleted", "somebody deleted run %s, which was active: it is not in the history", name)
	}
	for _, run := range a.replaced {
		tell(corev1.EventTypeNormal, "RunReplaced", "run %s was active and is deleted (concurrencyPolicy: Replace)", run.Name)
	}
	if d.start != nil && a.started.Name != "" {
		tell(corev1.EventTypeNormal, "RunStarted", "run %s was started (%s)", a.started.Name, d.start.trigger)
	}
	if m := d.times.missed; m.count > 0 && d.invalid == "" {
		tell(corev1.EventTypeWarning, v1alpha1.ReasonScheduleMissed, "%d times were missed, the last one at %s: %s", m.count, m.last.UTC().Format(time.RFC3339), m.why)
	}
	if d.times.corrected() && d.invalid == "" {
		tell(corev1.EventTypeWarning, "ClockWasAhead", "%s", aheadText(d))
	}
	for _, condition := range []string{v1alpha1.ConditionScheduleReady, v1alpha1.ConditionOnSchedule, v1alpha1.ConditionImagesResolved} {
		was := apimeta.FindStatusCondition(w.Schedule.Status.Conditions, condition)
		is := apimeta.FindStatusCondition(after.Status.Conditions, condition)
		if is == nil {
			continue // no image is looked up
		}
		told := is.Reason == v1alpha1.ReasonLastRunFailed || is.Reason == v1alpha1.ReasonScheduleMissed
		if is.Status == metav1.ConditionFalse && !told && (was == nil || was.Reason != is.Reason) {
			tell(corev1.EventTypeWarning, is.Reason, "%s", is.Message)
		}
	}
	if is := apimeta.FindStatusCondition(after.Status.Conditions, v1alpha1.ConditionRegressed); is != nil && is.Status == metav1.ConditionTrue &&
		!apimeta.IsStatusConditionTrue(w.Schedule.Status.Conditions, v1alpha1.ConditionRegressed) {
		tell(corev1.EventTypeWarning, is.Reason, "%s", is.Message)
	}
}

// tellLost that somebody deleted the history. It is told before anything is written, so that a manager that dies does not keep it to itself.
func tellLost(to events.EventRecorder, w World) {
	if was := w.Schedule.Status.History; lost(w) {
		to.Eventf(w.Schedule, nil, corev1.EventTypeWarning, "HistoryLost", "Reconcile",
			"somebody deleted ConfigMap %s with the history of %d runs: a new one begins with the runs that are there", was.ConfigMap, was.RunCount)
	}
}

// refused tells that the API server does not take the status: nothing else could say so.
func (r *Reconciler) refused(s *v1alpha1.BenchmarkSchedule, err error) {
	if rejected(err) {
		r.Events.Eventf(s, nil, corev1.EventTypeWarning, "StatusRejected", "Reconcile", "%s",
			contract.Cut(fmt.Sprintf("the API server rejects the status of the schedule, which stays as it was: %v", err), maxMessage))
	}
}

package benchmarkrun

import (
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/summary"
)

// finished says whether a run has ended.
func finished(run *v1alpha1.BenchmarkRun) bool {
	return apimeta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionComplete) ||
		apimeta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionFailed)
}

func (s *scope) set(condition string, status metav1.ConditionStatus, reason, message string) {
	apimeta.SetStatusCondition(&s.run.Status.Conditions, metav1.Condition{
		Type: condition, Status: status, Reason: reason, Message: message,
		ObservedGeneration: s.run.Generation, LastTransitionTime: metav1.Time{Time: s.now},
	})
}

// setUndecided makes every condition present from the first status on: those that no
// step has decided are Unknown.
func setUndecided(s *scope) {
	for _, condition := range v1alpha1.ConditionTypes() {
		if apimeta.FindStatusCondition(s.run.Status.Conditions, condition) != nil {
			continue
		}
		switch condition {
		case v1alpha1.ConditionSuspended:
			s.set(condition, metav1.ConditionFalse, v1alpha1.ReasonNotSuspended, "spec.suspend is false")
		case v1alpha1.ConditionReconciling:
			s.set(condition, metav1.ConditionTrue, v1alpha1.ReasonProgressing, "the run begins")
		case v1alpha1.ConditionStalled:
			s.set(condition, metav1.ConditionFalse, v1alpha1.ReasonProgressing, "the run has not failed")
		default:
			s.set(condition, metav1.ConditionUnknown, v1alpha1.ReasonNotReached, "the run has not come so far")
		}
	}
}

// setStep puts the outcome of a step into its condition.
func setStep(s *scope, st step, o outcome) {
	s.run.Status.ObservedGeneration = s.run.Generation
	if s.run.Status.Progress.Text == "" && s.plan != nil {
		s.run.Status.Progress.Text = progressText(s.run.Status.Progress)
	}
	if o.kind == done {
		s.set(st.condition, metav1.ConditionTrue, orDefault(o.reason, v1alpha1.ReasonSucceeded), o.message)
		return
	}
	s.set(st.condition, metav1.ConditionFalse, o.reason, o.message)
	if o.kind == waiting {
		setWaiting(s, st.phase, o)
	}
}

// setWaiting tells what the run is waiting for.
func setWaiting(s *scope, phase v1alpha1.Phase, o outcome) {
	s.run.Status.Phase = phase
	if o.reason == v1alpha1.ReasonQueued {
		s.run.Status.Phase = v1alpha1.PhaseQueued
	}
	if s.run.Spec.Suspend && o.reason == v1alpha1.ReasonSuspended {
		s.run.Status.Phase = v1alpha1.PhaseSuspended
	}
	s.set(v1alpha1.ConditionReconciling, metav1.ConditionTrue, o.reason, o.message)
}

// setEnd sets the conditions of a run that has ended.
func setEnd(s *scope, failure *outcome) {
	s.set(v1alpha1.ConditionSuspended, metav1.ConditionFalse, v1alpha1.ReasonNotSuspended, "the run has ended")
	if failure == nil {
		s.run.Status.Phase = v1alpha1.PhaseComplete
		s.set(v1alpha1.ConditionComplete, metav1.ConditionTrue, v1alpha1.ReasonSucceeded, completeMessage(s.run))
		for _, condition := range []string{v1alpha1.ConditionFailed, v1alpha1.ConditionStalled, v1alpha1.ConditionReconciling} {
			s.set(condition, metav1.ConditionFalse, v1alpha1.ReasonSucceeded, "the run is complete")
		}
		return
	}
	s.run.Status.Phase = v1alpha1.PhaseFailed
	s.set(v1alpha1.ConditionFailed, metav1.ConditionTrue, failure.reason, failure.message)
	s.set(v1alpha1.ConditionStalled, metav1.ConditionTrue, failure.reason, failure.message)
	s.set(v1alpha1.ConditionComplete, metav1.ConditionFalse, failure.reason, "the run has failed")
	s.set(v1alpha1.ConditionReconciling, metav1.ConditionFalse, failure.reason, "the run has failed")
}

// completeMessage is the headline, and what of the summary stands elsewhere.
func completeMessage(run *v1alpha1.BenchmarkRun) string {
	message := orDefault(run.Status.Headline, "no trial has a measurement for the summary")
	if elsewhere := summary.Elsewhere(run.Name, run.Status.Results); elsewhere != "" {
		message += "; " + elsewhere
	}
	return message
}

// keepTime counts the time that the run spends suspended.
func keepTime(s *scope) {
	st := &s.run.Status
	switch {
	case s.run.Spec.Suspend && st.SuspendedTime == nil:
		st.SuspendedTime = &metav1.Time{Time: s.now}
		s.set(v1alpha1.ConditionSuspended, metav1.ConditionTrue, v1alpha1.ReasonSuspended, "spec.suspend is true: nothing new is started")
	case !s.run.Spec.Suspend && st.SuspendedTime != nil:
		st.SuspendedDuration = &metav1.Duration{Duration: suspendedFor(s)}
		st.SuspendedTime = nil
		if st.AcceptedTime != nil && st.Placement == nil {
			// It left the queue, and joins it again at its end.
			st.AcceptedTime = &metav1.Time{Time: s.now}
		}
		s.set(v1alpha1.ConditionSuspended, metav1.ConditionFalse, v1alpha1.ReasonNotSuspended, "spec.suspend is false")
	}
}

// suspendedFor is the time spent suspended so far, since the run was accepted.
func suspendedFor(s *scope) time.Duration {
	var d time.Duration
	if f := s.run.Status.SuspendedDuration; f != nil {
		d = f.Duration
	}
	if since := s.run.Status.SuspendedTime; since != nil && s.run.Status.StartTime != nil {
		from := since.Time
		if from.Before(s.run.Status.StartTime.Time) {
			from = s.run.Status.StartTime.Time
		}
		d += s.now.Sub(from)
	}
	return d
}

// overdue fails a run that is past its deadline, which counts from the moment it
// has its nodes. One that could not be accepted for so long, because reading what it
// names keeps failing, is overdue as well.
func overdue(s *scope) outcome {
	start := s.run.CreationTimestamp
	switch {
	case s.run.Status.StartTime != nil:
		start = *s.run.Status.StartTime
	case s.run.Status.AcceptedTime != nil:
		return outcome{} // queued: step place has a limit of its own
	}
	if s.now.Sub(start.Time)-suspendedFor(s) <= s.run.Spec.Deadline.Duration {
		return outcome{}
	}
	return failWith(v1alpha1.ReasonDeadlineExceeded,
		"the run did not end within spec.deadline (%s): %d of %d trials were measured",
		s.run.Spec.Deadline.Duration, s.run.Status.Progress.Done, s.run.Status.Progress.Planned)
}

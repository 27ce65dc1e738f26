package benchmarkrun

import (
	"context"
	"errors"
	"fmt"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/journal"
	"github.com/assay-bench/assay/internal/resources"
	"github.com/assay-bench/assay/internal/result"
	"github.com/assay-bench/assay/internal/validity"
)

// conclude ends the run: with a failure, or else as complete. The results and the
// condition that announces them appear in the same write.
func (r *Reconciler) conclude(ctx context.Context, s *scope, failure *outcome) error {
	run := s.run
	if err := r.breakOff(ctx, s, failure); err != nil {
		return err
	}
	run.Status.FinishTime = &metav1.Time{Time: s.now}
	run.Status.Progress.CurrentTrial, run.Status.Progress.Current = nil, ""
	run.Status.Progress.EstimatedEnd = nil
	if err := r.summarise(ctx, s); err != nil {
		return err
	}
	setValid(s)
	setEnd(s, failure)
	return nil
}

// breakOff records the trial that was running when the run failed.
func (r *Reconciler) breakOff(ctx context.Context, s *scope, failure *outcome) error {
	if failure == nil || s.plan == nil || s.run.Status.Placement == nil {
		return nil
	}
	at := s.journal.Position()
	if int(at.Index) >= len(s.plan.Trials) {
		return nil
	}
	name := v1alpha1.TrialName(s.run.Name, at.Index, at.Attempt)
	if s.jobs[name] == nil && !s.running(at) {
		return nil
	}
	st := s.newTrialStatus(s.plan.Trials[at.Index], at.Attempt)
	st.State, st.Result, st.Ended = v1alpha1.TrialFailed, v1alpha1.ResultName(name, 0), &metav1.MicroTime{Time: s.now}
	st.Reason, st.Message = failure.reason, "the run ended before the trial did: "+failure.message
	return r.record(ctx, s, journal.Record{TrialStatus: st, Final: true})
}

// check holds the results of a trial against themselves and against what was asked
// for.
func (s *scope) check(e execution, results []result.Result, skew result.Skew) []v1alpha1.Finding {
	var out []v1alpha1.Finding
	for i, res := range results {
		asked := s.trialOf(e, s.now)
		asked.Ref.Client = i
		facts, err := s.runner.Facts(asked)
		if err != nil {
			return []v1alpha1.Finding{{Check: "facts", Severity: string(validity.Invalid), Message: err.Error()}}
		}
		demand, err := s.runner.Demand(asked)
		if err != nil {
			return []v1alpha1.Finding{{Check: "facts", Severity: string(validity.Invalid), Message: err.Error()}}
		}
		facts.Clients, facts.Connections = len(results), demand.Connections
		if bound := s.run.Spec.Design.MaxThrottledPercent; bound != nil {
			facts.MaxThrottled = float64(*bound) / 100
		}
		for _, f := range validity.Check(res, facts) {
			found := v1alpha1.Finding{Check: f.Check, Severity: string(f.Severity), Message: f.Message}
			if len(results) > 1 {
				found.Client = new(int32(i))
			}
			out = append(out, found)
		}
	}
	if len(results) > 1 {
		for _, f := range validity.CheckClients(skew) {
			out = append(out, v1alpha1.Finding{Check: f.Check, Severity: string(f.Severity), Message: f.Message})
		}
	}
	return out
}

func isInvalid(f v1alpha1.Finding) bool { return f.Severity == string(validity.Invalid) }

func isDisturbed(f v1alpha1.Finding) bool { return f.Severity == string(validity.Disturbed) }

// summarise computes, for each cell and target, the median and spread of each
// measurement over the trials that count, and stores all of it.
func (r *Reconciler) summarise(ctx context.Context, s *scope) error {
	s.run.Status.Summary = nil
	if s.plan == nil || s.journal.object == nil {
		return nil
	}
	records, err := r.allRecords(ctx, s)
	var gone *refusal
	if errors.As(err, &gone) {
		return nil // the run has failed for just this
	}
	if err != nil {
		return err
	}
	s.showMachineSpeed(records)
	entries := summary(s, records)
	s.run.Status.Summary = mainEntries(entries, s.runner.Summary)
	s.run.Status.Headline = headline(entries)
	parts, err := journal.SplitSummary(entries)
	if err != nil {
		return err
	}
	for i, data := range parts {
		cm := resources.Journal(s.run, v1alpha1.SummaryName(s.run.Name, int32(i)), v1alpha1.KeySummary, data)
		if _, err := r.ensure(ctx, s, cm); err != nil {
			return err
		}
	}
	s.run.Status.Results.Summary = int32(len(parts))
	return nil
}

// setValid sets the condition Valid from the records, once there is a result that
// was checked.
func setValid(s *scope) {
	t := s.run.Status.Progress.Totals
	c := metav1.Condition{Type: v1alpha1.ConditionValid, ObservedGeneration: s.run.Generation, LastTransitionTime: metav1.Time{Time: s.now}}
	disturbed := ""
	if t.Disturbed > 0 {
		disturbed = fmt.Sprintf("; %d were disturbed and are not part of the summary", t.Disturbed)
	}
	switch {
	case t.Succeeded == 0:
		return
	case t.Invalid > 0:
		c.Status, c.Reason = metav1.ConditionFalse, v1alpha1.ReasonContradictions
		c.Message = fmt.Sprintf("%d of %d results contradict themselves and are not part of the summary: see status.findings%s", t.Invalid, t.Succeeded, disturbed)
	default:
		c.Status, c.Reason = metav1.ConditionTrue, v1alpha1.ReasonSucceeded
		c.Message = fmt.Sprintf("%d results passed every check%s", t.Succeeded, disturbed)
	}
	apimeta.SetStatusCondition(&s.run.Status.Conditions, c)
}

package benchmarkrun

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/controllers/benchmarkrun/trial"

	"github.com/assay-bench/assay/internal/contract"
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
	records, err := r.summarise(ctx, s)
	if err != nil {
		return err
	}
	setValid(s, records)
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
	name := contract.TrialName(s.run.Name, at.Index, at.Attempt)
	if s.jobs[name] == nil && !s.running(at) {
		return nil
	}
	broken := trial.Broken(r.input(s), at, decision.Failed{Reason: failure.reason, Message: failure.message})
	return r.record(ctx, s, broken)
}

package benchmarkrun

import (
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/controllers/benchmarkrun/trial"
	"github.com/assay-bench/assay/internal/journal"
	"github.com/assay-bench/assay/internal/plan"

	"github.com/assay-bench/assay/internal/contract"
)

// measure runs the trials of the plan in their order, one at a time. What became of
// an attempt is written into the journal before anything else happens; the next one
// begins in the same pass.
func (r *Reconciler) measure(ctx context.Context, s *scope) (outcome, error) {
	if err := r.removeEnded(ctx, s); err != nil {
		return outcome{}, err
	}
	for {
		if last := s.journal.Last(); last != nil && last.State == v1alpha1.TrialFailed && s.stopsAtFailure() {
			return failWith(last.Reason, "trial %d (%s): %s", last.Index, s.describe(last.Index), last.Message), nil
		}
		at := s.journal.Position()
		if int(at.Index) >= len(s.plan.Trials) {
			return s.allMeasured()
		}
		if wait, left := s.coolingDown(); left > 0 {
			return wait, nil
		}
		// The target of the next trial may be another one, and still be stopped.
		if only := s.only(); only != "" && s.targetPod(only) == nil {
			return waitFor(v1alpha1.ReasonProgressing, "target %s is started for the next trial", only), nil
		}
		workload, err := s.cellWorkload(s.plan.Cells[s.plan.Trials[at.Index].Cell])
		if err != nil {
			return failWith(v1alpha1.ReasonInvalidSpec, "%v", err), nil
		}
		in := r.input(s)
		e := trial.Measurement(in, at, workload)
		res, err := r.advance(ctx, s, e)
		if err != nil {
			return outcome{}, err
		}
		if _, ended := res.State.(decision.Done); !ended {
			return s.waitForTrial(at, outcomeOf(res.State)), nil
		}
		rec, err := consult(ctx, r, s, func(ask *decision.Asking) journal.Record { return trial.Record(in, e, at, res.End, ask) })
		if err != nil {
			return outcome{}, err
		}
		nodes, err := consult(ctx, r, s, func(ask *decision.Asking) []v1alpha1.NodeInfo {
			return trial.ClientNodes(s.run.Status.ClientNodes, res.End.Results, ask)
		})
		if err != nil {
			return outcome{}, err
		}
		s.run.Status.ClientNodes = append(s.run.Status.ClientNodes, nodes...)
		s.known = decision.Known{}
		if err := r.record(ctx, s, rec); err != nil {
			return outcome{}, err
		}
		if rec.State == v1alpha1.TrialFailed && !s.stopsAtFailure() {
			// The next pass looks first whether the target is still there.
			return waitFor(v1alpha1.ReasonProgressing, "trial %d failed: %s", rec.Index, rec.Reason), nil
		}
	}
}

// allMeasured ends the step: a run without any result has failed.
func (s *scope) allMeasured() (outcome, error) {
	t := s.journal.Totals()
	if t.Succeeded == 0 {
		last := s.journal.Last()
		return failWith(v1alpha1.ReasonAllTrialsFailed, "none of %d trials has a result; the last one: %s: %s", t.Done, last.Reason, last.Message), nil
	}
	return doneWith("%d of %d trials have a result", t.Succeeded, t.Done), nil
}

// stopsAtFailure says whether a failed trial ends the run.
func (s *scope) stopsAtFailure() bool {
	return s.run.Spec.Design.OnTrialFailure == v1alpha1.OnFailureStop || s.run.Spec.Design.OnTrialFailure == ""
}

// coolingDown waits after the last trial for as long as the design says.
func (s *scope) coolingDown() (outcome, time.Duration) {
	pause, last := s.run.Spec.Design.Cooldown.Duration, s.journal.Last()
	at := s.journal.Position()
	_, begun := s.jobs[contract.TrialName(s.run.Name, at.Index, at.Attempt)]
	if pause <= 0 || last == nil || last.Ended == nil || begun {
		return outcome{}, 0
	}
	left := last.Ended.Add(pause).Sub(s.now)
	o := waitFor(v1alpha1.ReasonProgressing, "cooling down for %s after trial %d", pause, last.Index)
	o.after = left
	return o, left
}

// waitForTrial keeps the status of the attempt that runs.
func (s *scope) waitForTrial(at journal.Position, wait outcome) outcome {
	// A trial that spec.suspend holds back has not begun.
	if wait.reason == v1alpha1.ReasonSuspended {
		return wait
	}
	p := &s.run.Status.Progress
	if p.CurrentTrial == nil || *p.CurrentTrial != at.Index || !s.running(at) {
		p.CurrentTrial, p.Current = new(at.Index), s.describe(at.Index)
		s.showTrial(trial.Status(s.plan, at))
		estimate(s)
	}
	if wait.reason == v1alpha1.ReasonProgressing {
		// One message for the whole trial: the status is not written while it runs.
		return waitFor(v1alpha1.ReasonProgressing, "trial %d: %s", at.Index, p.Current)
	}
	return wait
}

func (s *scope) running(at journal.Position) bool {
	n := len(s.run.Status.Trials)
	if n == 0 {
		return false
	}
	last := s.run.Status.Trials[n-1]
	return last.State == v1alpha1.TrialRunning && last.Index == at.Index && last.Attempt == at.Attempt
}

func (s *scope) describe(index int32) string { return s.plan.Describe(s.plan.Trials[index]) }

// maxShown values of a trial stand in the status.
const maxShown = 60

// maxTrials is how many attempts that ended stand in the status.
const maxTrials = 10

// showTrial puts an attempt into the status, in place of the one that it continues.
func (s *scope) showTrial(t v1alpha1.TrialStatus) {
	trials := slices.DeleteFunc(s.run.Status.Trials, func(o v1alpha1.TrialStatus) bool {
		return o.Index == t.Index && o.Attempt == t.Attempt
	})
	t.Values = t.Values[:min(len(t.Values), maxShown)]
	trials = append(trials, t)
	keep := maxTrials
	if t.State == v1alpha1.TrialRunning {
		keep++
	}
	s.run.Status.Trials = trials[max(0, len(trials)-keep):]
}

// maxFindings is how many findings stand in the status.
const maxFindings = 20

// find puts a finding into the status.
func (s *scope) find(f v1alpha1.Finding) {
	s.run.Status.Findings = lastFindings(slices.Concat(s.run.Status.Findings, []v1alpha1.Finding{f}))
}

// estimate says when the last trial will end: the trials that are left, at the
// pace of those that have ended (from the start of one to the start of the next),
// or, before there is a pace, at the spec's own durations.
func estimate(s *scope) {
	var starts []time.Time
	for _, t := range s.run.Status.Trials {
		if t.MeasureStarted != nil {
			starts = append(starts, t.MeasureStarted.Time)
		}
	}
	d := s.run.Spec.Design
	left := len(s.plan.Trials) - int(s.run.Status.Progress.Done)
	pace := plan.Measuring(d) + d.Cooldown.Duration
	from := s.now
	if n := len(starts); n > 1 {
		pace = starts[n-1].Sub(starts[0]) / time.Duration(n-1)
	}
	if n := len(starts); n > 0 {
		from = starts[n-1].Add(d.Duration.Duration)
	}
	s.run.Status.Progress.EstimatedEnd = &metav1.Time{Time: from.Add(time.Duration(left) * pace).Truncate(time.Second)}
}

func progressText(p v1alpha1.Progress) string { return fmt.Sprintf("%d/%d", p.Done, p.Planned) }

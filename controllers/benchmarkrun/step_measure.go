package benchmarkrun

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/journal"
	"github.com/assay-bench/assay/internal/plan"
	"github.com/assay-bench/assay/internal/resources"

	"github.com/assay-bench/assay/internal/validity"

	"github.com/assay-bench/assay/internal/contract"

	"github.com/assay-bench/assay/internal/merge"
	"github.com/assay-bench/assay/runners/runner"
)

// measure runs the trials of the plan in their order, one at a time. What became of
// an attempt is written into the journal before anything else happens; the next one
// begins in the same pass.
func (r *Reconciler) measure(ctx context.Context, s *scope) (outcome, error) {
	if err := r.removeEnded(ctx, s); err != nil {
		return outcome{}, err
	}
	for {
		if last := s.journal.Last(); last != nil && last.State == contract.Failed && s.stopsAtFailure() {
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
		e, err := r.trialExecution(s, at)
		if err != nil {
			return outcome{}, err
		}
		end, wait, err := r.advance(ctx, s, e)
		if err != nil {
			return outcome{}, err
		}
		if end == nil {
			return s.waitForTrial(at, wait), nil
		}
		if wait, err := r.explain(ctx, s, e, end); err != nil || wait != nil {
			return deref(wait), err
		}
		rec, err := r.judge(ctx, s, at, e, end)
		if err != nil {
			return outcome{}, err
		}
		if err := r.record(ctx, s, rec); err != nil {
			return outcome{}, err
		}
		if rec.State == contract.Failed && !s.stopsAtFailure() {
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
	if pause <= 0 || last == nil || last.CompletionTime == nil || begun {
		return outcome{}, 0
	}
	left := last.CompletionTime.Add(pause).Sub(s.now)
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
	t := s.plan.Trials[at.Index]
	p := &s.run.Status.Progress
	if p.CurrentTrial == nil || *p.CurrentTrial != at.Index || !s.running(at) {
		p.CurrentTrial, p.Current = new(at.Index), s.describe(at.Index)
		s.showTrial(s.newTrialStatus(t, at.Attempt))
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

func (s *scope) newTrialStatus(t plan.Trial, attempt int32) v1alpha1.TrialStatus {
	st := v1alpha1.TrialStatus{
		Index: t.Index, Attempt: attempt, Block: t.Block, Cell: t.Cell, Target: s.plan.Targets[t.Target], State: v1alpha1.TrialRunning,
	}
	if cell := s.plan.Cells[t.Cell]; len(cell) > 0 {
		st.Parameters = cell
	}
	return st
}

func (r *Reconciler) trialExecution(s *scope, at journal.Position) (execution, error) {
	t := s.plan.Trials[at.Index]
	params, err := s.cellWorkload(s.plan.Cells[t.Cell])
	if err != nil {
		return execution{}, refuse(v1alpha1.ReasonInvalidSpec, "%v", err)
	}
	target := s.plan.Targets[t.Target]
	e := execution{
		name: contract.TrialName(s.run.Name, at.Index, at.Attempt), attempt: at.Attempt, workload: params,
		clients: int(max(s.run.Spec.Clients.Count, 1)),
		ref: contract.TrialRef{
			RunUID: string(s.run.UID), Phase: string(contract.PhaseRun), Target: target,
			Index: new(int(t.Index)), Block: new(int(t.Block)), Cell: new(int(t.Cell)), Attempt: int(at.Attempt),
		},
	}
	length, err := s.length(s.plan.Cells[t.Cell])
	if err != nil {
		return execution{}, err
	}
	e.busy = length.Most + settle + s.lead(e)
	if s.runner.Checks != nil {
		e.busy += s.runner.Checks(contract.Trial{Ref: e.ref, Runner: s.runner.Name, Workload: e.workload, Clients: e.clients})
	}
	// An attempt that failed may have left anything behind.
	if t.Reset || at.Attempt > 0 && s.resets() {
		limits := r.Config.Limits
		e.reset, e.busy = contract.ResetSnapshot, e.busy+limits.Reset.Duration+verifying
		if s.target(target).External != nil {
			e.reset, e.busy = contract.ResetReload, e.busy+limits.Load.Duration
		}
	}
	return e, nil
}

// measurement is the design of each measurement; nil for a tool that makes one in a trial.
func (s *scope) measurement() *contract.Measuring {
	if s.runner.Length == nil {
		return nil
	}
	d := s.run.Spec.Design
	return &contract.Measuring{
		WarmupSeconds: d.Warmup.Seconds(), DurationSeconds: d.Duration.Seconds(), WarmupRounds: int(*d.WarmupRounds), Rounds: int(*d.Rounds),
	}
}

// length of the measurements of a trial of a cell.
func (s *scope) length(cell plan.Cell) (runner.Length, error) {
	if s.runner.Length == nil {
		one := plan.Measuring(s.run.Spec.Design)
		return runner.Length{Least: one, Most: one}, nil
	}
	trial, err := s.sketch(cell)
	if err != nil {
		return runner.Length{}, err
	}
	out, err := s.runner.Length(trial)
	if err != nil {
		return out, refuse(v1alpha1.ReasonInvalidSpec, "%v", err)
	}
	return out, nil
}

// lead is how long the processes of a trial may take to come to their work beside warm-up and
// window: that of the warm-up and that which measures.
func (s *scope) lead(e execution) time.Duration {
	if s.runner.Opening == nil {
		return 0
	}
	d := s.run.Spec.Design
	return 2 * s.runner.Opening(contract.Trial{
		Ref: e.ref, Runner: s.runner.Name, Workload: e.workload, Clients: e.clients,
		WarmupSeconds: int64(d.Warmup.Seconds()), DurationSeconds: int64(d.Duration.Seconds()),
	}).Lead
}

// verifying is how long counting rows and checksums may take at most, with room.
const verifying = 5 * time.Minute

// judge turns the end of an attempt into its record.
func (r *Reconciler) judge(ctx context.Context, s *scope, at journal.Position, e execution, end *end) (contract.Record, error) {
	rec := s.newRecord(s.plan.Trials[at.Index], at.Attempt)
	rec.State, rec.Final, rec.Result, rec.CompletionTime = contract.Succeeded, true, contract.ResultName(e.name, 0), &s.now
	rec.TargetNodeName = s.nodeOf(rec.Target)
	for _, pod := range end.pods {
		rec.ClientNodeNames = append(rec.ClientNodeNames, pod.Spec.NodeName)
		if err := r.addNode(ctx, s, pod.Spec.NodeName, ""); err != nil {
			return contract.Record{}, err
		}
		rec.ClientQOSClass = string(pod.Status.QOSClass)
		for _, c := range pod.Status.ContainerStatuses {
			if c.Name == resources.RunnerContainer && c.ImageID != "" {
				rec.ClientImageID = c.ImageID
			}
		}
	}
	if err := r.describeClients(ctx, s, end.results); err != nil {
		return contract.Record{}, err
	}
	if first := end.result(); first != nil {
		if from, to, ok := contract.MeasuredWindow(*first); ok {
			rec.WindowStartTime, rec.WindowEndTime = &from, &to
		}
		rec.MachineSpeed = machineSpeed(first)
		if first.Data != nil && first.Data.Reset != nil {
			reset := first.Data.Reset
			rec.ResetSeconds = new(reset.Ended.Sub(reset.Started).Seconds())
		}
	}
	if end.reason == "" {
		if err := r.evaluate(ctx, s, e, end, &rec); err != nil {
			return rec, err
		}
	}
	if end.reason != "" {
		if err := r.keepLogs(ctx, s, e, end); err != nil {
			return rec, err
		}
		rec.State, rec.Reason, rec.Message = contract.Failed, end.reason, end.message
		d := s.run.Spec.Design
		rec.Final = d.OnTrialFailure != v1alpha1.OnFailureRetry || at.Attempt >= d.MaxRetries
	}
	return rec, nil
}

// describeClients puts the nodes of clients into the status, with what the clients read of
// them.
func (r *Reconciler) describeClients(ctx context.Context, s *scope, results []contract.Result) error {
	for _, res := range results {
		if err := r.addNode(ctx, s, res.Client.Node, res.Client.Machine.CPUModel); err != nil {
			return err
		}
	}
	return nil
}

// evaluate merges the results of the clients and holds them against what can be
// true.
func (r *Reconciler) evaluate(ctx context.Context, s *scope, e execution, end *end, rec *contract.Record) error {
	merged, skew, err := merge.Results(end.results)
	if err != nil {
		end.reason, end.message = v1alpha1.ReasonResultContradictory, "the results of the clients cannot be merged: "+err.Error()
		return nil
	}
	rec.StartSkewSeconds, rec.StartSkewUncertaintySeconds = skew.SpreadSeconds, skew.SpreadUncertaintySeconds
	rec.Values = values(s.runner.Summary, merged)
	rec.Findings, rec.LimitedBy = s.check(e, end.results, skew)
	rec.Throttled = throttledIn(end.results)
	together, err := r.checkTogether(ctx, s, e, merged, skew)
	if err != nil {
		return err
	}
	rec.Findings = append(rec.Findings, together...)
	if cut := valuesOf(s.runner.Summary, merged) - len(rec.Values); cut > 0 {
		rec.Findings = append(rec.Findings, contract.RecordedFinding{Check: "values-cut", Severity: string(validity.Warning), Message: fmt.Sprintf(
			"%d values of this trial are in its result only: a record holds %d, and the summary those of the record; use fewer labels, or fewer clients", cut, maxValues)})
	}
	rec.Saturated = slices.ContainsFunc(rec.Findings, isSaturated)
	others, err := r.others(ctx, s, *rec)
	if err != nil {
		return err
	}
	rec.Findings = append(rec.Findings, others...)
	rec.Findings = append(rec.Findings, s.inherited(rec.Target)...)
	rec.Valid = new(!slices.ContainsFunc(rec.Findings, isInvalid))
	rec.Disturbed = slices.ContainsFunc(rec.Findings, isDisturbed)
	return nil
}

// decimal is the shortest decimal number that reads back as v.
func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

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
		if t.WindowStartTime != nil {
			starts = append(starts, t.WindowStartTime.Time)
		}
	}
	length, err := s.length(s.plan.Cells[0])
	if err != nil {
		return // the plan is refused for it
	}
	left := len(s.plan.Trials) - int(s.run.Status.Progress.Done)
	pace := length.Least + s.run.Spec.Design.Cooldown.Duration
	from := s.now
	if n := len(starts); n > 1 {
		pace = starts[n-1].Sub(starts[0]) / time.Duration(n-1)
	}
	if n := len(starts); n > 0 {
		from = starts[n-1].Add(length.Least)
	}
	s.run.Status.Progress.EstimatedCompletionTime = &metav1.Time{Time: from.Add(time.Duration(left) * pace).Truncate(time.Second)}
}

func progressText(p v1alpha1.Progress) string { return fmt.Sprintf("%d/%d", p.Done, p.Planned) }
